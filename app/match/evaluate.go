package match

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
)

// Labelled is a set of intents and of pairs of them that should or should not match.
type Labelled struct {
	ids     []string
	intents map[string]*Prepared
	pairs   []labelledPair
}

type labelledPair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Match bool   `json:"match"`
	Kind  string `json:"kind"`
}

// ReadLabelled reads a set from the files intents.jsonl and pairs.jsonl of a folder: a JSON object per line. An intent
// has id, kind, terms, goal, seeks, brings, matchingMode and openToCollaborators. A pair has the ids a and b, match, and
// kind, which is the difficulty.
func ReadLabelled(folder fs.FS) (*Labelled, error) {
	type labelledIntent struct {
		ID, MatchingMode string
		Intent
	}
	intents, err := readObjects[labelledIntent](folder, "intents.jsonl")
	if err != nil {
		return nil, err
	}
	l := &Labelled{intents: map[string]*Prepared{}}
	for _, in := range intents {
		if in.ID == "" || l.intents[in.ID] != nil {
			return nil, fmt.Errorf("intents.jsonl: the id %q is empty or used twice", in.ID)
		}
		in.Mode = in.MatchingMode
		l.ids = append(l.ids, in.ID)
		l.intents[in.ID] = PrepareIntent(in.Intent)
	}
	l.pairs, err = readObjects[labelledPair](folder, "pairs.jsonl")
	for _, p := range l.pairs {
		if l.intents[p.A] == nil || l.intents[p.B] == nil {
			return nil, fmt.Errorf("pairs.jsonl: no such intents as %q and %q", p.A, p.B)
		}
	}
	return l, err
}

func readObjects[T any](folder fs.FS, name string) (out []T, err error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for dec := json.NewDecoder(f); dec.More(); {
		var v T
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("%s, object %d: %w", name, len(out)+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// Figures are the measures of some queries. A query is an intent with at least
// one true pair; all others of the set are its candidates.
type Figures struct {
	Queries      int
	PrecisionAt1 float64 // share of queries whose best match is a true one
	RecallAt5    float64 // mean share of the true ones among the best five
	Pairs        int     // hard negatives
	False        float64 // share of them that match
}

// Evaluation is the measures of a set, over all and by kind of difficulty.
type Evaluation struct {
	Intents int
	All     Figures
	Kinds   map[string]*Figures
}

// Evaluate measures matching on a set: the intents are published in their order,
// and the matches that are made are measured.
func (l *Labelled) Evaluate() Evaluation {
	e := Evaluation{Intents: len(l.ids), Kinds: map[string]*Figures{}}
	made := l.publish()
	truth := map[string]map[string]string{} // kind of the true pairs of an intent
	for _, id := range l.ids {
		truth[id] = map[string]string{}
	}
	for _, p := range l.pairs {
		if p.Match {
			truth[p.A][p.B], truth[p.B][p.A] = p.Kind, p.Kind
			continue
		}
		for _, f := range e.of(p.Kind) {
			f.Pairs++
			if made[p.A][p.B] > 0 {
				f.False++
			}
		}
	}
	for _, id := range l.ids {
		if len(truth[id]) == 0 {
			continue
		}
		first, recall := measure(ranking(made[id]), truth[id])
		for _, f := range e.of(slices.Collect(maps.Values(truth[id]))...) {
			f.Queries++
			f.PrecisionAt1 += first
			f.RecallAt5 += recall
		}
	}
	for _, f := range e.of(slices.Collect(maps.Keys(e.Kinds))...) {
		f.PrecisionAt1 /= float64(max(f.Queries, 1))
		f.RecallAt5 /= float64(max(f.Queries, 1))
		f.False /= float64(max(f.Pairs, 1))
	}
	return e
}

// measure returns whether the best of the ranked matches is a true one, and which
// share of the true ones is among the best five.
func measure(ranked []string, truth map[string]string) (first, recall float64) {
	for i, other := range ranked[:min(5, len(ranked))] {
		if truth[other] == "" {
			continue
		}
		recall += 1 / float64(min(len(truth), 5))
		if i == 0 {
			first = 1
		}
	}
	return first, recall
}

// of returns the figures over all and of some kinds.
func (e *Evaluation) of(kinds ...string) []*Figures {
	out := []*Figures{&e.All}
	slices.Sort(kinds)
	for _, k := range slices.Compact(kinds) {
		if e.Kinds[k] == nil {
			e.Kinds[k] = &Figures{}
		}
		out = append(out, e.Kinds[k])
	}
	return out
}

// publish publishes the intents one after another, as people do, and returns the
// scores of the matches that are made, by both intents.
func (l *Labelled) publish() map[string]map[string]float64 {
	made := map[string]map[string]float64{}
	for n, id := range l.ids {
		scores, results := map[string]float64{}, map[string]Result{}
		for _, other := range l.ids[:n] {
			if r := Compare(l.intents[id], l.intents[other]); r.Type != None {
				scores[other], results[other] = r.Score, r
			}
		}
		made[id] = map[string]float64{}
		for _, other := range ranking(scores) {
			if r := results[other]; r.Introduces(len(made[id]) == 0, best(made[other])) {
				made[id][other], made[other][id] = r.Score, r.Score
			}
		}
	}
	return made
}

// best returns the highest of scores, 0 without any.
func best(scores map[string]float64) (most float64) {
	for _, s := range scores {
		most = max(most, s)
	}
	return most
}

// ranking returns the ids of scores, the best first.
func ranking(scores map[string]float64) []string {
	ids := slices.Sorted(maps.Keys(scores))
	sort.SliceStable(ids, func(i, j int) bool { return scores[ids[i]] > scores[ids[j]] })
	return ids
}
