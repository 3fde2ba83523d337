package social_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/social"
	"hearth/store"
)

func aStory(w *world) social.PublishStoryIn {
	return social.PublishStoryIn{
		Text: "Soup on Sunday", Audience: &social.Audience{UserIDs: []string{w.Ben.ID, w.Cleo.ID}, ConversationIDs: []string{}},
		StoryExpiresAt: w.later(time.Hour),
		Seeks:          []string{"carrots", "onions"}, Kind: "ask",
		QuietSearch: &social.QuietSearch{Enabled: new(true), ExpiresAt: w.later(2 * time.Hour)},
	}
}

// Of 50 uses of one grant at the same time one succeeds.
func TestGrantIsUsedOnce(t *testing.T) {
	w := newWorld(t)
	grant := w.grant(w.Ada, aStory(w))
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			in := aStory(w)
			in.ApprovalGrant, in.Confirm = grant, new(true)
			_, err := w.s.PublishStory.Call(w.ctx, as(w.Ada), in)
			if err == nil {
				made.Add(1)
			} else if code(err) != "approval_required" {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("the grant was used %d times", n)
	}
}

// A grant is refused for anything but what was shown, and for anybody but who
// was shown it.
func TestGrantIsBound(t *testing.T) {
	w := newWorld(t)
	key := as(w.Ada)
	key.Kind, key.KeyID, key.CanRead, key.CanWrite = store.Agent, store.NewID(), true, true
	for name, change := range map[string]func(in *social.PublishStoryIn, by *store.Viewer){
		"the text": func(in *social.PublishStoryIn, _ *store.Viewer) { in.Text += "." },
		"the audience": func(in *social.PublishStoryIn, _ *store.Viewer) {
			in.Audience = &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}
		},
		"when it expires":           func(in *social.PublishStoryIn, _ *store.Viewer) { in.StoryExpiresAt = w.later(61 * time.Minute) },
		"the order":                 func(in *social.PublishStoryIn, _ *store.Viewer) { in.Seeks = []string{"onions", "carrots"} },
		"something more":            func(in *social.PublishStoryIn, _ *store.Viewer) { in.Brings = []string{"bread"} },
		"the kind":                  func(in *social.PublishStoryIn, _ *store.Viewer) { in.Kind = "offer" },
		"the goal":                  func(in *social.PublishStoryIn, _ *store.Viewer) { in.Goal = "Soup" },
		"the mode":                  func(in *social.PublishStoryIn, _ *store.Viewer) { in.MatchingMode = "reciprocal" },
		"collaborators":             func(in *social.PublishStoryIn, _ *store.Viewer) { in.OpenToCollaborators = true },
		"whether it ends":           func(in *social.PublishStoryIn, _ *store.Viewer) { in.CloseOnConnect = new(false) },
		"without the search":        func(in *social.PublishStoryIn, _ *store.Viewer) { in.QuietSearch = nil },
		"when the search expires":   func(in *social.PublishStoryIn, _ *store.Viewer) { in.QuietSearch.ExpiresAt = w.later(3 * time.Hour) },
		"the search's audience":     func(in *social.PublishStoryIn, _ *store.Viewer) { in.QuietSearch.Audience = in.Audience },
		"somebody else":             func(_ *social.PublishStoryIn, by *store.Viewer) { *by = as(w.Stranger) },
		"a key of the same account": func(_ *social.PublishStoryIn, by *store.Viewer) { *by = key },
		"no grant":                  func(in *social.PublishStoryIn, _ *store.Viewer) { in.ApprovalGrant = "" },
		"another grant":             func(in *social.PublishStoryIn, _ *store.Viewer) { in.ApprovalGrant = strings.Repeat("A", 43) },
		"an expired grant":          func(*social.PublishStoryIn, *store.Viewer) { w.db.Clock.Advance(10 * time.Minute) },
	} {
		in, by := aStory(w), as(w.Ada)
		in.ApprovalGrant, in.Confirm = w.grant(w.Ada, in), new(true)
		q := *in.QuietSearch
		in.QuietSearch = &q
		change(&in, &by)
		_, err := w.s.PublishStory.Call(w.ctx, by, in)
		if got := code(err); got != "approval_required" && !(name == "somebody else" && got == "invalid_input") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out, err := w.s.ListStories.Call(w.ctx, as(w.Ada), social.ListStoriesIn{}); err != nil || len(out.Stories) > 0 {
		t.Errorf("published: %+v %v", out, err)
	}
}
