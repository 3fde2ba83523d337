package social_test

import (
	"strings"
	"testing"

	"hearth/app/social"
	"hearth/store"
)

// pausedAsks has 12 asks of Ada's, whose matching is paused, and offers of Ben's for them.
func pausedAsks(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.pause(w.Ada, true)
	for n, thing := range []string{"ladder", "drill", "sofa", "bicycle", "tent", "piano", "guitar", "violin", "mattress", "kettle", "blender",
		"hammer"} {
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
	if n := w.matched(w.Ada); n != 12 {
		t.Errorf("%d of 12 asks are matched", n)
	}
}
