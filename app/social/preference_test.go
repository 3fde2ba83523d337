package social_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/app/social"
	"hearth/store"
)

// pausedAsks has 12 asks of Ada's, whose matching is paused, and offers of Ben's for them.
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

// Matching resumes for all asks.
func TestResumedForAll(t *testing.T) {
	t.Parallel()
	w := pausedAsks(t)
	w.pause(w.Ada, false)
	if n := w.matched(w.Ada); n != 12 || w.toMatchAgain(w.Ada) != 0 {
		t.Errorf("%d of 12 asks are matched", n)
	}
}

// The job matches what a server has left that ended meanwhile, once its claim has expired.
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
