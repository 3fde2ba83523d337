package match

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// trainingSet reads testdata/matching/train.txt: groups of asks, of offers that
// answer them and of offers that only look alike.
func trainingSet(t testing.TB) *Labelled {
	t.Helper()
	text, err := os.ReadFile("../../testdata/matching/train.txt")
	if err != nil {
		t.Fatal(err)
	}
	l := &Labelled{intents: map[string]*Prepared{}}
	ask := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		sign, terms, _ := strings.Cut(line, " ")
		id := fmt.Sprintf("t%03d", len(l.ids))
		l.ids = append(l.ids, id)
		kind := "offer"
		if sign == "?" {
			kind, ask = "ask", id
		}
		l.intents[id] = PrepareIntent(Intent{Kind: kind, Terms: terms})
		switch sign {
		case "+", "-":
			l.pairs = append(l.pairs, labelledPair{A: ask, B: id, Match: sign == "+"})
		case "?":
		default:
			t.Fatalf("train.txt: %q", line)
		}
	}
	return l
}
