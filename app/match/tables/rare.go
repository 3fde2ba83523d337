package main

import (
	"maps"
	"slices"
	"strings"
)

// rarest is the frequency rank up to which words stand in the table at all.
const rarest = 200_000

// rareWords returns entries for English words that are too rare for vectors of
// their own. They stand for a synonym, or else for what they are a kind of.
func rareWords(v *vocabulary, g *glove, net *wordnet) (out []entry) {
	for _, w := range slices.Sorted(maps.Keys(net.lemmas)) {
		if _, known := v.number[w]; known || g.rank[w] == 0 || g.rank[w] >= rarest || strings.Contains(w, "_") || len(w) <= 3 {
			continue
		}
		uses := net.byUse(w)
		if uses == "" || uses[0] == 'r' {
			continue
		}
		s := net.sensesOf(w, uses[0])[0]
		words := s.words
		if len(s.parents) > 0 {
			words = slices.Concat(words, s.parents[0].words)
		}
		for _, other := range words {
			if n, ok := v.number[other]; ok && other != w && net.byUse(other)[0] == uses[0] {
				out = append(out, entry{form{0, w}, n})
				break
			}
		}
	}
	return out
}
