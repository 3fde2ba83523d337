package embed_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/embed"
	"hearth/app/embed/embedtest"
	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// world is a database with the cast, the matching, and a service that computes
// vectors.
type world struct {
	*testing.T
	storetest.Cast
	db      *storetest.DB
	social  *social.Service
	service *embedtest.Service
	log     *storetest.Buffer
	ctx     context.Context
}

// Two texts without a word in common that are of one topic.
const (
	sought  = "qarvel wozzlin"
	brought = "zubrin tafgold"
)

// newWorld returns a world with the model m. Without topics, sought and brought are of
// one.
func newWorld(t *testing.T, topics map[string]int) *world {
	t.Helper()
	if topics == nil {
		topics = map[string]int{sought: 1, brought: 1}
	}
	db := storetest.Open(t)
	w := &world{T: t, Cast: storetest.People(t, db), db: db, service: embedtest.New(t, topics), log: &storetest.Buffer{},
		ctx: context.Background()}
	w.start("m")
	return w
}

// start starts the matching again, with a model of the service.
func (w *world) start(model string) {
	w.Helper()
	s, err := embed.New(embed.Config{URL: w.service.URL, Model: model, Key: "the-key", Log: slog.New(slog.NewTextHandler(w.log, nil))})
	if err != nil {
		w.Fatal(err)
	}
	w.social = social.New(social.Config{DB: w.db.DB, Embed: s})
}

// fill runs the job.
func (w *world) fill() {
	w.Helper()
	if err := w.social.FillVectors(w.ctx); err != nil {
		w.Fatal(err)
	}
}

// publish publishes an intent.
func (w *world) publish(u store.User, kind, terms string, change ...func(*social.CreateIntentIn)) social.AgentIntent {
	w.Helper()
	in := social.CreateIntentIn{Kind: kind, Terms: terms, Confirm: new(true)}
	for _, c := range change {
		c(&in)
	}
	out, err := w.social.CreateIntent.Call(w.ctx, storetest.Human(u), in)
	if err != nil {
		w.Fatal(err)
	}
	return out.Intent
}

// matches returns the matches of u.
func (w *world) matches(u store.User) []social.AgentMatch {
	w.Helper()
	out, err := w.social.ListMatches.Call(w.ctx, storetest.Human(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	return out.Matches
}

func (w *world) write(f func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Write(w.ctx, f); err != nil {
		w.Fatal(err)
	}
}

// pause pauses the network of u, or resumes it.
func (w *world) pause(u store.User, paused bool) {
	w.Helper()
	if _, err := w.social.UpdatePreferences.Call(w.ctx, storetest.Human(u), social.UpdatePreferencesIn{NetworkPaused: &paused}); err != nil {
		w.Fatal(err)
	}
}

// withdraw withdraws an intent of u's.
func (w *world) withdraw(u store.User, id string) {
	w.Helper()
	if _, err := w.social.UpdateIntent.Call(w.ctx, storetest.Human(u), social.WithdrawIntentIn{ID: id, Status: "withdrawn"}); err != nil {
		w.Fatal(err)
	}
}

// stored reports whether an intent of u's has vectors of a model.
func (w *world) stored(u store.User, id, model string) (stored bool) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) error {
		i, err := r.Intent(storetest.Human(u), id)
		if err != nil {
			return err
		}
		vectors, err := r.Vectors(i.Seq, model)
		stored = len(vectors) > 3
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return stored
}

// logged returns how many lines of the log have a level.
func (w *world) logged(level string) int { return strings.Count(w.log.String(), "level="+level) }

// sent checks which texts the service received, in no order.
func (w *world) sent(want ...string) {
	w.Helper()
	got := w.service.Sent()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.Errorf("the service received %q, want %q", got, want)
	}
}
