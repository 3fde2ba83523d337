package social

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"hearth/app/core"
	"hearth/app/match"
	"hearth/store"
)

const (
	maxCompared = 5000 // active intents, the newest
	maxAgreeing = 500  // of those that agree, the best, the writer checks which are eligible
	maxOfOwner  = 8    // of an account are considered
	// maxMatches is for one publication. maxMatchesWith is for the intents of one account: it could otherwise fill a
	// person's list by publishing again and again.
	maxMatches     = 10
	maxMatchesWith = 5
)

// pool has the active intents prepared for comparison. What matching reads of an intent never changes.
type pool struct {
	mu      sync.Mutex // held while an intent is compared with all others and then published: one after another
	intents map[int64]*prepared
	model   string // of the vectors
}

type prepared struct {
	*match.Prepared
	vectors *match.Vectors // nil without
}

// found has the intents that agree with one, the best first, and the vectors to store of that one.
type found struct {
	agree   []candidate
	vectors *match.Vectors
	model   string
}

type candidate struct {
	store.ActiveIntent
	result match.Result
}

func (c *candidate) score() int { return int(math.Round(c.result.Score * 100)) }

// publishing compares an intent that is to be active with all that are, and calls write with what agrees. write
// publishes it. Of two that are published at once the second is compared with the first.
func (s *Service) publishing(ctx context.Context, i *store.Intent, write func(*found) error) error {
	if i.Status != "active" {
		return write(nil)
	}
	vectors, model := s.askVectors(ctx, i)
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	f, err := s.find(ctx, i, vectors, model)
	if err != nil {
		return err
	}
	return write(f)
}

// find compares an intent with all active ones of other accounts. The caller holds s.pool.mu.
func (s *Service) find(ctx context.Context, i *store.Intent, vectors *match.Vectors, model string) (f *found, err error) {
	all, err := store.Get(ctx, s.DB, s.load)
	if err != nil {
		return nil, err
	}
	own := s.pool.intents[i.Seq]
	if own == nil || vectors != nil {
		own = &prepared{prepare(i), vectors}
	}
	all = slices.DeleteFunc(all, func(a store.ActiveIntent) bool { return a.OwnerID == i.OwnerID })
	agree := s.compare(own, all)
	return &found{agree[:min(len(agree), maxAgreeing)], vectors, model}, nil
}

// load returns the active intents, and prepares intents that are not prepared yet, or all if the model changed.
func (s *Service) load(r *store.Reader) ([]store.ActiveIntent, error) {
	all, err := r.AllActiveIntents(maxCompared)
	if err != nil {
		return nil, err
	}
	model, _ := s.model()
	had := s.pool.intents
	if model != s.pool.model {
		had = nil
	}
	s.pool.intents, s.pool.model = make(map[int64]*prepared, len(all)), model
	for _, a := range all {
		p := had[a.Seq]
		if p == nil {
			i, err := r.IntentBySeq(a.Seq)
			if err != nil {
				return nil, err
			}
			vectors, err := vectorsOf(r, a.Seq, model)
			if err != nil {
				return nil, err
			}
			p = &prepared{prepare(&i), vectors}
		}
		s.pool.intents[a.Seq] = p
	}
	return all, nil
}

func vectorsOf(r *store.Reader, seq int64, model string) (*match.Vectors, error) {
	if model == "" {
		return nil, nil
	}
	encoded, err := r.Vectors(seq, model)
	if v, ok := match.DecodeVectors(encoded); ok && err == nil {
		return &v, nil
	}
	return nil, err
}

// Prepare prepares the active intents, so that the first publication does not wait for it.
func (s *Service) Prepare(ctx context.Context) error {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.DB.ReadLong(ctx, func(r *store.Reader) error {
		_, err := s.load(r)
		return err
	})
}

// compare returns those that agree with an intent, the best first. It uses all processors.
func (s *Service) compare(own *prepared, all []store.ActiveIntent) (agree []candidate) {
	_, scale := s.model()
	results := make([]match.Result, len(all))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(all)); n = next.Add(1) - 1 {
				results[n] = own.with(s.pool.intents[all[n].Seq], scale)
			}
		})
	}
	wg.Wait()
	for n, r := range results {
		if r.Type != match.None {
			agree = append(agree, candidate{all[n], r})
		}
	}
	sort.SliceStable(agree, func(i, j int) bool { return agree[i].result.Score > agree[j].result.Score })
	return agree
}

func (p *prepared) with(o *prepared, scale match.Scale) match.Result {
	var e match.Evidence
	if p.vectors != nil && o.vectors != nil {
		e = scale.Evidence(p.vectors, o.vectors)
	}
	return match.CompareWith(p.Prepared, o.Prepared, e)
}

// decide matches an intent that is published with those that agree with it and are eligible now.
func decide(tx *store.Tx, i *store.Intent, f *found) error {
	if f == nil {
		return nil
	}
	if f.vectors != nil {
		if err := tx.PutVectors(i.Seq, f.model, f.vectors.Encode()); err != nil {
			return err
		}
	}
	eligible, err := tx.EligibleOf(i.Seq, core.Map(f.agree, func(c candidate) int64 { return c.Seq }))
	if err != nil {
		return err
	}
	var agree []candidate
	of := map[string]int{}
	for _, c := range f.agree {
		if slices.Contains(eligible, c.Seq) && of[c.OwnerID] < maxOfOwner {
			of[c.OwnerID]++
			agree = append(agree, c)
		}
	}
	return introduce(tx, i, agree)
}

func introduce(tx *store.Tx, i *store.Intent, candidates []candidate) error {
	own, err := tx.BestScore(i.Seq)
	if err != nil {
		return err
	}
	made := 0
	for _, c := range candidates {
		first, had := made == 0 && c.score() >= own, 0
		if first && !c.result.Introduces(false, 0) {
			if had, err = tx.BestScore(c.Seq); err != nil {
				return err
			}
		}
		if !c.result.Introduces(first, float64(had)/100) {
			if !first {
				break
			}
			continue // it prefers another
		}
		id, err := pair(tx, i, &c)
		if err != nil {
			return err
		}
		if id != "" {
			if err := matchChanged(tx, id, i.OwnerID, c.OwnerID); err != nil {
				return err
			}
			if made++; made == maxMatches {
				break
			}
		}
	}
	return nil
}

// pair returns "" if one of the two has enough matches with the other's account.
func pair(tx *store.Tx, i *store.Intent, c *candidate) (id string, err error) {
	other := &store.Intent{Seq: c.Seq, OwnerID: c.OwnerID}
	for _, side := range [2][2]*store.Intent{{i, other}, {other, i}} {
		if n, err := tx.MatchesWith(side[0].Seq, side[1].OwnerID); err != nil || n >= maxMatchesWith {
			return "", err
		}
	}
	return tx.InsertMatch(i, other, c.result.Type.String(), c.score())
}

func prepare(i *store.Intent) *match.Prepared { return match.PrepareIntent(publicOf(i)) }

func publicOf(i *store.Intent) match.Intent {
	return match.Intent{
		Kind: i.Kind, Terms: i.Terms, Goal: i.Goal, Seeks: i.Seeks, Brings: i.Brings,
		Mode: i.MatchingMode, OpenToCollaborators: i.Collaborators,
	}
}
