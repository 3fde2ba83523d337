package match

import "math"

// features describes a comparison in numbers, for the model.
func (f *alignment) features() [featureCount]float64 {
	bit := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	a, b := &f.sides[0], &f.sides[1]
	base := f.matched / (math.Pow(f.least+0.1, tuning.short) * math.Pow(f.most+0.1, tuning.long))
	return [featureCount]float64{
		1,
		math.Log(base + 0.05),
		math.Log(f.matched + 0.1),
		max(a.cover, b.cover),
		min(a.cover, b.cover),
		b.cover,
		a.rest,
		b.rest,
		min(a.rest, b.rest),
		math.Max(0, 0.4-b.main) * max(0, 2-0.3*f.most),
		a.main,
		b.main,
		b.heads,
		bit(a.frame && !b.frame),
		bit(b.frame && !a.frame),
		f.head,
		min(a.heads, b.heads),
		max(a.heads, b.heads),
		a.rarest,
		min(a.words, 4),
		bit(f.frames > 0),
		bit(f.frames < 0),
		bit(f.excludes),
		bit(f.foreign),
		bit(f.part),
		bit(f.ages),
		bit(f.numbers),
		bit(f.fewer),
		f.mains,
		math.Log(f.least + 0.1),
		math.Log(f.most + 0.1),
		f.near,
		float64(min(f.samePlaces, 2)),
		float64(min(f.sameNumbers, 2)),
		bit(f.sameTimes),
		f.topics[2],
		f.topics[3],
		f.topics[1],
		a.content,
		b.content,
		a.worst,
		b.worst,
	}
}

const (
	featureExcludes = 22 // where they stand
	featureForeign  = 23
	featureCount    = 42
)

// score returns the probability that two texts belong together, by logistic regression. It returns 0 if their times,
// places, sizes or ways exclude each other, or if one says that it is not about the other.
func (f *alignment) score() float64 {
	if f.matched == 0 || f.excluded() {
		return 0
	}
	sum := 0.0
	for i, x := range f.features() {
		sum += model[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}

// excluded reports whether two texts plainly say what keeps them apart.
func (f *alignment) excluded() bool {
	return f.times || f.places || f.negated || f.ways || f.fit
}
