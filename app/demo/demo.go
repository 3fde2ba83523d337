// Package demo creates a database with sample data: it plays a script of requests
// to a server whose clock runs through the last weeks.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"sort"
	"time"

	"hearth/app"
	"hearth/store"
)

// Info describes what Seed created.
type Info struct {
	People                                []Person // the first is an administrator
	Agents                                []Agent  // that receive requests
	Conversations, Messages, Lists, Items int
}

// Person is a person of the sample data.
type Person struct{ ID, Name, Email string }

const (
	age = 70 * 24 * time.Hour // since the first account was created
	day = 24 * time.Hour
	// baseURL is the address of the server while the script is played.
	baseURL = "http://127.0.0.1:8080"
)

// Seed creates a database at path with a community that has used it for some
// weeks until now. The texts and times are determined by seed and now. A file that
// has content is an error.
func Seed(ctx context.Context, path, schema string, seed uint64, now time.Time) (info Info, err error) {
	if file, err := os.Stat(path); err == nil && file.Size() > 0 {
		return info, fmt.Errorf("%s has content; name a new file with --db", path)
	}
	s := &seeder{ctx: ctx, now: now, clock: store.NewManualClock(now.Add(-age)), rnd: rand.New(rand.NewPCG(seed, 0x6865617274680001)),
		kept: map[string]any{}, tokens: map[string]string{}}
	if err := s.read(); err != nil {
		return info, err
	}
	s.app, err = app.New(ctx, app.Config{
		DB: path, Schema: schema, BaseURL: baseURL, ContextLane: true, NoRateLimits: true, AllowNet: []string{"127.0.0.1"},
		Now: s.clock.Now, Log: slog.New(slog.DiscardHandler), Out: io.Discard,
		Store: store.Options{Synchronous: "OFF"}, // a script that is interrupted leaves nothing to keep
	})
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, s.app.Close()) }()
	return s.play()
}

// seeder reads the script and plays it.
type seeder struct {
	ctx   context.Context
	now   time.Time
	clock *store.ManualClock
	rnd   *rand.Rand
	app   *app.App
	steps []step
	info  Info

	kept     map[string]any    // results by the names that steps have
	handles  []string          // people who have an account
	tokens   map[string]string // of people, for a day
	signedIn time.Time         // when that day began
}

// step is a part of the script and its time.
type step struct {
	at time.Time
	do func() error
}

func (s *seeder) at(t time.Time, do func() error) { s.steps = append(s.steps, step{t, do}) }

// request adds the step of a request. Its result is kept under a name, if there is one.
func (s *seeder) request(t time.Time, name, who, call string, body any) {
	s.at(t, func() error {
		out, err := s.call(who, call, body)
		if name != "" {
			s.kept[name] = out
		}
		return err
	})
}

// play does the steps in the order of their times, and then ends the sessions that
// they needed.
func (s *seeder) play() (Info, error) {
	sort.SliceStable(s.steps, func(i, j int) bool { return s.steps[i].at.Before(s.steps[j].at) })
	for _, st := range s.steps {
		s.clock.Advance(st.at.Sub(s.clock.Now()))
		if err := st.do(); err != nil {
			return s.info, fmt.Errorf("demo, %s ago: %w", s.now.Sub(st.at), err)
		}
	}
	for _, who := range s.handles {
		if _, err := s.call(who, "DELETE /api/auth/sessions", nil); err != nil {
			return s.info, err
		}
		s.info.People = append(s.info.People, Person{s.id(who), s.id(who + ".name"), address(who)})
	}
	for key, owner := range map[string]string{"crumb": "mira", "rye": "noam"} {
		s.info.Agents = append(s.info.Agents, Agent{store.Viewer{Kind: store.Agent, UserID: s.id(owner), Name: s.id(owner + ".name"),
			KeyID: s.id(key), AgentName: s.id(key + ".agentName"), CanRead: true, CanWrite: true}})
	}
	return s.info, s.deliveries()
}

// between returns a random duration of at least a and below b.
func (s *seeder) between(a, b time.Duration) time.Duration {
	return a + time.Duration(s.rnd.Int64N(int64(b-a)))
}

// deliveries records what became of the deliveries to the webhook, to which nothing
// listens: they succeeded at first and then failed for three days, so that it is
// disabled and connects to nothing. No request does that.
func (s *seeder) deliveries() error {
	owner, hook, failing := s.id("mira"), s.id("hook"), store.TimeOf(s.now.Add(-4*day))
	return s.app.DB().Write(s.ctx, func(tx *store.Tx) error {
		log, err := tx.Deliveries(store.Viewer{UserID: owner}, hook, 0, 1000)
		if err != nil {
			return err
		}
		for i, d := range log {
			a := store.Delivery{WebhookID: hook, At: d.At, Attempts: 1, Status: 204, TookMs: 8 + i%7, Outcome: "delivered"}
			if d.At > failing {
				a.Attempts, a.Status, a.TookMs, a.Outcome, a.Error = 8, 0, 1, "failed", "The connection to the receiver failed."
			}
			if err := tx.RecordAttempt(a); err != nil {
				return err
			}
		}
		_, err = tx.DisableWebhook(hook, "failing")
		return err
	})
}
