package main

import (
	"cmp"
	"slices"
	"strings"

	"hearth/app/match"
)

// linksPerWord is how many words of the explanation of a word are kept.
const linksPerWord = 6

// link says that a word belongs with another.
type link struct {
	word int
	kind uint8
}

// chooseLinks returns for every word the words that WordNet relates it to:
// derived forms such as baker of bake, parts and wholes, and the rarest words of
// the explanation of its first sense (Lesk 1986).
func chooseLinks(v *vocabulary, net *wordnet) [][]link {
	out := make([][]link, len(v.words))
	add := func(from, to int, kind uint8) {
		if from != to && !slices.ContainsFunc(out[from], func(l link) bool { return l.word == to }) {
			out[from] = append(out[from], link{to, kind})
		}
	}
	for i, w := range v.words {
		for k, id := range net.lemmas[w] {
			s := net.synsets[id]
			if s == nil || k > 3 {
				continue
			}
			for _, d := range s.derived[w] {
				if n, ok := v.number[d]; ok {
					add(i, n, match.LinkDerived)
					add(n, i, match.LinkDerived)
				}
			}
			if k > 1 {
				continue
			}
			for _, p := range s.parts {
				for _, other := range net.synsets[p].words {
					if n, ok := v.number[other]; ok {
						add(i, n, match.LinkPart)
						add(n, i, match.LinkPart)
					}
				}
			}
		}
	}
	for i, w := range v.words {
		uses := net.byUse(w)
		if len(uses) == 0 {
			continue
		}
		s := net.synsets[net.sensesOf(w, uses[0])[0]]
		gloss, _, _ := strings.Cut(s.gloss, ";")
		var found []int
		for _, g := range strings.FieldsFunc(strings.ToLower(gloss), func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) {
			for _, form := range append([]string{g}, match.EnglishBases(g)...) {
				if n, ok := v.number[form]; ok && len(net.lemmas[form]) > 0 && v.rank[n] > 500 && len(form) > 2 {
					found = append(found, n)
					break
				}
			}
		}
		slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(v.rank[b], v.rank[a]) })
		for _, n := range found[:min(len(found), linksPerWord)] {
			add(i, n, match.LinkGloss)
		}
	}
	return out
}
