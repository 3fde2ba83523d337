package main

import (
	"slices"
	"strings"

	"hearth/app/match"
)

// rarest is the frequency rank up to which words stand in the table at all.
const rarest = 200_000

// rareWords returns entries for English words that are too rare for vectors of
// their own. They stand for a synonym, or else for what they are a kind of.
func rareWords(v *vocabulary, g *glove, net *wordnet) []entry {
	lemmas := make([]string, 0, len(net.lemmas))
	for w := range net.lemmas {
		if _, known := v.number[w]; !known && g.rank[w] > 0 && g.rank[w] < rarest && !strings.Contains(w, "_") && len(w) > 3 {
			lemmas = append(lemmas, w)
		}
	}
	slices.Sort(lemmas)
	var out []entry
	for _, w := range lemmas {
		uses := net.byUse(w)
		if len(uses) == 0 || uses[0] == "r" {
			continue
		}
		s := net.synsets[net.sensesOf(w, uses[0])[0]]
		words := s.words
		if len(s.parents) > 0 {
			words = slices.Concat(words, net.synsets[s.parents[0]].words)
		}
		for _, other := range words {
			if n, ok := v.number[other]; ok && other != w && net.byUse(other)[0] == uses[0] {
				out = append(out, entry{match.HashForm(0, w), 0, n, w})
				break
			}
		}
	}
	return out
}
