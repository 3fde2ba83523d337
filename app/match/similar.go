package match

import (
	"math"
	"slices"
)

// alignment is what the comparison of two statements finds.
type alignment struct {
	cover       [2]float64 // share of each text's weight that the other has
	shared      float64    // weight of the rarest word in common
	words       float64    // how many words are in common
	heads       [2]float64 // how well the best head of each text is found in the other
	main        [2]float64 // the same for the first head
	rest        [2]float64 // how near the meanings are of what does not agree
	frame       [2]bool    // which of them says what is done
	matched     float64    // weight of what agrees
	least, most float64    // total weights, the smaller and the larger
	head        float64    // how well the heads agree
	part        bool       // one is about a part or accessory of what the other is about
	excludes    bool       // siblings stand against each other
	foreign     bool       // they are in two languages
	frames      int        // 1 if what is done is the same, -1 if not
	ages        bool       // one is for children, the other for adults, or for women and for men
	times       bool       // the times exclude each other
	places      bool
	ways        bool // one excludes how the other gives or takes it
	fit         bool // the sizes are not those that are sought
	negated     bool
	numbers     bool
	fewer       bool       // what is brought is less than what is sought
	mains       float64    // how well the first heads agree
	samePlaces  int        // places that both name
	sameNumbers int        // numbers of two digits or more that both have
	sameTimes   bool       // both name a time, and they do not exclude each other
	near        float64    // how near the texts are as sums of vectors
	topics      [4]float64 // weight of the units that a topic has with one of the other, by how
	content     [2]float64 // share of what each text is about that the other has
	worst       [2]float64 // weight of the heaviest unit that does not agree
}

func compare(a, b *statement) alignment {
	var f alignment
	var sides [2]sideCover
	f.alignUnits(a, b, &sides)
	for i, s := range []*statement{a, b} {
		c := &sides[i]
		c.sum(s)
		f.cover[i] = c.all / max(s.total, 0.01)
		f.heads[i], f.main[i] = c.heads, c.main
		f.rest[i] = (c.rest + 0.3*0.3) / (c.restWeight + 0.3)
		f.matched += c.all / 2
	}
	f.near = near(a, b)
	for _, p := range a.places {
		if slices.Contains(b.places, p) {
			f.samePlaces++
		}
	}
	f.sameTimes = a.times.meets(b.times)
	for i := range sides {
		f.content[i] = sides[i].agreed / max(sides[i].content, 0.1)
		f.worst[i] = sides[i].worst
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
	f.shared, f.words = sides[0].rarest, sides[0].words
	f.foreign = a.lang != b.lang && a.lang >= 0 && b.lang >= 0
	f.least, f.most = min(a.total, b.total), max(a.total, b.total)
	f.head = headsAgree(a, b, sides[0].best[:], sides[1].best[:])
	f.part = f.head < 0.5 && (partOf(a, b, sides[0].best[:]) || partOf(b, a, sides[1].best[:]))
	f.frames = compareFrames(a, b)
	f.frame = [2]bool{framesOf(a) != 0, framesOf(b) != 0}
	f.ages = agesDiffer(a.ages(), b.ages())
	f.times = a.times.exclude(b.times)
	f.places = namesDiffer(a.places, b.places)
	f.ways = excludeWays(a, b)
	f.fit = a.fit.differs(b.fit)
	f.negated = negates(a, b) || negates(b, a)
	return f
}

// alignUnits relates every unit of a text to every one of the other (soft
// alignment; Kusner and others 2015, relaxed word mover's distance).
func (f *alignment) alignUnits(a, b *statement, sides *[2]sideCover) {
	var against, agreeing uint32 // classes of siblings, by bits
	for i := range a.units {
		u := &a.units[i]
		for j := range b.units {
			v := &b.units[j]
			r := relate(u, v)
			sides[0].see(i, r)
			sides[1].see(j, r)
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

// near returns the cosine of the weighted sums of the vectors of two texts (Arora,
// Liang and Ma 2017).
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

// sideCover is how much of one text the other has.
type sideCover struct {
	best, near       [maxUnits]float64 // by unit: the best similarity and cosine
	all              float64           // weight of what agrees
	content, agreed  float64           // weight of what it is about, and of what of it agrees
	rest, restWeight float64           // of what does not agree
	heads, main      float64           // how well the best head agrees, and the best first one
	worst            float64           // weight of the heaviest unit that does not agree
	rarest, words    float64           // weight of the rarest word in common, and how many are
}

func (c *sideCover) see(i int, r relation) {
	c.best[i] = max(c.best[i], r.sim)
	c.near[i] = max(c.near[i], r.cosine)
}

func (c *sideCover) sum(s *statement) {
	named, first, most := false, false, 0.0
	for i := range s.units {
		u, best := &s.units[i], c.best[i]
		c.all += u.weight * best
		most = max(most, best)
		if s.counts(u) && !u.person {
			named = true
			c.heads = max(c.heads, best)
			if u.first {
				first = true
				c.main = max(c.main, best)
			}
		}
		if u.generic || u.kind == number || u.place {
			continue
		}
		c.content += u.weight
		c.agreed += u.weight * best
		c.worst = max(c.worst, u.weight*(1-best))
		c.rarest = max(c.rarest, best*u.weight)
		if best > 0.6 {
			c.words++
		} else if u.n > 0 {
			c.rest += u.weight * c.near[i]
			c.restWeight += u.weight
		}
	}
	if !named { // a text that names no thing
		c.heads = most
	}
	if !first {
		c.main = c.heads
	}
}
