package fetch

import (
	"slices"
	"sync"
)

// Places bounds how many requests are under way at the same time, in all and for each of
// whom they count under. It is safe for concurrent use.
type Places struct {
	all  int
	most func(key string) int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

// NewPlaces returns all places, of which each key can take most(key).
func NewPlaces(all int, most func(key string) int) *Places {
	return &Places{all: all, most: most, by: map[string]int{}}
}

// Take takes one of the places, if there is one for each of the keys. Whoever takes one
// frees it with the same keys.
func (p *Places) Take(keys ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || slices.ContainsFunc(keys, func(k string) bool { return p.by[k] >= p.most(k) }) {
		return false
	}
	p.taken++
	for _, k := range keys {
		p.by[k]++
	}
	return true
}

// Free gives back a place.
func (p *Places) Free(keys ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	for _, k := range keys {
		if p.by[k]--; p.by[k] == 0 {
			delete(p.by, k)
		}
	}
}
