package match

import "slices"

// headsAgree returns how well what two texts are about agrees: the best similarity of a head of one and a head of the
// other. Persons say who does a thing, so they agree with any word of the other.
func headsAgree(a, b *statement, bestA, bestB []float64) float64 {
	agree, any := 0.0, [2]bool{}
	for side, s := range []*statement{a, b} {
		best := bestA
		if side == 1 {
			best = bestB
		}
		for i := range s.units {
			if u := &s.units[i]; s.counts(u) {
				any[side] = true
				if u.person {
					agree = max(agree, best[i])
				}
			}
		}
	}
	if !any[0] || !any[1] {
		return 1
	}
	for i := range a.units {
		for j := range b.units {
			if a.counts(&a.units[i]) && b.counts(&b.units[j]) {
				agree = max(agree, relate(&a.units[i], &b.units[j]).sim)
			}
		}
	}
	return agree
}

// partOf reports whether b is about something else that belongs to what a is about: a cover for a sofa, where a sofa is
// sought. What a is about is in b, but what b is about is not in a. A word of another language than English that no
// dictionary has may say anything.
func partOf(a, b *statement, bestA []float64) bool {
	found := false
	for i := range a.units {
		if u := &a.units[i]; a.counts(u) && !u.generic && bestA[i] >= 0.6 {
			found = true
		}
	}
	for j := range b.units {
		if u := &b.units[j]; b.counts(u) && (u.person || u.generic || u.n == 0 && b.lang != 0) {
			return false
		}
	}
	return found && len(b.units) <= longText
}

// counts reports whether a unit is what the text is about. In long texts that is
// less sure than in short ones, so any head may be.
func (s *statement) counts(u *unit) bool {
	if !u.head || u.verb || u.kind == number || u.place {
		return false
	}
	return !u.generic || u.frame != noFrame
}

// longText is the number of units from which a text is a story.
const longText = 7

func compareFrames(a, b *statement) int {
	x, y := framesOf(a), framesOf(b)
	switch {
	case x == 0 && y == 0:
		return 0
	case x&y != 0:
		return 1
	case x == 0 || y == 0:
		if (x|y)&(1<<teach|1<<translate) != 0 {
			return -1
		}
		return 0
	}
	return -1
}

// Bits of the people that a text is about.
const (
	young = 1 << iota
	grown
	female
	male
)

var ageBits = map[string]uint8{"young": young, "grown": grown, "female": female, "male": male}

// ages returns the bits of the people that a text is about.
func (s *statement) ages() (bits uint8) {
	for i := range s.units {
		bits |= s.units[i].age
	}
	return bits
}

// agesDiffer reports whether two texts are about persons of other ages or sexes.
func agesDiffer(a, b uint8) bool {
	for _, both := range []uint8{young | grown, female | male} {
		if (a|b)&both == both && a&b&both == 0 {
			return true
		}
	}
	return false
}

func framesOf(s *statement) (bits uint16) {
	for i := range s.units {
		if f := s.units[i].frame; f != noFrame {
			bits |= 1 << f
		}
	}
	return bits
}

// namesDiffer reports whether two lists of names exclude each other: nothing in
// common, or for two routes not the same ends.
func namesDiffer(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	common := 0
	for _, p := range a {
		if slices.Contains(b, p) {
			common++
		}
	}
	if len(a) >= 2 && len(b) >= 2 {
		return common < 2
	}
	return common == 0
}

// negates reports whether a text is about what the other excludes.
func negates(a, b *statement) bool {
	for i := range a.negated {
		for j := range b.units {
			if b.units[j].weight > 0.1 && relate(&a.negated[i], &b.units[j]).sim >= 0.8 {
				return true
			}
		}
		for j := range b.plain {
			if a.negated[i].frame == trade && b.plain[j].frame == trade {
				return true
			}
			if r := relate(&a.negated[i], &b.plain[j]); r.sim >= 0.9 && !smallWord(&b.plain[j]) {
				return true
			}
		}
	}
	return false
}

// smallWord reports whether a word that says little says nothing at all.
func smallWord(u *unit) bool {
	return u.n == 0 || knowledge().rarity(u.words[0]) < 0.02 || u.frame != noFrame
}

// farApart reports whether one number is much larger than the other.
func farApart(x, y int) bool { return max(x, y)*3 > min(x, y)*4 }

// lessThan reports whether one number is much smaller than another.
func lessThan(x, y int) bool { return x*4 <= y*3 }

// moreOf reports whether of what is sought as a small number a larger one is brought, which is no reason against it.
func moreOf(sought, brought *unit) bool {
	const most = 100 // larger numbers are no amounts
	x, y := sought.number, brought.number
	return x > 1 && x < y && y <= min(most, 10*x)
}
