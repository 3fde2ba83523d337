package match

import (
	"math"
	"strings"
)

// Evidence is what vectors say for two intents a and b belonging together, from 0 to maxEvidence for each way.
type Evidence struct {
	answer float64 // of b to a: what b brings, for what a seeks
	ask    float64 // the other way
	goal   float64
}

// maxEvidence is less than what is sure: two texts that agree in nothing but their
// vectors are matched only if each is the best that the other has.
const maxEvidence = 0.6

// Scale says how to read a cosine of two vectors of a model. The cosines of models
// differ: for unrelated texts, one model gives about 0.1, and another 0.7.
type Scale struct {
	Floor float64 // up to this it says nothing
	Full  float64 // from this on it says the most
}

// NewScale returns the scale of a model, from its vectors of ReferenceTexts. The floor is three quarters of the way
// from the mean cosine of unrelated texts to that of related ones, and at least four standard deviations above the
// first; a quarter of the way above it is the most. It reports false for a model that does not tell them apart, whose
// vectors cannot be used.
func NewScale(reference []Vector) (s Scale, ok bool) {
	related, unrelated, squares, n := 0.0, 0.0, 0.0, 0.0
	for i := 0; i+1 < len(reference); i += 2 {
		for j := 1; j < len(reference); j += 2 {
			c := reference[i].Cosine(reference[j])
			if j == i+1 {
				related += c
				continue
			}
			unrelated += c
			squares += c * c
			n++
		}
	}
	if n == 0 {
		return s, false
	}
	related /= float64(len(reference) / 2)
	unrelated /= n
	deviation := math.Sqrt(max(squares/n-unrelated*unrelated, 0))
	way := related - unrelated
	s.Floor = unrelated + max(0.75*way, 4*deviation)
	s.Full = s.Floor + 0.25*way
	return s, way > 0.02 && way > 2*deviation
}

// Evidence returns what the vectors of two intents say.
func (s Scale) Evidence(a, b *Vectors) (e Evidence) {
	e.answer = s.of(a[Seek].Cosine(b[Bring]))
	e.ask = s.of(b[Seek].Cosine(a[Bring]))
	e.goal = s.of(a[Goal].Cosine(b[Goal]))
	return e
}

// of returns the evidence of a cosine.
func (s Scale) of(cosine float64) float64 {
	above := cosine - s.Floor
	if above <= 0 || s.Full <= s.Floor {
		return 0
	}
	return maxEvidence * min(above/(s.Full-s.Floor), 1)
}

// CompareWith is Compare with the evidence of the intents' vectors. The evidence e for a side raises the similarity s
// of each two texts of it to s + (1-s)e: they count as independent reasons. It raises none if any two texts of the side
// exclude each other, by what they say not to be about, or by places, times, languages, ages, sizes or things that
// stand against each other: vectors tell those apart badly. So what Compare would match is matched with it, too.
func CompareWith(a, b *Prepared, e Evidence) Result {
	return a.match(b, raised(a.seeks, b.brings, e.answer), raised(b.seeks, a.brings, e.ask), func() float64 {
		if a.goal.text > b.goal.text { // one order, so that it is symmetric
			a, b = b, a
		}
		return raised([]statement{*a.goal}, []statement{*b.goal}, e.goal)
	})
}

// raised returns how well the best bring answers a seek, with evidence.
func raised(seeks, brings []statement, evidence float64) float64 {
	plain, most := 0.0, 0.0
	for i := range seeks {
		for j := range brings {
			f := compare(&seeks[i], &brings[j])
			s := f.score()
			plain, most = max(plain, s), max(most, s+(1-s)*evidence)
			if f.opposed() || len(seeks[i].negated)+len(brings[j].negated) > 0 {
				evidence = 0
				most = plain
			}
		}
	}
	if evidence == 0 {
		return plain
	}
	return most
}

// opposed reports whether two texts exclude each other by what they plainly say.
func (f *alignment) opposed() bool {
	return f.excluded() || f.excludes || f.part || f.ages || f.fewer
}

// ReferenceTexts returns the texts by whose vectors a model's Scale is known: asks,
// each followed by what answers it in other words.
func ReferenceTexts() (out []string) {
	for ask, answer := range sections("reference.txt") {
		out = append(out, ask, strings.TrimSpace(answer))
	}
	return out
}
