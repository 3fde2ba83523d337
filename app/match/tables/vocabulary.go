package main

import (
	"cmp"
	"slices"
	"strings"

	"hearth/app/match"
)

// vocabulary is the English words of the table, in the order of their hashes.
type vocabulary struct {
	words   []string
	number  map[string]int
	rank    []int
	vectors [][]float32
}

type vocabularyItem struct {
	word   string
	rank   int
	vector []float32
}

// choose takes the words that people need to write about everyday things: the most frequent words, less frequent words
// of WordNet, and compounds of two frequent words, such as washing_machine.
func choose(g *glove, net *wordnet) *vocabulary {
	var items []vocabularyItem
	for rank, w := range g.Words {
		vec := g.Vectors[w]
		if vec == nil || len(w) > 24 || inflected(g, net, w) {
			continue
		}
		if rank < 10_000 || len(net.lemmas[w]) > 0 && rank < 55_000 {
			items = append(items, vocabularyItem{w, rank, vec})
		}
	}
	have := map[string]bool{}
	for _, it := range items {
		have[it.word] = true
	}
	listed := anchors()
	for i, w := range append(listed, topicWords()...) {
		parts := strings.Split(w, "_")
		vec := g.Vectors[parts[0]]
		if have[w] || vec == nil || g.Vectors[parts[len(parts)-1]] == nil {
			continue
		}
		if i >= len(listed) && strings.HasSuffix(w, "s") && inflected(g, net, w) {
			continue
		}
		have[w] = true
		items = append(items, vocabularyItem{w, max(g.rank[parts[0]], 15_000), mean(vec, g.Vectors[parts[len(parts)-1]])})
	}
	for w := range net.lemmas {
		parts := strings.Split(w, "_")
		if have[w] {
			continue
		}
		if len(parts) != 2 || g.rank[parts[0]] > frequentPart || g.rank[parts[1]] > frequentPart {
			continue
		}
		a, b := g.Vectors[parts[0]], g.Vectors[parts[1]]
		if a == nil || b == nil || len(parts[0]) < 3 {
			continue
		}
		items = append(items, vocabularyItem{w, max(g.rank[parts[0]], g.rank[parts[1]], 15_000), mean(a, b)})
	}
	return number(items)
}

// frequentPart is the rank up to which both parts of a word of two are.
const frequentPart = 6000

// number numbers words in the order of their hashes.
func number(items []vocabularyItem) *vocabulary {
	slices.SortFunc(items, func(x, y vocabularyItem) int {
		return cmp.Or(cmp.Compare(match.HashForm(0, x.word), match.HashForm(0, y.word)), cmp.Compare(x.rank, y.rank))
	})
	v := &vocabulary{number: map[string]int{}}
	for i, it := range items {
		if i > 0 && match.HashForm(0, it.word) == match.HashForm(0, items[i-1].word) {
			continue
		}
		v.number[it.word] = len(v.words)
		v.words = append(v.words, it.word)
		v.rank = append(v.rank, it.rank)
		v.vectors = append(v.vectors, it.vector)
	}
	return v
}

// inflected reports whether w is a regular form of another word, which match finds itself, and no lemma.
func inflected(g *glove, net *wordnet, w string) bool {
	if len(net.lemmas[w]) > 0 {
		return false
	}
	for _, base := range match.EnglishBases(w) {
		if len(net.lemmas[base]) > 0 && g.Vectors[base] != nil {
			return true
		}
	}
	return false
}

func mean(a, b []float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = (a[i] + b[i]) / 2
	}
	return out
}
