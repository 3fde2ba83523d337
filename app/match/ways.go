package match

import (
	"cmp"
	"slices"
	"strconv"
)

// ways are how a thing changes hands and whether it is used, by bits.
type ways uint8

const (
	sale ways = 1 << iota
	loan
	gift
	swap
	asNew
	asUsed
)

var wayNames = map[string]ways{"sale": sale, "loan": loan, "gift": gift, "swap": swap, "new": asNew, "used": asUsed}

// wayGroups are groups of ways. A text that excludes one way of a group may name another way of it.
var wayGroups = []ways{sale | loan | gift | swap, asNew | asUsed}

// readWays reads the ways that a text names, and those that it excludes: after a negation in the same clause, or in
// other languages than English before one that is near its end, as in "купить не могу".
func (r *reader) readWays() {
	const reach = 4 // words that a negation reaches
	left := 0
	for i := 0; i < len(r.pieces); i++ {
		if r.negatesWay(i) {
			left = reach + 1
		}
		if value, n := r.v.ways.at(r.pieces, i); value > 0 {
			i += n - 1
			switch w := ways(value); {
			case w == asUsed && r.next(i) == "to": // "I used to be a teacher"
			case left > 0 || r.lang != 0 && r.next(i) != "" && r.negatesWay(i+1) && r.endsSoon(i+1):
				r.s.excluded |= w
			default:
				r.s.ways |= w
			}
		}
		left--
		if r.pieces[i].end || r.pieces[i].pause {
			left = 0
		}
	}
	r.s.ways &^= r.s.excluded
}

// negatesWay reports whether a piece negates what comes after it.
func (r *reader) negatesWay(i int) bool {
	w := r.pieces[i].text
	return r.v.negators[w] || r.v.not[w] || r.lang == 0 && r.v.refuse[w]
}

// next returns the text of the piece after another in the same clause, "" without.
func (r *reader) next(i int) string {
	if i+1 >= len(r.pieces) || r.pieces[i].pause || r.pieces[i].end {
		return ""
	}
	return r.pieces[i+1].text
}

// endsSoon reports whether the clause ends at most two pieces after another.
func (r *reader) endsSoon(i int) bool {
	for j := i; j < i+3; j++ {
		if r.next(j) == "" {
			return true
		}
	}
	return false
}

// excludeWays reports whether all ways that a text names are excluded by the other.
func excludeWays(a, b *statement) bool {
	for _, group := range wayGroups {
		if w := b.ways & group; w != 0 && w&^a.excluded == 0 {
			return true
		}
		if w := a.ways & group; w != 0 && w&^b.excluded == 0 {
			return true
		}
	}
	return false
}

// sizeRange is the sizes that a text names, from the least to the greatest; 0 says
// nothing. Sizes of letters follow sizes of numbers.
type sizeRange [2]uint16

const letterSize = 1000

// letterSizes are the sizes of letters in their order, which are ten apart.
var letterSizes = []string{"xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"}

// readFit reads the numbers and letters after a word for a size, as in "size 36-38".
func (r *reader) readFit() {
	for i := range r.pieces {
		if !r.v.fits[r.pieces[i].text] {
			continue
		}
		for j := i + 1; j < min(i+4, len(r.pieces)); j++ {
			n := sizeOf(r.pieces[j])
			if n == 0 && j > i+1 {
				break
			}
			if n > 0 && (r.s.fit[0] == 0 || r.s.fit[0]/letterSize == n/letterSize) {
				r.s.fit = sizeRange{min(n, cmp.Or(r.s.fit[0], n)), max(n, r.s.fit[1])}
			}
		}
	}
}

// sizeOf returns the size that a piece names, 0 without.
func sizeOf(p piece) uint16 {
	if i := slices.Index(letterSizes, p.text); i >= 0 {
		return letterSize + 10*uint16(i)
	}
	if n, err := strconv.Atoi(p.text); p.kind == number && err == nil && n > 0 && n < letterSize {
		return uint16(n)
	}
	return 0
}

// differs reports whether two texts name sizes that are more than about one size apart.
func (f sizeRange) differs(o sizeRange) bool {
	if f[0] == 0 || o[0] == 0 || f[0]/letterSize != o[0]/letterSize {
		return false
	}
	gap := max(int(f[0])-int(o[1]), int(o[0])-int(f[1]))
	switch most := max(f[1], o[1]); {
	case most >= letterSize:
		return gap > 10
	case most >= 80: // of children's clothes, by height
		return gap > 8
	case most >= 30:
		return gap > 2
	}
	return gap > 1
}
