package main

import (
	"encoding/json"
	"os"
)

const gloveDims = 100

// glove has the words of GloVe, the most frequent first.
type glove struct {
	Words   []string
	Vectors map[string][]float32
	rank    map[string]int
}

func readGlove(file string) (*glove, error) {
	g := &glove{rank: map[string]int{}}
	if err := readJSON(file, g); err != nil {
		return nil, err
	}
	for i, w := range g.Words {
		g.rank[w] = i
	}
	for w, v := range g.Vectors {
		if g.rank[w] < rarest && len(v) >= gloveDims && isWord(w) {
			g.Vectors[w] = v[:gloveDims:gloveDims]
		} else {
			delete(g.Vectors, w)
		}
	}
	return g, nil
}

func readJSON(file string, value any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, value)
}

func isWord(w string) bool {
	for _, r := range w {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return len(w) > 1
}
