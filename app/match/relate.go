package match

// relation is how two units are related.
type relation struct {
	sim      float64
	cosine   float64 // of their vectors, 0 without
	excludes bool    // they are siblings, such as two languages
}

// relate compares two units.
func relate(a, b *unit) relation {
	switch {
	case a.kind == number || b.kind == number:
		if a.text == b.text && a.kind == b.kind {
			return relation{sim: 1}
		}
		return relation{}
	case a.text == b.text:
		return relation{sim: 1}
	case a.kind == gram || b.kind == gram:
		return relation{}
	}
	best := 0.0
	if a.stem == b.stem && len(a.stem) > 2 {
		best = 0.95
	}
	known := knowledge()
	excludes := false
	for i, x := range a.meanings() {
		for j, y := range b.meanings() {
			s := known.related(x, y)
			if i+j == 0 && s == 0 && known.siblings(x, y) {
				excludes = true
			}
			if i > 0 {
				s *= 0.95
			}
			if j > 0 {
				s *= 0.95
			}
			best = max(best, s)
		}
	}
	if a.kind == word && b.kind == word {
		best = max(best, spelling(a, b, best))
	}
	if best >= 0.6 {
		excludes = false
	}
	if a.frame != noFrame && a.frame == b.frame {
		best = max(best, tuning.sameFrame)
	}
	cosine := 0.0
	if a.n > 0 && b.n > 0 {
		cosine = max(known.cosine(a.words[0], b.words[0]), 0)
	}
	return relation{sim: best, cosine: cosine, excludes: excludes}
}

// spelling compares two words by their letters, where they are not both known words with other meanings.
func spelling(a, b *unit, meaning float64) float64 {
	x, y := a.runes, b.runes
	s := sameStart(x, y)
	if a.sure == 0 || b.sure == 0 {
		s = max(s, typo(x, y))
	} else if meaning < 0.15 {
		s *= 0.5
	}
	return s
}

// sameStart compares words by their common beginning, which inflected forms of one word share.
func sameStart(a, b []rune) float64 {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	longest := max(len(a), len(b))
	if n < 4 || n*2 < longest {
		return 0
	}
	share := float64(n) / float64(longest)
	return share * share
}

// typo compares words by how many letters have to be changed, added, removed or
// swapped with their neighbour: one of at least four, two of at least eight.
func typo(a, b []rune) float64 {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	limit := min(short/4, 2)
	if limit == 0 || long-short > limit || long > 40 {
		return 0
	}
	switch d := distance(a, b); {
	case d > limit:
		return 0
	case d == 2 || short == 5:
		return 0.75
	case short == 4:
		return 0.6
	}
	return 0.88
}

// distance returns the optimal string alignment distance of words of at most 40 letters.
func distance(a, b []rune) int {
	var rows [3][41]int
	before, last, next := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			next[j] = min(next[j-1]+1, last[j]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}

// related returns how near the meanings of two English words are, from 0 to 1:
// by a common sense, by one being a kind of the other, or by their vectors.
func (t *table) related(x, y uint16) float64 {
	if x == y {
		return 0.97
	}
	xs, ys := t.sensesOf(x), t.sensesOf(y)
	best := 0.0
	for i := range len(xs) / 2 {
		for j := range len(ys) / 2 {
			switch a, b := u16(xs, i), u16(ys, j); {
			case a == b:
				return 0.93 - 0.04*float64(min(i+j, 4))
			case i+j < 2 && (t.kindOf(a, b) || t.kindOf(b, a)):
				best = max(best, tuning.kind)
			}
		}
	}
	best = max(best, tuning.topic[t.topic(x, y)], tuning.link[t.link(x, y)], tuning.link[t.link(y, x)])
	if best > 0 {
		return best
	}
	c := t.cosine(x, y)
	if t.siblings(x, y) {
		return 0
	}
	return max(best, tuning.vector*min(max((c-tuning.cosine)/(0.9-tuning.cosine), 0), 1))
}

// kindOf reports whether synset a is a kind of b, over at most two steps, or five within a class.
func (t *table) kindOf(a, b uint16) bool {
	steps := 2
	if t.classes[a] != 0 && t.classes[a] == t.classes[b] {
		steps = 5
	}
	return t.under(a, b, steps)
}

// siblings reports whether the first senses of two words are of one class of
// things that exclude each other, and neither is a kind of the other.
func (t *table) siblings(x, y uint16) bool {
	xs, ys := t.sensesOf(x), t.sensesOf(y)
	if x == y || xs == "" || ys == "" {
		return false
	}
	a, b := u16(xs, 0), u16(ys, 0)
	class := t.classes[a]
	if a == b || class == 0 || class == ClassPerson || class != t.classes[b] {
		return false
	}
	return !t.under(a, b, anySteps) && !t.under(b, a, anySteps)
}

// under reports whether synset a lies under b, at most a number of steps.
func (t *table) under(a, b uint16, steps int) bool {
	for range steps {
		if a = u16(t.parents, int(a)); a == noParent {
			return false
		}
		if a == b {
			return true
		}
	}
	return false
}

const anySteps = 16 // no synset lies deeper
