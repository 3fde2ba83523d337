package match

import (
	"cmp"
	"slices"
	"strings"
)

// pair is two parts that agree.
type pair struct {
	i, j, j2 int // j2 is a second part of the other text that i agrees with, or -1
	sim      float64
	weight   float64
	swapped  bool // i is of the other text, j and j2 of the first
}

// agreement returns the sum of the weights of the parts that agree, each times
// how well. Every part agrees with one of the other text at most; the best pairs
// come first.
func agreement(a, b []part) float64 {
	pairs := joined(nil, a, b, false)
	pairs = joined(pairs, b, a, true)
	for i := range a {
		for j := range b {
			if s := alike(&a[i], &b[j]); s > 0 {
				pairs = append(pairs, pair{i: i, j: j, j2: -1, sim: s, weight: a[i].weight + b[j].weight})
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int {
		return cmp.Or(cmp.Compare(y.sim, x.sim), cmp.Compare(y.weight, x.weight))
	})
	used := [2][]bool{make([]bool, len(a)), make([]bool, len(b))}
	sum := 0.0
	for _, p := range pairs {
		one, other := used[0], used[1]
		if p.swapped {
			one, other = other, one
		}
		if one[p.i] || other[p.j] || p.j2 >= 0 && other[p.j2] {
			continue
		}
		one[p.i], other[p.j] = true, true
		if p.j2 >= 0 {
			other[p.j2] = true
		}
		sum += p.sim * p.weight
	}
	return sum
}

// joined adds the words of one text that are two neighbouring words of the
// other, such as "lawnmower" and "lawn mower".
func joined(pairs []pair, a, b []part, swapped bool) []pair {
	for j := 0; j+1 < len(b); j++ {
		if b[j].kind != word || b[j+1].kind != word || b[j+1].word != b[j].word+1 {
			continue
		}
		for i := range a {
			if rest, ok := strings.CutPrefix(a[i].text, b[j].text); ok && a[i].kind == word && sameEnding(rest, b[j+1].text) {
				pairs = append(pairs, pair{i: i, j: j, j2: j + 1, sim: 0.95, weight: a[i].weight + b[j].weight + b[j+1].weight, swapped: swapped})
			}
		}
	}
	return pairs
}

// sameEnding reports whether two words differ by an ending of a letter or two.
func sameEnding(a, b string) bool {
	return a == b || len(a) >= 3 && len(b) >= 3 && max(len(a), len(b))-min(len(a), len(b)) <= 2 &&
		(strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// alike returns how well two parts agree, from 0 to 1.
func alike(a, b *part) float64 {
	switch {
	case a.concept != "" && b.concept != "":
		if a.concept == b.concept {
			return 1
		}
		return 0
	case a.text == b.text:
		return 1
	case a.kind != word || b.kind != word:
		return 0
	case a.stem == b.stem && len(a.stem) > 2:
		return 0.95
	}
	x, y := []rune(a.text), []rune(b.text)
	return max(sameStart(x, y), sameEnd(x, y), typo(x, y))
}

// sameStart compares words by their common beginning, which inflected forms of
// one word share.
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

// sameEnd compares a compound with its last word, as in Fahrradwerkstatt and
// Werkstatt.
func sameEnd(a, b []rune) float64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) < 5 || !slices.Equal(a[len(a)-len(b):], b) {
		return 0
	}
	return 0.3 + 0.5*float64(len(b))/float64(len(a))
}

// typo compares words by how many letters have to be changed, added, removed or
// swapped with their neighbour: one of at least four, two of at least eight.
func typo(a, b []rune) float64 {
	short := min(len(a), len(b))
	limit := 0
	switch {
	case short >= 8:
		limit = 2
	case short >= 4:
		limit = 1
	}
	if limit == 0 || max(len(a), len(b))-short > limit || len(a) > 40 || len(b) > 40 {
		return 0
	}
	d := distance(a, b)
	switch {
	case d > limit:
		return 0
	case d == 2:
		return 0.75
	case short == 4:
		return 0.6
	case short == 5:
		return 0.75
	}
	return 0.88
}

// distance returns the optimal string alignment distance of words of at most 40
// letters.
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
