package match

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// training is a set that the model is fitted to.
type training struct {
	*Labelled
	weight float64 // of its examples
}

// trainingSets reads develop and testdata/matching/train*.txt: groups of asks, of
// offers that answer them and of offers that only look alike.
func trainingSets(t testing.TB) []training {
	t.Helper()
	files, err := filepath.Glob("../../testdata/matching/train*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no training sets", err)
	}
	out := []training{{labelledSet(t, "develop"), 1}}
	for _, file := range files {
		weight := 1.0
		if strings.HasPrefix(filepath.Base(file), "train-natural") {
			weight = natural
		}
		out = append(out, training{trainingSet(t, file), weight})
	}
	return out
}

func trainingSet(t testing.TB, file string) *Labelled {
	t.Helper()
	text, err := os.ReadFile(file)
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
		id := fmt.Sprintf("t%04d", len(l.ids))
		l.ids = append(l.ids, id)
		kind := "offer"
		if sign == "?" {
			kind, ask = "ask", id
		}
		l.intents[id] = PrepareIntent(Intent{Kind: kind, Terms: terms})
		switch sign {
		case "+", "-":
			l.pairs = append(l.pairs, labelledPair{A: ask, B: id, Match: sign == "+", Kind: "all"})
		case "?":
		default:
			t.Fatalf("%s: %q", file, line)
		}
	}
	// Published in an order that does not show the groups.
	slices.SortFunc(l.ids, func(a, b string) int { return cmp.Compare(HashForm(0, a), HashForm(0, b)) })
	return l
}

// The groups to which the model is not fitted can be read: each has an ask, offers
// that answer it and offers that only look alike, and no ask is there twice.
func TestGroups(t *testing.T) {
	files, err := filepath.Glob("../../testdata/matching/groups-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no groups", err)
	}
	asks := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for group := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
			signs := map[string]int{}
			ask := ""
			for line := range strings.Lines(group) {
				sign, terms, _ := strings.Cut(strings.TrimSpace(line), " ")
				if signs[sign]++; sign == "?" {
					ask = terms
				}
				if terms == "" || !strings.Contains("?+-", sign) {
					t.Errorf("%s: %q", file, line)
				}
			}
			if signs["?"] != 1 || signs["+"] == 0 || signs["-"] == 0 || asks[ask] {
				t.Errorf("%s: %q", file, group)
			}
			asks[ask] = true
		}
	}
}
