package social_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/match"
	"hearth/app/social"
	"hearth/store"
)

// labelledPairs returns the kinds and terms of pairs of labelled asks and offers,
// which belong together or only look alike.
func labelledPairs(t *testing.T) (pairs [][2]match.Intent) {
	t.Helper()
	byID := map[string]match.Intent{}
	eachLine(t, "intents.jsonl", func(line []byte) error {
		var in struct {
			ID, Kind, Terms string
			Seeks, Brings   []string
		}
		err := json.Unmarshal(line, &in, json.MatchCaseInsensitiveNames(true))
		if len(in.Seeks)+len(in.Brings) == 0 {
			byID[in.ID] = match.Intent{Kind: in.Kind, Terms: in.Terms}
		}
		return err
	})
	eachLine(t, "pairs.jsonl", func(line []byte) error {
		var p struct{ A, B string }
		err := json.Unmarshal(line, &p, json.MatchCaseInsensitiveNames(true))
		if a, b := byID[p.A], byID[p.B]; a.Terms != "" && b.Terms != "" {
			pairs = append(pairs, [2]match.Intent{a, b})
		}
		return err
	})
	return pairs
}

func eachLine(t *testing.T, name string, use func(line []byte) error) {
	t.Helper()
	f, err := os.Open("../../testdata/matching/develop/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if err := use(s.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
}

// published is an intent of a random world.
type published struct {
	prepared *match.Prepared
	had      float64 // the best score of its matches
}

// In random worlds the matches that are made are those that the comparison of all
// intents would make.
func TestRandomWorlds(t *testing.T) {
	pairs := labelledPairs(t)
	rng := rand.New(rand.NewPCG(11, 12))
	made := 0
	for range 3 {
		w := newWorld(t)
		var all []*published
		owner := map[string]*published{} // by the id of a match
		var intents []match.Intent
		for _, n := range rng.Perm(len(pairs))[:18] {
			intents = append(intents, pairs[n][0], pairs[n][1])
		}
		rng.Shuffle(len(intents), func(i, j int) { intents[i], intents[j] = intents[j], intents[i] })
		for n, in := range intents {
			u := w.person(fmt.Sprint("p", n))
			w.intent(u, in.Kind, in.Terms)
			one := &published{prepared: match.PrepareIntent(in)}
			got := w.matches(u)
			made += len(got)
			w.expectBest(one, all, got, in.Terms)
			for _, m := range got {
				owner[m.ID] = one
				one.had = max(one.had, m.Score)
			}
			all = append(all, one)
			w.noteMatches(all, owner, n)
		}
	}
	if made < 20 {
		t.Errorf("%d matches", made)
	}
}

// noteMatches notes the scores of the matches that everybody has.
func (w *world) noteMatches(all []*published, owner map[string]*published, last int) {
	w.Helper()
	for n := range last {
		var u store.User
		err := w.db.Read(w.ctx, func(r *store.Reader) (err error) {
			u, err = r.UserByEmail(fmt.Sprintf("p%d@example.org", n))
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		for _, m := range w.matches(u) {
			if owner[m.ID] != nil {
				all[n].had = max(all[n].had, m.Score)
			}
		}
	}
}

// expectBest checks the matches of a new intent by comparing it with all others.
func (w *world) expectBest(one *published, all []*published, got []social.AgentMatch, terms string) {
	w.Helper()
	var scores []float64
	best := 0.0 // of those that are not sure, whose other side has none that is better
	for _, o := range all {
		if r := match.Compare(one.prepared, o.prepared); r.Type != match.None {
			switch {
			case r.Introduces(false, 0):
				scores = append(scores, r.Score)
			case r.Score >= o.had:
				best = max(best, r.Score)
			}
		}
	}
	var have []float64
	for _, m := range got {
		have = append(have, m.Score)
	}
	slices.Sort(have)
	slices.Sort(scores)
	if len(scores) == 0 && best > 0 {
		scores = []float64{best}
	}
	if !slices.Equal(have, scores) {
		w.Errorf("%q has matches of %v, want %v", terms, have, scores)
	}
}
