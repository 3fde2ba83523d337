package social_test

import (
	"slices"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// What is published again in place of an ask that is open takes that ask's place: the
// ask lasts longer if it is the same, with the matches that it has, and is withdrawn if
// it is not. What is not open, or is somebody else's, stays as it is.
func TestPublishAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old    func(w *world) string // what is replaced
		change func(*social.CreateIntentIn)
		same   bool
		was    string // the state of the old one afterwards
	}{
		"the same":      {old: open, same: true, was: "active"},
		"for good":      {old: open, change: func(in *social.CreateIntentIn) { in.ExpiresAt = nil }, same: true, was: "active"},
		"other words":   {old: open, change: func(in *social.CreateIntentIn) { in.Terms += ", a long one" }, was: "withdrawn"},
		"other details": {old: open, change: func(in *social.CreateIntentIn) { in.Details = "x" }, was: "withdrawn"},
		"an offer":      {old: open, change: func(in *social.CreateIntentIn) { in.Kind = "offer" }, was: "withdrawn"},
		"for some": {old: open, change: func(in *social.CreateIntentIn) {
			in.Audience = &social.Audience{UserIDs: []string{in.Replaces}, ConversationIDs: []string{}}
		}, was: "withdrawn"},
		"kept": {old: open, change: func(in *social.CreateIntentIn) { in.CloseOnConnect = new(false) }, was: "withdrawn"},
		"what has expired": {old: func(w *world) string {
			id := open(w)
			w.db.Clock.Advance(time.Hour)
			return id
		}, was: "active"},
		"what was withdrawn": {old: func(w *world) string {
			id := open(w)
			if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: id, Status: "withdrawn"}); err != nil {
				t.Error(err)
			}
			return id
		}, was: "withdrawn"},
		"a search":       {old: func(w *world) string { return w.publish(searchAlone).Intent.ID }, same: true, was: "active"},
		"beside a Story": {old: func(w *world) string { return w.publish(both).Intent.ID }, same: true, was: "active"},
		"a search, for good": {old: func(w *world) string { return w.publish(searchAlone).Intent.ID },
			change: func(in *social.CreateIntentIn) { in.ExpiresAt = nil }, was: "withdrawn"},
		"for everybody, of one for somebody who is gone": {old: func(w *world) string {
			gone := w.person("dan")
			id := w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) {
				in.ExpiresAt, in.Audience = w.later(time.Hour), &social.Audience{UserIDs: []string{gone.ID}, ConversationIDs: []string{}}
			}).ID
			w.write(func(tx *store.Tx) error {
				_, err := tx.EraseUser(gone.ID)
				return err
			})
			return id
		}, was: "withdrawn"},
		"of somebody else": {old: func(w *world) string { return w.intent(w.Ben, "ask", terms).ID }, was: "missing"},
		"that never was":   {old: func(*world) string { return store.NewID() }, was: "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.intent(w.Cleo, "offer", terms)
			in := social.CreateIntentIn{Kind: "ask", Terms: terms, Confirm: new(true), ExpiresAt: w.later(3 * time.Hour), Replaces: c.old(w)}
			if c.change != nil {
				c.change(&in)
			}
			if in.Audience != nil {
				in.Audience.UserIDs = []string{w.Ben.ID}
			}
			others := w.intentState(w.Ben, in.Replaces)
			if _, err := w.s.PreviewIntent.Call(w.ctx, as(w.Ada), in); err != nil {
				t.Fatal(err)
			}
			told := w.toldOfReview(w.Ada)
			out, err := w.s.CreateIntent.Call(w.ctx, as(w.Ada), in)
			if err != nil {
				t.Fatal(err)
			}
			if (out.Intent.ID == in.Replaces) != c.same || core.OrZero(out.Intent.ExpiresAt) != core.OrZero(in.ExpiresAt) ||
				w.toldOfReview(w.Ada) == told {
				t.Errorf("got %+v", out.Intent)
			}
			if got := w.intentState(w.Ada, in.Replaces); got != c.was || w.intentState(w.Ben, in.Replaces) != others {
				t.Errorf("the old one is %s, want %s", got, c.was)
			}
			if ms := w.matches(w.Ada); c.same && (len(ms) != 1 || ms[0].Status != "pending") {
				t.Errorf("the matches are %+v", ms)
			}
		})
	}
}

func open(w *world) string {
	return w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(time.Hour) }).ID
}

// An account with its maximum of active intents can publish one of them again, and no
// other intent.
func TestPublishAgainAtTheLimit(t *testing.T) {
	w := newWorld(t)
	var id string
	for range 50 {
		id = w.intent(w.Ada, "ask", terms).ID
	}
	publish := func(again string) error {
		in := social.CreateIntentIn{Kind: "ask", Terms: "a spade", Confirm: new(true), Replaces: again}
		_, preview := w.s.PreviewIntent.Call(w.ctx, as(w.Ada), in)
		_, err := w.s.CreateIntent.Call(w.ctx, as(w.Ada), in)
		if code(preview) != code(err) {
			t.Errorf("the preview: %v, and then %v", preview, err)
		}
		return err
	}
	if err := publish(id); err != nil {
		t.Error(err)
	}
	for _, again := range []string{"", id} { // which is withdrawn now
		if err := publish(again); code(err) != "too_many_intents" {
			t.Errorf("got %v", err)
		}
	}
}

// What is published again with the same words is matched by what it was matched by
// before, which no form shows: whether it is open or has ended.
func TestPublishAgainIsMatchedAlike(t *testing.T) {
	t.Parallel()
	for _, ended := range []bool{false, true} {
		for _, words := range []string{terms, terms + ", a long one"} {
			w := newWorld(t)
			was := w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) {
				in.ExpiresAt, in.Goal, in.Seeks, in.Brings = w.later(time.Hour), "clean gutters", []string{"a ladder"}, []string{"bread"}
				in.MatchingMode, in.OpenToCollaborators = "reciprocal", true
			})
			if ended {
				w.db.Clock.Advance(time.Hour)
			}
			in := social.CreateIntentIn{Kind: "ask", Terms: words, Confirm: new(true), ExpiresAt: w.later(3 * time.Hour), Replaces: was.ID}
			preview, err := w.s.PreviewIntent.Call(w.ctx, as(w.Ada), in)
			if err != nil {
				t.Fatal(err)
			}
			out, err := w.s.CreateIntent.Call(w.ctx, as(w.Ada), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []social.AgentIntent{preview.Intent, out.Intent} {
				alike := got.Goal != nil && *got.Goal == *was.Goal && slices.Equal(got.Seeks, was.Seeks) && slices.Equal(got.Brings, was.Brings) &&
					got.MatchingMode == was.MatchingMode && got.OpenToCollaborators
				if alike != (words == terms) {
					t.Errorf("ended %t, %q: got %+v", ended, words, got)
				}
			}
			if (out.Intent.ID == was.ID) != (!ended && words == terms) {
				t.Errorf("ended %t, %q: got the id %s of %s", ended, words, out.Intent.ID, was.ID)
			}
		}
	}
}

// A search beside a Story that is published again lasts longer, and the Story as long as
// before.
func TestPublishAgainBesideAStory(t *testing.T) {
	w := newWorld(t)
	was := w.publish(both)
	in := social.CreateIntentIn{Kind: "ask", Terms: terms, Confirm: new(true), ExpiresAt: w.later(3 * time.Hour), Replaces: was.Intent.ID}
	if _, err := w.s.CreateIntent.Call(w.ctx, as(w.Ada), in); err != nil {
		t.Fatal(err)
	}
	out, err := w.s.ListStories.Call(w.ctx, as(w.Ada), social.ListStoriesIn{})
	if err != nil {
		t.Fatal(err)
	}
	if st := out.Stories[0]; !st.AgentSearchEnabled || st.SearchExpiresAt != *in.ExpiresAt || *st.StoryExpiresAt != *was.Story.StoryExpiresAt {
		t.Errorf("got %+v", st)
	}
}
