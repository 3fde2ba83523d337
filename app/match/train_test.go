package match

import (
	"cmp"
	"fmt"
	"maps"
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

const folds = 5

// BenchmarkCrossValidation prints the measures that a model has on groups that it
// was not fitted to.
func BenchmarkCrossValidation(b *testing.B) {
	sets := trainingSets(b)
	for b.Loop() {
		crossValidate(b, sets)
	}
}

func crossValidate(b *testing.B, sets []training) {
	fold := make([]map[string]int, len(sets))
	all := make([][]example, len(sets))
	for i, l := range sets {
		fold[i], all[i] = l.folds(), l.examples()
	}
	kept := model
	defer func() { model = kept }()
	sums := make([]Evaluation, len(sets))
	for f := range folds {
		var rest []example
		for i := range sets {
			for _, e := range all[i] {
				if fold[i][e.a] != f && fold[i][e.b] != f {
					rest = append(rest, e)
				}
			}
		}
		model = fit(rest)
		for i, l := range sets {
			e := l.measure(l.publish(), func(id string) bool { return fold[i][id] == f })
			sums[i].merge(e)
		}
	}
	var total Evaluation
	for i, e := range sums {
		b.Logf("set %d: %+v", i, e.All)
		total.merge(e)
	}
	b.ReportMetric(total.All.PrecisionAt1, "precision@1")
	b.ReportMetric(total.All.RecallAt5, "recall@5")
	b.ReportMetric(total.All.False, "false")
	for _, k := range slices.Sorted(maps.Keys(total.Kinds)) {
		b.Logf("%12s %+v", k, total.Kinds[k])
	}
}

// merge adds the figures of other queries.
func (e *Evaluation) merge(o Evaluation) {
	e.All.merge(o.All)
	if e.Kinds == nil {
		e.Kinds = map[string]Figures{}
	}
	for k, f := range o.Kinds {
		sum := e.Kinds[k]
		sum.merge(f)
		e.Kinds[k] = sum
	}
}

func (f *Figures) merge(o Figures) {
	mean := func(x float64, n int, y float64, m int) float64 {
		return (x*float64(n) + y*float64(m)) / float64(max(n+m, 1))
	}
	f.PrecisionAt1 = mean(f.PrecisionAt1, f.Queries, o.PrecisionAt1, o.Queries)
	f.RecallAt5 = mean(f.RecallAt5, f.Queries, o.RecallAt5, o.Queries)
	f.False = mean(f.False, f.Pairs, o.False, o.Pairs)
	f.Queries, f.Pairs = f.Queries+o.Queries, f.Pairs+o.Pairs
}

// folds divides the intents so that those of labelled pairs are together.
func (l *Labelled) folds() map[string]int {
	parent := map[string]string{}
	find := func(id string) string {
		for parent[id] != "" {
			id = parent[id]
		}
		return id
	}
	for _, p := range l.pairs {
		if a, b := find(p.A), find(p.B); a != b {
			parent[a] = b
		}
	}
	out := map[string]int{}
	for _, id := range l.ids {
		out[id] = int(HashForm(7, find(id)) % folds)
	}
	return out
}
