package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

const gloveDims = 100

// glove has the words of GloVe, the most frequent first.
type glove struct {
	words   []string
	vectors map[string][]float32
	rank    map[string]int
}

func readGlove(file string) (*glove, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g := &glove{vectors: map[string][]float32{}, rank: map[string]int{}}
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	if err := skipTo(dec, "words"); err != nil {
		return nil, err
	}
	if err := dec.Decode(&g.words); err != nil {
		return nil, err
	}
	for i, w := range g.words {
		g.rank[w] = i
	}
	if err := skipTo(dec, "vectors"); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var v []float32
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		word := name.(string)
		if g.rank[word] < 200_000 && len(v) >= gloveDims && isWord(word) {
			g.vectors[word] = v[:gloveDims:gloveDims]
		}
	}
	return g, nil
}

// skipTo reads up to the value of a key of the outermost object.
func skipTo(dec *json.Decoder, key string) error {
	for {
		t, err := dec.Token()
		if err != nil {
			return fmt.Errorf("no %q: %w", key, err)
		}
		if t == key {
			return nil
		}
	}
}

func isWord(w string) bool {
	for _, r := range w {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return len(w) > 1
}
