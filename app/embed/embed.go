// Package embed stores vectors of asks and offers, computed by an OpenAI-compatible service of the operator, for
// matching.
//
// Nothing waits for the service. Publishing matches an intent by its words; its vectors are computed later, and it is
// then matched again. A slow or failing service affects nothing else. The backlog is in the database.
package embed

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"hearth/app/match"
	"hearth/store"
)

const (
	maxBatch = 8               // intents per request; one after a failure, doubled with each success
	wanted   = 500             // intents that one write makes due
	claimed  = 2 * time.Minute // no other process computes the same vectors for this time
	// firstPause is the pause after a failed request. It doubles with each further failure up to maxPause.
	firstPause = time.Second
	maxPause   = 5 * time.Minute
	// firstRetry is the delay until an intent is due again after a failure. It doubles with each further failure up
	// to maxRetry.
	firstRetry = time.Minute
	maxRetry   = time.Hour
)

// Config is what New needs.
type Config struct {
	DB       *store.DB
	URL      string   // of the service, without /v1/embeddings
	Model    string   // its name there
	Key      string   // sent as a bearer token; "" sends none
	AllowNet []string // as for fetch.NewDialer; the host of URL is allowed anyway
	Log      *slog.Logger
	// Texts returns the texts of an intent that get vectors, by match.Side. The service receives nothing else of an
	// intent.
	Texts func(*store.Intent) [3]string
	// Match matches an intent with others by its stored vectors, and ends the claim.
	Match func(ctx context.Context, claim store.VectorClaim, model string, scale match.Scale) error

	Pause time.Duration // for tests: in place of firstPause
}

// Worker computes vectors. It is safe for concurrent use.
type Worker struct {
	c      Config
	client *client
	wake   chan struct{}
	cancel context.CancelFunc
	wg     sync.WaitGroup

	measure *measure           // of the model; nil until it is known; this and the rest are used by run alone
	changed bool               // the stored measure is outdated
	since   store.ListedIntent // all that were listed up to it have vectors or are due
	batch   int
	fails   int // since the last success
}

// New starts a worker. Invalid settings are an error.
func New(c Config) (*Worker, error) {
	if c.Model == "" {
		return nil, fmt.Errorf("--embed-url needs --embed-model, the name of a model of that service")
	}
	if utf8.RuneCountInString(c.Model) > 200 || strings.ContainsFunc(c.Model, unicode.IsControl) || !utf8.ValidString(c.Model) {
		return nil, fmt.Errorf("--embed-model must be a name of at most 200 characters")
	}
	client, err := newClient(&c)
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Pause == 0 {
		c.Pause = firstPause
	}
	w := &Worker{c: c, client: client, wake: make(chan struct{}, 1), batch: maxBatch}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.wg.Go(func() { w.run(ctx) })
	return w, nil
}

// Wake makes the worker look for due intents. It does not wait.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Close stops the worker. Due intents are computed after a restart.
func (w *Worker) Close() {
	w.cancel()
	w.wg.Wait()
	w.client.http.CloseIdleConnections()
}

// The pause after a failure is not shortened by new intents.
func (w *Worker) run(ctx context.Context) {
	for {
		n, err := w.round(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err != nil:
			w.failed(err)
			select {
			case <-ctx.Done():
			case <-time.After(doubled(w.c.Pause, w.fails-1, maxPause)):
			}
		case n > 0:
			w.worked()
		default:
			select {
			case <-ctx.Done():
			case <-w.wake:
			}
		}
	}
}

func (w *Worker) failed(err error) {
	if w.fails++; w.fails == 1 {
		w.c.Log.Warn("asks and offers are matched without vectors until those of --embed-url can be used again", "error", err)
	}
}

func (w *Worker) worked() {
	if w.fails > 0 {
		w.c.Log.Info("asks and offers are matched by vectors again", "failures", w.fails)
		w.fails = 0
	}
}

func doubled(d time.Duration, n int, limit time.Duration) time.Duration {
	for range n {
		if d *= 2; d >= limit {
			return limit
		}
	}
	return d
}

func (w *Worker) round(ctx context.Context) (n int, err error) {
	if err := w.measureModel(ctx); err != nil {
		return 0, err
	}
	if err := w.want(ctx); err != nil {
		return 0, err
	}
	var claims []store.VectorClaim
	err = w.c.DB.Write(ctx, func(tx *store.Tx) (err error) {
		claims, err = tx.ClaimVectors(w.measure.id(), w.batch, tx.Reader.Now().Add(claimed))
		return err
	})
	if err != nil || len(claims) == 0 {
		return 0, err
	}
	ready, err := w.compute(ctx, claims)
	if err != nil {
		return 0, err
	}
	for _, c := range ready {
		if err := w.c.Match(ctx, c, w.measure.id(), w.measure.scale()); err != nil {
			return 0, err
		}
	}
	return len(claims), nil
}

func (w *Worker) want(ctx context.Context) error {
	for {
		var listed []store.ListedIntent
		err := w.c.DB.Read(ctx, func(r *store.Reader) (err error) {
			listed, err = r.ListedSince(w.since, wanted)
			return err
		})
		if err != nil || len(listed) == 0 {
			return err
		}
		if err := w.c.DB.Write(ctx, func(tx *store.Tx) error { return tx.WantVectors(w.measure.id(), listed) }); err != nil {
			return err
		}
		w.since = listed[len(listed)-1]
	}
}

func (w *Worker) compute(ctx context.Context, claims []store.VectorClaim) (ready []store.VectorClaim, err error) {
	var missing []store.VectorClaim
	for _, c := range claims {
		if c.Computed {
			ready = append(ready, c)
		} else {
			missing = append(missing, c)
		}
	}
	texts, err := w.texts(ctx, missing)
	if err != nil {
		return nil, err
	}
	vectors, err := w.vectors(ctx, texts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		w.batch = 1
		failed := w.c.DB.Write(ctx, func(tx *store.Tx) error {
			for _, c := range missing {
				if err := tx.RetryVectors(c, tx.Reader.Now().Add(doubled(firstRetry, c.Tries, maxRetry))); err != nil {
					return err
				}
			}
			return nil
		})
		if failed != nil {
			return nil, failed
		}
		return nil, err
	}
	w.batch = min(2*w.batch, maxBatch)
	var held []store.VectorClaim
	err = w.c.DB.Write(ctx, func(tx *store.Tx) error {
		held = nil
		for n, c := range missing {
			ok, err := tx.SetVectors(c, w.measure.id(), vectors[n].Encode())
			if err != nil {
				return err
			}
			if ok {
				held = append(held, c)
			}
		}
		return nil
	})
	return append(ready, held...), err
}

func (w *Worker) texts(ctx context.Context, claims []store.VectorClaim) (out [][3]string, err error) {
	err = w.c.DB.Read(ctx, func(r *store.Reader) error {
		out = make([][3]string, len(claims))
		for n, c := range claims {
			i, err := r.IntentBySeq(c.Intent)
			if err == store.ErrNoRow {
				continue // it was deleted; the claim has ended
			}
			if err != nil {
				return err
			}
			out[n] = w.c.Texts(&i)
		}
		return nil
	})
	return out, err
}

func (w *Worker) vectors(ctx context.Context, texts [][3]string) ([]match.Vectors, error) {
	var input []string
	for _, of := range texts {
		for _, text := range of {
			if text != "" {
				input = append(input, text)
			}
		}
	}
	out := make([]match.Vectors, len(texts))
	if len(input) == 0 {
		return out, nil
	}
	all, err := w.client.vectors(ctx, input)
	if err != nil {
		return nil, err
	}
	if got := len(all[0]); got != w.measure.Dimensions {
		w.measure, w.changed = nil, true
		return nil, fmt.Errorf("the service responded with vectors of %d numbers, which were others before", got)
	}
	for n, of := range texts {
		for side, text := range of {
			if text != "" {
				out[n][side], all = all[0], all[1:]
			}
		}
	}
	return out, nil
}
