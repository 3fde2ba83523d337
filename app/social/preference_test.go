package social_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// budget is what a request may have read at once: what it gives back counts no more.
type budget struct{ taken, limit int }

func (m *budget) read(n int) error {
	if m.taken+n > m.limit {
		return core.New(core.Unavailable, "busy", "The server is busy. Try again in a second.")
	}
	m.taken += n
	return nil
}

// paused has 12 asks of Ada's, whose matching is paused, and offers of Ben's for them.
func pausedAsks(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.pause(w.Ada, true)
	for n, thing := range []string{"ladder", "drill", "sofa", "bicycle", "tent", "piano", "guitar", "violin", "mattress", "kettle", "blender", "hammer"} {
		w.intent(w.Ada, "ask", "a "+thing)
		w.intent(w.Ben, "offer", "a "+thing, func(in *social.CreateIntentIn) { in.Details = strings.Repeat("x", 2000-n) })
	}
	return w
}

// matched returns how many of u's intents have a match.
func (w *world) matched(u store.User) int {
	own := map[string]bool{}
	for _, m := range w.matches(u) {
		own[m.OwnIntent.ID] = true
	}
	return len(own)
}

// Matching resumes for all asks, however many they are: what was read for one takes no
// memory while the next one is compared, and a client that goes away ends nothing.
func TestResumedForAll(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*budget{"little memory": {limit: 20_000}, "much": {limit: 1 << 30}} {
		w := pausedAsks(t)
		ctx, leave := context.WithCancel(t.Context())
		ctx = store.WithMeter(ctx, &store.Meter{Read: func(n int) error {
			if m.taken > 0 {
				leave()
			}
			return m.read(n)
		}})
		if _, err := w.s.UpdatePreferences.Call(ctx, as(w.Ada), social.UpdatePreferencesIn{NetworkPaused: new(false)}); err != nil || ctx.Err() == nil {
			t.Errorf("%s: %v, and the client is there: %v", name, err, ctx.Err())
		}
		if n := w.matched(w.Ada); n != 12 {
			t.Errorf("%s: %d of 12 asks are matched", name, n)
		}
	}
}

// What could not be matched when matching resumed is matched when the caller asks for it
// again, or else by a job, once. Others' matching goes on.
func TestResumedLater(t *testing.T) {
	t.Parallel()
	again := func(w *world) error {
		_, err := w.s.UpdatePreferences.Call(w.ctx, as(w.Ada), social.UpdatePreferencesIn{NetworkPaused: new(false)})
		return err
	}
	job := func(w *world) error { return w.s.MatchAgain(w.ctx) }
	for name, c := range map[string]struct {
		then func(w *world) error
		want int
	}{
		"asked again": {again, 12},
		"by the job":  {job, 12},
		"paused since": {func(w *world) error {
			w.pause(w.Ada, true)
			return job(w)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := pausedAsks(t)
			m := &budget{limit: 2_000}
			ctx := store.WithMeter(t.Context(), &store.Meter{Read: m.read})
			out, err := w.s.UpdatePreferences.Call(ctx, as(w.Ada), social.UpdatePreferencesIn{NetworkPaused: new(false)})
			if err != nil || out.NetworkPaused || w.matched(w.Ada) == 12 {
				t.Fatalf("%+v, %v: %d asks are matched", out, err, w.matched(w.Ada))
			}
			if err := c.then(w); err != nil {
				t.Fatal(err)
			}
			if n := w.matched(w.Ada); c.want != 0 && n != c.want || c.want == 0 && n == 12 {
				t.Errorf("%d of 12 asks are matched", n)
			}
			if left := w.toMatchAgain(w.Ada); left != 0 {
				t.Errorf("it is to be matched again at %v", left)
			}
		})
	}
}

// A server that ends while it matches leaves the rest to the job of the next one, which
// waits until nobody can be at it any more. Of two that ask for the same at once one
// does it.
func TestResumedAfterStop(t *testing.T) {
	w := pausedAsks(t)
	w.write(func(tx *store.Tx) error { // as it is left behind
		p := store.Preference{ExperienceMode: "enhanced"}
		return cmp.Or(tx.PutPreference(w.Ada.ID, &p), tx.MatchAgain(w.Ada.ID, tx.Reader.Now().Add(time.Minute)))
	})
	if _, err := w.s.UpdatePreferences.Call(w.ctx, as(w.Ada), social.UpdatePreferencesIn{NetworkPaused: new(false)}); err != nil {
		t.Fatal(err)
	}
	if err := w.s.MatchAgain(w.ctx); err != nil || w.matched(w.Ada) != 0 {
		t.Errorf("%v: %d asks are matched twice", err, w.matched(w.Ada))
	}
	w.db.Clock.Advance(time.Minute)
	if err := w.s.MatchAgain(w.ctx); err != nil || w.matched(w.Ada) != 12 || w.toMatchAgain(w.Ada) != 0 {
		t.Errorf("%v: %d of 12 asks are matched", err, w.matched(w.Ada))
	}
}

// toMatchAgain returns when the intents of u are to be matched again.
func (w *world) toMatchAgain(u store.User) (at store.Time) {
	err := w.db.Read(w.ctx, func(r *store.Reader) (err error) {
		at, err = r.MatchAgainAt(u.ID)
		return err
	})
	if err != nil {
		w.Error(err)
	}
	return at
}

// Of one account matching runs once at a time: what is resumed while the matching that a
// pause ended still runs is left to the job, and that one stops.
func TestResumedBesideItself(t *testing.T) {
	w := pausedAsks(t)
	nested, left := false, store.Time(0)
	ctx := store.WithMeter(t.Context(), &store.Meter{Read: func(int) error {
		if !nested {
			nested = true
			w.pause(w.Ada, true)
			w.pause(w.Ada, false)
			left = w.toMatchAgain(w.Ada)
			if n := w.matched(w.Ada); n != 0 {
				t.Errorf("%d asks are matched beside the first", n)
			}
		}
		return nil
	}})
	if _, err := w.s.UpdatePreferences.Call(ctx, as(w.Ada), social.UpdatePreferencesIn{NetworkPaused: new(false)}); err != nil {
		t.Fatal(err)
	}
	if n, at := w.matched(w.Ada), w.toMatchAgain(w.Ada); n != 0 || left == 0 || at != left {
		t.Errorf("%d asks are matched after the pause; they are to be matched at %v, want %v", n, at, left)
	}
	if err := w.s.MatchAgain(w.ctx); err != nil || w.matched(w.Ada) != 12 || w.toMatchAgain(w.Ada) != 0 {
		t.Errorf("%v: %d of 12 asks are matched", err, w.matched(w.Ada))
	}
}

// A request that resumes matching does the work of one publication, and the job the rest.
func TestResumedWithMuchWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	texts := make([]string, 20)
	for n := range texts {
		texts[n] = strings.TrimSpace(strings.Repeat(fmt.Sprintf("unicycle%d violin%d ", n, n), 7))
	}
	long := func(in *social.CreateIntentIn) { in.Seeks, in.Brings = texts, texts }
	w.pause(w.Ada, true)
	for range 12 {
		w.intent(w.Ada, "ask", "x", long)
	}
	for n := range 6 {
		u := w.person(fmt.Sprint("p", n))
		w.pause(u, true) // they are not compared with each other
		w.intent(u, "offer", "x", long)
		w.pause(u, false)
	}
	w.pause(w.Ada, false)
	if n := w.matched(w.Ada); n == 0 || w.toMatchAgain(w.Ada) == 0 {
		t.Errorf("%d asks are matched, the others at %v", n, w.toMatchAgain(w.Ada))
	}
	if err := w.s.MatchAgain(w.ctx); err != nil || w.toMatchAgain(w.Ada) != 0 {
		t.Errorf("the rest is matched at %v: %v", w.toMatchAgain(w.Ada), err)
	}
}

// The job that matches an account for longer than its claim lasts is not joined by another.
func TestResumedForLong(t *testing.T) {
	w := pausedAsks(t)
	w.write(func(tx *store.Tx) error {
		p := store.Preference{ExperienceMode: "enhanced"}
		return cmp.Or(tx.PutPreference(w.Ada.ID, &p), tx.MatchAgain(w.Ada.ID, tx.Reader.Now()))
	})
	began := w.db.Clock.Now()
	ctx := store.WithMeter(t.Context(), &store.Meter{Read: func(int) error {
		w.db.Clock.Advance(5 * time.Second)
		return w.s.MatchAgain(t.Context())
	}})
	if err := w.s.MatchAgain(ctx); err != nil || w.matched(w.Ada) != 12 || w.toMatchAgain(w.Ada) != 0 || w.db.Clock.Now().Sub(began) < 2*time.Minute {
		t.Errorf("%v: %d of 12 asks are matched after %v", err, w.matched(w.Ada), w.db.Clock.Now().Sub(began))
	}
}
