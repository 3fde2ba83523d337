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
	// maxCandidates bounds the intents compared with a new one, comparedAtOnce a first batch. maxOfOwner of an
	// account come before the other accounts' intents. maxNewer bounds those published meanwhile.
	maxCandidates  = 200
	comparedAtOnce = 40
	maxOfOwner     = 8
	maxNewer       = 40
	readAtOnce     = 192 << 10 // bytes of candidates read at once, which bounds a batch's memory
	// maxWork and maxNewerWork bound the comparisons outside and inside the writer, in the unit of
	// match.Prepared.Work.
	maxWork      = 2_000_000
	maxNewerWork = 100_000
	// maxMatches is for one publication. maxMatchesWith is for the intents of one account: it could otherwise fill a
	// person's list by publishing again and again.
	maxMatches     = 10
	maxMatchesWith = 5
)

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
	intent store.Intent // only its Seq and OwnerID
	result match.Result
	had    int // the best score of the intent's matches so far
}

type effort struct {
	work  int  // left for comparisons
	alone bool // comparisons use one processor
}

func (c *candidate) score() int { return int(math.Round(c.result.Score * 100)) }

func (f *found) keys() []store.IntentKey {
	if f == nil {
		return nil
	}
	return f.own
}

func (s *Service) find(ctx context.Context, i *store.Intent) (*found, error) {
	return s.findWithin(ctx, i, &effort{work: maxWork})
}

func (s *Service) findWithin(ctx context.Context, i *store.Intent, e *effort) (*found, error) {
	if i.Status != "active" {
		return nil, nil
	}
	f, err := s.compareAll(ctx, i, e)
	if err != nil {
		return nil, err
	}
	// Read before the write, which then asks for few candidates.
	return f, s.DB.Read(ctx, func(r *store.Reader) (err error) {
		for n := range f.best {
			if c := &f.best[n]; err == nil && !c.sure() {
				c.had, err = r.BestScore(c.intent.Seq)
			}
		}
		return err
	})
}

func (c *candidate) sure() bool { return c.result.Introduces(false, 0) }

func (s *Service) compareAll(ctx context.Context, i *store.Intent, e *effort) (*found, error) {
	f := newFound(i)
	c := &candidates{query: store.CandidateQuery{Intent: i, Keys: f.ask, Limit: comparedAtOnce}, of: map[string]int{}, more: true}
	var others []store.Candidate
	err := s.DB.Read(ctx, func(r *store.Reader) (err error) {
		if f.until, err = r.LastListed(); err == nil {
			others, err = c.next(r)
		}
		return err
	})
	for n := 0; err == nil && len(others) > 0; {
		n += len(others)
		more, failed := s.compareNext(ctx, f, others, e)
		if failed != nil || n >= maxCandidates || e.work <= 0 || !more && !c.turn() {
			return f, failed
		}
		err = s.DB.Read(ctx, func(r *store.Reader) (err error) {
			others, err = c.next(r)
			return err
		})
	}
	return f, err
}

type candidates struct {
	query store.CandidateQuery
	queue []int64           // may be eligible
	of    map[string]int    // number returned or in later, by account
	later []store.Candidate // of accounts with more than are compared first
	read  int
	more  bool // after the queue

	turned bool // to later
}

func (c *candidates) next(r *store.Reader) (out []store.Candidate, err error) {
	for len(out) == 0 && (len(c.queue) > 0 || c.more) {
		if len(c.queue) == 0 {
			if c.queue, c.more, err = r.Candidates(c.query, c.read); err != nil {
				return nil, err
			}
			c.read += len(c.queue)
			continue
		}
		found, err := r.EligibleOf(c.query, c.queue)
		if err != nil {
			return nil, err
		}
		if len(found) < c.query.Limit {
			c.queue = nil
		} else {
			c.queue = c.queue[slices.Index(c.queue, found[len(found)-1].Seq)+1:]
		}
		for _, o := range found {
			if c.of[o.OwnerID]++; c.of[o.OwnerID] <= maxOfOwner {
				out = append(out, o)
			} else if len(c.later) < maxCandidates {
				c.later = append(c.later, o)
			}
		}
	}
	if len(out) == 0 {
		c.turned = true
		n := min(len(c.later), c.query.Limit)
		out, c.later = c.later[:n], c.later[n:]
	}
	return out, nil
}

// turn moves on to later and drops the rest of the queue. It returns false if it has done so, or later is empty.
func (c *candidates) turn() bool {
	if c.turned || len(c.later) == 0 {
		return false
	}
	c.turned, c.queue, c.more = true, nil, false
	return true
}

// more reports whether the following candidates may be better than the best so far. Keys do not show what keeps two
// intents apart.
func (s *Service) compareNext(ctx context.Context, f *found, others []store.Candidate, e *effort) (more bool, err error) {
	var agree []candidate
	apart := 0.0
	for len(others) > 0 && e.work > 0 {
		part := firstPart(others)
		others = others[len(part):]
		some, near, err := s.comparePart(ctx, f, part, e)
		if err != nil {
			return false, err
		}
		agree, apart = append(agree, some...), max(apart, near)
	}
	agree = ordered(agree)
	if len(agree) > 0 {
		apart = max(apart, agree[0].result.Score)
	}
	more = !f.compared || apart > 0 && (len(f.best) < maxMatches || apart > f.best[maxMatches-1].result.Score)
	f.best, f.compared = ordered(append(f.best, agree...)), true
	return more, nil
}

func (s *Service) comparePart(ctx context.Context, f *found, part []store.Candidate, e *effort) (agree []candidate, apart float64, err error) {
	var others []store.Intent
	err = s.DB.Read(ctx, func(r *store.Reader) (err error) {
		others, err = r.ToCompare(part, match.Decodes)
		return err
	})
	agree, apart = compare(f.prepared, others, e)
	return agree, apart, err
}

func firstPart(all []store.Candidate) []store.Candidate {
	n, size := 0, 0
	for n < len(all) && (n == 0 || size+all[n].Size <= readAtOnce) {
		size += all[n].Size
		n++
	}
	return all[:n]
}

func newFound(i *store.Intent) *found {
	f := &found{prepared: prepare(i)}
	f.own, f.ask = keysOf(f.prepared)
	f.encoded = f.prepared.Encode()
	i.Prepared = f.encoded
	return f
}

func compare(p *match.Prepared, others []store.Intent, e *effort) (out []candidate, apart float64) {
	prepared := make([]*match.Prepared, len(others))
	e.each(len(others), func(i int) { prepared[i] = preparedOf(&others[i]) })
	n := 0
	for ; n < len(others) && e.work > 0; n++ {
		e.work -= p.Work(prepared[n])
	}
	results, kept := make([]match.Result, n), make([]float64, n)
	e.each(n, func(i int) { results[i], kept[i] = match.CompareApart(p, prepared[i]) })
	for i, result := range results {
		if apart = max(apart, kept[i]); result.Type != match.None {
			out = append(out, candidate{intent: store.Intent{Seq: others[i].Seq, OwnerID: others[i].OwnerID}, result: result})
		}
	}
	return ordered(out), apart
}

func (e *effort) each(n int, f func(int)) {
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
	var wg sync.WaitGroup
	if !e.alone {
		for range min(n/8, runtime.GOMAXPROCS(0)-1) {
			wg.Go(work)
		}
	}
	work()
	wg.Wait()
}

func ordered(all []candidate) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.result.Score, a.result.Score) })
	return all
}

// Candidates are checked again for eligibility at the time of the write.
func decide(tx *store.Tx, i *store.Intent, f *found) error {
	if f == nil {
		return nil
	}
	chosen, err := tx.NewerCandidates(store.CandidateQuery{Intent: i, Keys: f.ask, Limit: maxNewer}, f.until)
	if err != nil {
		return err
	}
	newer, err := tx.ToCompare(firstPart(chosen), match.Decodes)
	if err != nil {
		return err
	}
	agree, _ := compare(f.prepared, newer, &effort{work: maxNewerWork})
	return introduce(tx, i, ordered(append(agree, f.best...)), maxMatches)
}

func introduce(tx *store.Tx, i *store.Intent, candidates []candidate, most int) error {
	own, err := tx.BestScore(i.Seq)
	if err != nil {
		return err
	}
	made, again := 0, most
	for _, c := range candidates {
		first := made == 0 && c.score() >= own
		had := c.had
		if prefers := !c.result.Introduces(true, float64(had)/100); first && !c.sure() && (!prefers || again > 0) {
			if prefers {
				again-- // it may have ended since
			}
			if had, err = tx.BestScore(c.intent.Seq); err != nil {
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
			if err := matchChanged(tx, id, i.OwnerID, c.intent.OwnerID); err != nil {
				return err
			}
			if made++; made == most {
				break
			}
		}
	}
	return nil
}

// pair returns "" if the two are not eligible any more or were matched before. It also does so if one has enough
// matches with the other's account.
func pair(tx *store.Tx, i *store.Intent, c *candidate) (id string, err error) {
	ok, err := tx.Eligible(i.Seq, c.intent.Seq)
	if err != nil || !ok {
		return "", err
	}
	for _, side := range [2][2]*store.Intent{{i, &c.intent}, {&c.intent, i}} {
		if n, err := tx.MatchesWith(side[0].Seq, side[1].OwnerID); err != nil || n >= maxMatchesWith {
			return "", err
		}
	}
	return tx.InsertMatch(i, &c.intent, typeNames[c.result.Type], c.score())
}

var typeNames = map[match.Type]string{match.Complementary: "complementary", match.Reciprocal: "reciprocal", match.SharedGoal: "shared_goal"}

// An intent's seeks are looked up in the brings of others.
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

// A prepared form that an earlier version stored is not used.
func preparedOf(i *store.Intent) *match.Prepared {
	if p, ok := match.Decode(i.Prepared); ok {
		return p
	}
	return prepare(i)
}

func prepare(i *store.Intent) *match.Prepared { return match.PrepareIntent(publicOf(i)) }

func publicOf(i *store.Intent) match.Intent {
	return match.Intent{
		Kind: i.Kind, Terms: i.Terms, Goal: i.Goal, Seeks: i.Seeks, Brings: i.Brings, Mode: i.MatchingMode, OpenToCollaborators: i.Collaborators,
	}
}
