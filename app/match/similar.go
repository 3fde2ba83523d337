package match

import (
	"math"
	"slices"
)

// alignment is what the comparison of two statements finds.
type alignment struct {
	sides       [2]side
	matched     float64    // weight of what agrees
	least, most float64    // total weights, the smaller and the larger
	head        float64    // how well the heads agree
	part        bool       // one is about a part or accessory of what the other is about
	excludes    bool       // siblings stand against each other
	foreign     bool       // they are in two languages
	frames      int        // 1 if what is done is the same, -1 if not
	ages        bool       // one is for children, the other for adults, or for women and for men
	times       bool       // the times exclude each other
	places      bool       // the places exclude each other
	ways        bool       // one excludes how the other gives or takes it
	fit         bool       // the sizes are not those that are sought
	negated     bool       // one is about what the other says not to be about
	numbers     bool       // one number is much larger than the other
	fewer       bool       // what is brought is less than what is sought
	mains       float64    // how well the first heads agree
	samePlaces  int        // places that both name
	sameNumbers int        // numbers of two digits or more that both have
	sameTimes   bool       // both name a time, and they do not exclude each other
	near        float64    // how near the texts are as sums of vectors
	topics      [4]float64 // weight of the units that a topic has with one of the other, by how
}

func compare(a, b *statement) alignment {
	var f alignment
	var units [2]bests
	f.alignUnits(a, b, &units)
	for i, s := range []*statement{a, b} {
		f.sides[i] = units[i].side(s)
	}
	f.matched = f.sides[0].agreed/2 + f.sides[1].agreed/2
	f.near = near(a, b)
	for _, p := range a.places {
		if slices.Contains(b.places, p) {
			f.samePlaces++
		}
	}
	for i := range a.units {
		u, most := &a.units[i], 0
		for j := range b.units {
			if v := &b.units[j]; u.n > 0 && v.n > 0 {
				most = max(most, knowledge().topic(u.words[0], v.words[0]))
			}
		}
		f.topics[most] = max(f.topics[most], u.weight)
	}
	f.foreign = a.lang != b.lang && a.lang >= 0 && b.lang >= 0
	f.least, f.most = min(a.total, b.total), max(a.total, b.total)
	f.head = headsAgree(a, b, units[0].sim[:], units[1].sim[:])
	f.part = f.head < 0.5 && (partOf(a, b, units[0].sim[:]) || partOf(b, a, units[1].sim[:]))
	f.frames = compareFrames(a, b)
	f.ages = agesDiffer(a.ages(), b.ages())
	f.sameTimes, f.times = a.times.meets(b.times), a.times.exclude(b.times)
	f.places = namesDiffer(a.places, b.places)
	f.ways = excludeWays(a, b)
	f.fit = a.fit.differs(b.fit)
	f.negated = negates(a, b) || negates(b, a)
	return f
}

// alignUnits relates every unit of a text to every one of the other (soft
// alignment; Kusner and others 2015, relaxed word mover's distance).
func (f *alignment) alignUnits(a, b *statement, units *[2]bests) {
	var against, agreeing uint32 // classes of siblings, by bits
	for i := range a.units {
		u := &a.units[i]
		for j := range b.units {
			v := &b.units[j]
			r := relate(u, v)
			units[0].see(i, r)
			units[1].see(j, r)
			if u.kind == number && v.kind == number && u.text == v.text && len(u.text) > 1 {
				f.sameNumbers++
			}
			if r.excludes && !u.place && !v.place {
				against |= 1 << u.class
			} else if u.class == v.class && r.sim >= 0.6 {
				agreeing |= 1 << u.class
			}
			if r.sim > 0.85 && u.number != v.number && u.number > 0 && v.number > 0 {
				f.numbers = f.numbers || farApart(u.number, v.number) && !moreOf(u, v)
				f.fewer = f.fewer || lessThan(v.number, u.number)
			}
			if u.first && v.first && a.counts(u) && b.counts(v) {
				f.mains = max(f.mains, r.sim)
			}
		}
	}
	f.excludes = against&^agreeing != 0
}

// near returns the cosine of the weighted sums of the vectors of two texts (Arora, Liang and Ma 2017).
func near(a, b *statement) float64 {
	x, y := &a.vector, &b.vector
	xy, xx, yy := 0.0, 0.0, 0.0
	for i := range x {
		xy += float64(x[i] * y[i])
		xx += float64(x[i] * x[i])
		yy += float64(y[i] * y[i])
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// sum returns the weighted sum of the vectors of the units.
func (s *statement) sum() (out [Dimensions]float32) {
	t := knowledge()
	for i := range s.units {
		if u := &s.units[i]; u.n > 0 && !u.place {
			for k, x := range t.vector(u.words[0]) {
				out[k] += float32(u.weight) * x
			}
		}
	}
	return out
}

// bests has the best similarity and cosine of each unit of a text with one of the other.
type bests struct{ sim, cosine [maxUnits]float64 }

func (c *bests) see(i int, r relation) {
	c.sim[i] = max(c.sim[i], r.sim)
	c.cosine[i] = max(c.cosine[i], r.cosine)
}

// side is how much of one text the other has.
type side struct {
	agreed        float64 // weight of what agrees
	cover         float64 // its share
	content       float64 // the same share of what the text is about
	worst         float64 // weight of the heaviest unit that does not agree
	rarest, words float64 // weight of the rarest word in common, and how many are
	rest          float64 // how near the meanings are of what does not agree
	heads, main   float64 // how well the best head agrees, and the best first one
	frame         bool    // it says what is done
}

func (c *bests) side(s *statement) (out side) {
	named, first, most := false, false, 0.0
	content, agreed, rest, restWeight := 0.0, 0.0, 0.0, 0.0
	for i := range s.units {
		u, best := &s.units[i], c.sim[i]
		out.agreed += u.weight * best
		most = max(most, best)
		if s.counts(u) && !u.person {
			named = true
			out.heads = max(out.heads, best)
			if u.first {
				first = true
				out.main = max(out.main, best)
			}
		}
		if u.generic || u.kind == number || u.place {
			continue
		}
		content += u.weight
		agreed += u.weight * best
		out.worst = max(out.worst, u.weight*(1-best))
		out.rarest = max(out.rarest, best*u.weight)
		if best > 0.6 {
			out.words++
		} else if u.n > 0 {
			rest += u.weight * c.cosine[i]
			restWeight += u.weight
		}
	}
	if !named { // a text that names no thing
		out.heads = most
	}
	if !first {
		out.main = out.heads
	}
	out.cover = out.agreed / max(s.total, 0.01)
	out.content = agreed / max(content, 0.1)
	out.rest = (rest + 0.3*0.3) / (restWeight + 0.3)
	out.frame = framesOf(s) != 0
	return out
}
