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

// chooseLinks returns for every word the words that WordNet relates it to: derived forms such as baker of bake, and the
// rarest words of the explanation of its first sense (Lesk 1986).
func chooseLinks(v *vocabulary, net *wordnet) [][]link {
	out := make([][]link, len(v.words))
	add := func(from, to int, kind uint8) {
		if from != to && !slices.ContainsFunc(out[from], func(l link) bool { return l.word == to }) {
			out[from] = append(out[from], link{to, kind})
		}
	}
	for i, w := range v.words {
		senses := net.lemmas[w]
		for _, s := range senses[:min(len(senses), 4)] {
			for _, d := range s.derived {
				if n, ok := v.number[d.synset.words[d.number-1]]; ok && d.word == w {
					add(i, n, match.LinkDerived)
					add(n, i, match.LinkDerived)
				}
			}
		}
	}
	for i, w := range v.words {
		for _, n := range rarestOfGloss(v, net, w) {
			add(i, n, match.LinkGloss)
		}
	}
	return out
}

func rarestOfGloss(v *vocabulary, net *wordnet, w string) (out []int) {
	uses := net.byUse(w)
	if uses == "" {
		return nil
	}
	gloss, _, _ := strings.Cut(net.sensesOf(w, uses[0])[0].gloss, ";")
	for _, g := range strings.FieldsFunc(strings.ToLower(gloss), func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) {
		for _, base := range append([]string{g}, match.EnglishBases(g)...) {
			if n, ok := v.number[base]; ok && len(net.lemmas[base]) > 0 && v.rank[n] > 500 && len(base) > 2 {
				out = append(out, n)
				break
			}
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(v.rank[b], v.rank[a]) })
	return out[:min(len(out), linksPerWord)]
}
