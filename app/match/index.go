package match

import (
	"cmp"
	"slices"
)

// memoryIndex finds candidates by keys in the way of the store's index.
type memoryIndex struct {
	postings map[Key][]string // weight 0
	keys     map[string][]Key
}

// Bounds of a lookup.
const (
	maxPostings   = 4000
	maxCandidates = 200
)

func (l *Labelled) index() *memoryIndex {
	m := &memoryIndex{postings: map[Key][]string{}, keys: map[string][]Key{}}
	for _, id := range l.ids {
		m.keys[id] = l.intents[id].Keys()
		for _, k := range m.keys[id] {
			k.Weight = 0
			m.postings[k] = append(m.postings[k], id)
		}
	}
	return m
}

// candidates returns the intents that share the most weighted keys of the
// opposite sides.
func (m *memoryIndex) candidates(id string) []string {
	type list struct {
		ids    []string
		weight float64
	}
	var lists []list
	for _, k := range m.keys[id] {
		ids := m.postings[Key{Side: k.Side.Opposite(), Hash: k.Hash}]
		lists = append(lists, list{ids, float64(k.Weight)})
	}
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(len(a.ids), len(b.ids)) })
	score := map[string]float64{}
	read := 0
	for _, l := range lists {
		if read += len(l.ids); read > maxPostings {
			break
		}
		for _, other := range l.ids {
			score[other] += l.weight
		}
	}
	delete(score, id)
	out := make([]string, 0, len(score))
	for other := range score {
		out = append(out, other)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), maxCandidates)]
}
