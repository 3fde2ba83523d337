package match

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Labelled is a set of intents and of pairs of them that should or should not
// match.
type Labelled struct {
	ids     []string
	intents map[string]*Prepared
	raw     map[string]Intent
	pairs   []labelledPair
}

type labelledPair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Match bool   `json:"match"`
	Kind  string `json:"kind"`
}

// ReadLabelled reads a set: a JSON object per line, for an intent with id, kind,
// terms, goal, seeks, brings, matchingMode and openToCollaborators, for a pair
// with the ids a and b, match, and kind, which is the difficulty.
func ReadLabelled(intents, pairs io.Reader) (*Labelled, error) {
	l := &Labelled{intents: map[string]*Prepared{}, raw: map[string]Intent{}}
	err := eachObject(intents, func(line []byte) error {
		var in struct {
			ID, Kind, Terms, Goal, MatchingMode string
			Seeks, Brings                       []string
			OpenToCollaborators                 bool
		}
		if err := json.Unmarshal(line, &in); err != nil {
			return err
		}
		if in.ID == "" || l.intents[in.ID] != nil {
			return fmt.Errorf("intent id %q is empty or used twice", in.ID)
		}
		raw := Intent{
			Kind: in.Kind, Terms: in.Terms, Goal: in.Goal, Seeks: in.Seeks, Brings: in.Brings,
			Mode: in.MatchingMode, OpenToCollaborators: in.OpenToCollaborators,
		}
		l.ids = append(l.ids, in.ID)
		l.raw[in.ID] = raw
		l.intents[in.ID] = PrepareIntent(raw)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("intents: %w", err)
	}
	err = eachObject(pairs, func(line []byte) error {
		var p labelledPair
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		if l.intents[p.A] == nil || l.intents[p.B] == nil {
			return fmt.Errorf("pair %q and %q: no such intent", p.A, p.B)
		}
		l.pairs = append(l.pairs, p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("pairs: %w", err)
	}
	return l, nil
}

func eachObject(r io.Reader, use func([]byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		if len(s.Bytes()) == 0 {
			continue
		}
		if err := use(s.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
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
	Kinds   map[string]Figures
}

// Evaluate measures matching on a set: the intents are published in their order,
// and the matches that are made are measured.
func (l *Labelled) Evaluate() Evaluation {
	return l.measure(l.publish(), func(string) bool { return true })
}

// measure measures the matches that were made of the intents that count.
func (l *Labelled) measure(made map[string]map[string]float64, counts func(id string) bool) Evaluation {
	e := Evaluation{Intents: len(l.ids), Kinds: map[string]Figures{}}
	truth := map[string]map[string]string{} // kind of the true pairs of an intent
	for _, p := range l.pairs {
		if p.Match {
			for _, q := range [][2]string{{p.A, p.B}, {p.B, p.A}} {
				if truth[q[0]] == nil {
					truth[q[0]] = map[string]string{}
				}
				truth[q[0]][q[1]] = p.Kind
			}
		}
	}
	for _, p := range l.pairs {
		if !p.Match && counts(p.A) {
			matched := 0.0
			if made[p.A][p.B] > 0 {
				matched = 1
			}
			e.count(p.Kind, func(f *Figures) {
				f.Pairs++
				f.False += matched
			})
		}
	}
	for _, id := range l.ids {
		if len(truth[id]) == 0 || !counts(id) {
			continue
		}
		ranked := ranking(made[id])
		first, found := 0.0, 0.0
		if len(ranked) > 0 && truth[id][ranked[0]] != "" {
			first = 1
		}
		for _, other := range ranked[:min(5, len(ranked))] {
			if truth[id][other] != "" {
				found++
			}
		}
		recall := found / float64(min(len(truth[id]), 5))
		kinds := map[string]bool{}
		for _, k := range truth[id] {
			kinds[k] = true
		}
		e.All.add(first, recall)
		for k := range kinds {
			f := e.Kinds[k]
			f.add(first, recall)
			e.Kinds[k] = f
		}
	}
	e.All.finish()
	for k, f := range e.Kinds {
		f.finish()
		e.Kinds[k] = f
	}
	return e
}

func (f *Figures) add(first, recall float64) {
	f.Queries++
	f.PrecisionAt1 += first
	f.RecallAt5 += recall
}

func (f *Figures) finish() {
	f.PrecisionAt1 /= float64(max(f.Queries, 1))
	f.RecallAt5 /= float64(max(f.Queries, 1))
	f.False /= float64(max(f.Pairs, 1))
}

func (e *Evaluation) count(kind string, add func(*Figures)) {
	add(&e.All)
	f := e.Kinds[kind]
	add(&f)
	e.Kinds[kind] = f
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
	return slices.SortedFunc(maps.Keys(scores), func(a, b string) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
}
