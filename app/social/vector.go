package social

import (
	"context"
	"time"

	"hearth/app/match"
	"hearth/store"
)

// Embedder computes vectors of texts; see package embed.
type Embedder interface {
	// Model returns the model and the scale of its vectors, or "" while it is not known.
	Model() (id string, scale match.Scale)
	// Measure makes the model known, if the service responds, and reports whether it is.
	Measure(ctx context.Context) bool
	// Failing reports whether the last request failed.
	Failing() bool
	Vectors(ctx context.Context, texts [3]string) (match.Vectors, error)
}

const (
	embedTime  = 2 * time.Second // that a publication waits
	maxFilled  = 5000            // intents by one run of the job
	maxFailing = 5               // requests in a row; the next run of the job tries again
)

func (s *Service) model() (id string, scale match.Scale) {
	if s.Embed == nil {
		return "", scale
	}
	return s.Embed.Model()
}

// askVectors returns the vectors of an intent, nil without. Nothing of an account that has paused its network is sent.
func (s *Service) askVectors(ctx context.Context, i *store.Intent) (*match.Vectors, string) {
	if s.Embed == nil || s.Embed.Failing() {
		return nil, ""
	}
	p, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.Preference, error) {
		return r.Preference(store.Viewer{UserID: i.OwnerID})
	})
	if err != nil || p.NetworkPaused {
		return nil, ""
	}
	ctx, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	if !s.Embed.Measure(ctx) {
		return nil, ""
	}
	model, _ := s.model()
	v, err := s.Embed.Vectors(ctx, publicOf(i).SideTexts())
	if err != nil {
		return nil, "" // the job asks again
	}
	return &v, model
}

// FillVectors computes the vectors that are missing, and matches those intents by them.
func (s *Service) FillVectors(ctx context.Context) error {
	if s.Embed == nil || !s.Embed.Measure(ctx) {
		return nil
	}
	model, _ := s.model()
	missing, err := store.Get(ctx, s.DB, func(r *store.Reader) ([]int64, error) { return r.WithoutVectors(model, maxFilled) })
	failed := 0
	for n := 0; n < len(missing) && err == nil && failed < maxFailing; n++ {
		var ok bool
		if ok, err = s.fill(ctx, missing[n], model); ok {
			failed = 0
		} else {
			failed++
		}
	}
	return err
}

// fill computes the vectors of an intent, and reports whether the service did.
func (s *Service) fill(ctx context.Context, seq int64, model string) (ok bool, err error) {
	i, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.Intent, error) { return r.IntentBySeq(seq) })
	if err != nil {
		return true, store.Optional(err) // it was deleted
	}
	v, err := s.Embed.Vectors(ctx, publicOf(&i).SideTexts())
	if err != nil {
		return false, ctx.Err()
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	f, err := s.find(ctx, &i, &v, model)
	if err != nil {
		return true, err
	}
	err = s.DB.Write(ctx, func(tx *store.Tx) error { return decide(tx, &i, f) })
	if p := s.pool.intents[seq]; p != nil {
		p.vectors = &v
	}
	return true, err
}
