package social

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"hearth/app/match"
	"hearth/store"
)

const (
	// maxCandidates is how many intents are compared with a new one at most,
	// comparedAtOnce of them before it is seen whether more may be better, and
	// maxNewer how many of those that were published meanwhile.
	maxCandidates  = 200
	comparedAtOnce = 40
	maxNewer       = 40
	// maxMatches is how many matches the publication of an intent makes: the best.
	maxMatches = 10
)

// found is what the search for matches of an intent found outside the writer.
type found struct {
	prepared *match.Prepared
	encoded  []byte
	own      []store.IntentKey // by which the intent is found
	ask      []store.IntentKey // by which others are found for it
	best     []candidate
	compared bool       // with the first candidates
	until    store.Time // intents listed later are not among them
}

type candidate struct {
	intent store.Intent
	result match.Result
}

func (f *found) keys() []store.IntentKey {
	if f == nil {
		return nil
	}
	return f.own
}

// find compares i with the intents of others. It returns nil for one that is not
// to be matched.
func (s *Service) find(ctx context.Context, i *store.Intent) (*found, error) {
	if i.Status != "active" {
		return nil, nil
	}
	f := newFound(i)
	var chosen []int64
	var others []store.Intent
	q := store.CandidateQuery{Intent: i, Keys: f.ask, Limit: comparedAtOnce}
	err := s.DB.Snapshot(ctx, func(r *store.Reader) (err error) {
		if f.until, err = r.LastListed(); err == nil {
			chosen, err = r.Candidates(q)
		}
		if err == nil {
			others, err = r.EligibleOf(q, chosen)
		}
		return err
	})
	for n := comparedAtOnce; err == nil && f.compareNext(others); n += comparedAtOnce {
		if len(others) < comparedAtOnce || n >= maxCandidates {
			break
		}
		chosen = chosen[slices.Index(chosen, others[len(others)-1].Seq)+1:]
		err = s.DB.Read(ctx, func(r *store.Reader) (err error) {
			others, err = r.EligibleOf(q, chosen)
			return err
		})
	}
	return f, err
}

// compareNext compares the intent with the next of its candidates. It reports whether those
// after them, which agree less in their keys, may be better than the best so far.
func (f *found) compareNext(others []store.Intent) (more bool) {
	first := !f.compared
	agree := compare(f.prepared, others)
	more = first || len(agree) > 0 && (len(f.best) < maxMatches || agree[0].result.Score > f.best[maxMatches-1].result.Score)
	f.best, f.compared = ordered(append(f.best, agree...)), true
	return more
}

// newFound returns what is found of i before any other intent is read. It sets
// i.Prepared.
func newFound(i *store.Intent) *found {
	f := &found{prepared: prepare(i)}
	f.own, f.ask = keysOf(f.prepared)
	f.encoded = f.prepared.Encode()
	i.Prepared = f.encoded
	return f
}

// compare returns those of others that agree with p, the best first. It uses all
// processors for many.
func compare(p *match.Prepared, others []store.Intent) (out []candidate) {
	results := make([]match.Result, len(others))
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(others)); i = next.Add(1) - 1 {
			results[i] = match.Compare(p, preparedOf(&others[i]))
		}
	}
	var wg sync.WaitGroup
	for range min(len(others)/8, runtime.GOMAXPROCS(0)-1) {
		wg.Go(work)
	}
	work()
	wg.Wait()
	for i, result := range results {
		if result.Type != match.None {
			out = append(out, candidate{others[i], result})
		}
	}
	return ordered(out)
}

// ordered sorts candidates, the best first.
func ordered(all []candidate) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.result.Score, a.result.Score) })
	return all
}

// decide matches i, which is listed, with the best that f found and those that
// were listed since, as far as they are eligible at this moment.
func decide(tx *store.Tx, i *store.Intent, f *found) error {
	if f == nil {
		return nil
	}
	newer, err := tx.NewerCandidates(store.CandidateQuery{Intent: i, Keys: f.ask, Limit: maxNewer}, f.until)
	if err != nil {
		return err
	}
	return introduce(tx, i, ordered(append(compare(f.prepared, newer), f.best...)), true, maxMatches)
}

// introduce matches i with up to most of the candidates, the best of which come
// first, as far as they are eligible at this moment and agree well enough. best is
// whether the first is the best of all that i was compared with.
func introduce(tx *store.Tx, i *store.Intent, candidates []candidate, best bool, most int) (err error) {
	made := 0
	for n, c := range candidates {
		if made == most {
			break
		}
		had, first := 0, best && n == 0
		if first {
			if had, err = tx.BestScore(c.intent.Seq); err != nil {
				return err
			}
		}
		if !c.result.Introduces(first, float64(had)/100) {
			break
		}
		id, err := pair(tx, i, &c)
		if err != nil {
			return err
		}
		if id != "" {
			made++
			if err := matchChanged(tx, id, i.OwnerID, c.intent.OwnerID); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair matches two intents. It returns "" if they are not eligible any more, or
// were matched before.
func pair(tx *store.Tx, i *store.Intent, c *candidate) (id string, err error) {
	ok, err := tx.Eligible(i.Seq, c.intent.Seq)
	if err != nil || !ok {
		return "", err
	}
	return tx.InsertMatch(i, &c.intent, typeNames[c.result.Type], int(math.Round(c.result.Score*100)))
}

var typeNames = map[match.Type]string{match.Complementary: "complementary", match.Reciprocal: "reciprocal", match.SharedGoal: "shared_goal"}

// keysOf returns the keys by which an intent is found, and those by which others
// are found for it: what it seeks is looked for in what they bring.
func keysOf(p *match.Prepared) (own, ask []store.IntentKey) {
	opposite := map[match.Side]match.Side{match.Seek: match.Bring, match.Bring: match.Seek, match.Goal: match.Goal}
	for _, k := range p.Keys() {
		own = append(own, store.IntentKey{Key: int64(k.Side)<<32 | int64(k.Hash), Weight: int(k.Weight)})
		ask = append(ask, store.IntentKey{Key: int64(opposite[k.Side])<<32 | int64(k.Hash), Weight: int(k.Weight)})
	}
	return own, ask
}

// KeysOf returns the keys by which an intent is found, and sets i.Prepared.
func KeysOf(i *store.Intent) []store.IntentKey {
	p := prepare(i)
	own, _ := keysOf(p)
	i.Prepared = p.Encode()
	return own
}

// preparedOf returns an intent that was read, prepared for comparison. What an
// earlier version of the program stored of it is not read.
func preparedOf(i *store.Intent) *match.Prepared {
	if p, ok := match.Decode(i.Prepared); ok {
		return p
	}
	return prepare(i)
}

func prepare(i *store.Intent) *match.Prepared { return match.PrepareIntent(publicOf(i)) }

// publicOf returns what matching sees of an intent.
func publicOf(i *store.Intent) match.Intent {
	return match.Intent{
		Kind: i.Kind, Terms: i.Terms, Goal: i.Goal, Seeks: i.Seeks, Brings: i.Brings, Mode: i.MatchingMode, OpenToCollaborators: i.Collaborators,
	}
}
