package social_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// untilIn has an intent expire after a time.
func untilIn(w *world, after time.Duration) func(*social.CreateIntentIn) {
	return func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(after) }
}

// expiries are what expires after a time: begin makes it and returns a function
// that reports whether it still counts.
var expiries = []struct {
	name  string
	after time.Duration
	begin func(w *world) (counts func() bool)
}{
	{"an intent is matched", time.Hour, func(w *world) func() bool {
		w.intent(w.Ada, "ask", terms, untilIn(w, time.Hour))
		return func() bool { w.intent(w.Ben, "offer", terms); return len(w.matches(w.Ada)) == 1 }
	}},
	{"an intent counts as active", time.Hour, func(w *world) func() bool {
		w.intent(w.Ada, "ask", terms, untilIn(w, time.Hour))
		return func() bool { return w.active(w.Ada) == 1 }
	}},
	{"a match is approved by the first", time.Hour, func(w *world) func() bool {
		w.intent(w.Ada, "ask", terms, untilIn(w, time.Hour))
		w.intent(w.Ben, "offer", terms)
		return func() bool { return w.answer(w.Ben, "approve").Status == "awaiting_other" }
	}},
	{"a match is approved by both", time.Hour, func(w *world) func() bool {
		w.intent(w.Ada, "ask", terms, untilIn(w, time.Hour))
		w.intent(w.Ben, "offer", terms)
		w.answer(w.Ada, "approve")
		return func() bool { return w.answer(w.Ben, "approve").Status == "connected" }
	}},
	{"a Story is in the feed", time.Hour, func(w *world) func() bool {
		w.publish(both)
		return func() bool { return len(w.feed(w.Ben)) == 1 }
	}},
	{"a Story is in the feed of its author", time.Hour, func(w *world) func() bool {
		w.publish(storyAlone)
		return func() bool { return len(w.feed(w.Ada)) == 1 }
	}},
	{"an answer to a Story is previewed", time.Hour, func(w *world) func() bool {
		id := w.publish(storyAlone).Story.ID
		return func() bool { return w.respond(id, social.RespondStoryIn{Confirm: new(false)}) == nil }
	}},
	{"a Story is resumed", time.Hour, func(w *world) func() bool {
		id := w.publish(storyAlone).Story.ID
		w.update(id, "paused", nil)
		return func() bool { return w.update(id, "active", nil) == "" }
	}},
	{"a search is resumed", time.Hour, func(w *world) func() bool {
		id := w.publish(searchAlone).Story.ID
		w.update(id, "paused", nil)
		return func() bool { return w.update(id, "active", nil) == "" }
	}},
	{"a grant for a Story is used", 10 * time.Minute, func(w *world) func() bool {
		in := aStory(w)
		in.ApprovalGrant, in.Confirm = w.grant(w.Ada, in), new(true)
		return func() bool { return second(w.s.PublishStory.Call(w.ctx, as(w.Ada), in)) == nil }
	}},
	{"a grant for a draft is used", 10 * time.Minute, func(w *world) func() bool {
		d := w.draft(w.Ada, social.CreateDraftIn{Goal: "A band"})
		in := social.ActivateDraftIn{ID: d.ID, Confirm: new(false), QuietSearch: &social.QuietSearch{Enabled: new(true),
			ExpiresAt: w.later(time.Hour)}}
		in.ApprovalGrant, in.Confirm = w.previewed(w.s.ActivateDraft.Call(w.ctx, as(w.Ada), in)), new(true)
		return func() bool { return second(w.s.ActivateDraft.Call(w.ctx, as(w.Ada), in)) == nil }
	}},
	{"a grant for an answer is used", 10 * time.Minute, func(w *world) func() bool {
		in := social.RespondStoryIn{ID: w.publish(storyAlone).Story.ID, Message: "Hello", Confirm: new(false)}
		out, err := w.s.RespondStory.Call(w.ctx, as(w.Ben), in)
		if err != nil {
			w.Fatal(err)
		}
		_, preview := out.Bodies()
		grant := preview.(*social.Preview).ApprovalGrant
		return func() bool {
			return w.respond(in.ID, social.RespondStoryIn{Confirm: new(true), ApprovalGrant: grant}) == nil
		}
	}},
	{"a search waits for review", time.Hour, func(w *world) func() bool {
		w.intent(w.Ada, "ask", terms, untilIn(w, time.Hour))
		return func() bool { return len(w.review(w.Ada)) == 1 }
	}},
	{"a Story waits for review", time.Hour, func(w *world) func() bool {
		w.publish(storyAlone)
		return func() bool { return len(w.review(w.Ada)) == 1 }
	}},
	{"a search does not wait for review yet", time.Hour, func(w *world) func() bool {
		w.intent(w.Ada, "ask", terms, untilIn(w, 73*time.Hour))
		return func() bool { return len(w.review(w.Ada)) == 0 }
	}},
	{"a Story does not wait for review yet", time.Hour, func(w *world) func() bool {
		in := aStory(w)
		in.StoryExpiresAt, in.QuietSearch = w.later(73*time.Hour), nil
		w.story(w.Ada, in)
		return func() bool { return len(w.review(w.Ada)) == 0 }
	}},
}

// respond answers a Story as ben.
func (w *world) respond(id string, in social.RespondStoryIn) error {
	in.ID, in.Message = id, "Hello"
	_, err := w.s.RespondStory.Call(w.ctx, as(w.Ben), in)
	return err
}

// What expires counts until a millisecond before the moment, and from the moment
// on for nothing, whether or not a job has tidied it.
func TestExpiryIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range expiries {
		for _, at := range []struct {
			offset time.Duration
			tidied bool
		}{{-time.Millisecond, false}, {-time.Millisecond, true}, {0, false}, {time.Millisecond, true}} {
			w := newWorld(t)
			counts := c.begin(w)
			w.db.Clock.Advance(c.after + at.offset)
			if at.tidied {
				w.jobs()
			}
			if got := counts(); got != (at.offset < 0) {
				t.Errorf("%s, %v from the moment, tidied %v: %v", c.name, at.offset, at.tidied, got)
			}
		}
	}
}

// previewed returns the grant of a preview.
func (w *world) previewed(out social.ActivateOut, err error) string {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
	_, preview := out.Bodies()
	return preview.(*social.Preview).ApprovalGrant
}

// active returns how many intents of u's are active.
func (w *world) active(u store.User) (n int) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) (err error) {
		n, err = r.ActiveIntents(as(u))
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) feed(u store.User) []social.FeedStory {
	w.Helper()
	out, err := w.s.ListFeed.Call(w.ctx, as(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	return out.Stories
}

func (w *world) review(u store.User) []social.ReviewItem {
	w.Helper()
	out, err := w.s.GetReview.Call(w.ctx, as(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	return out.Items
}

// jobs runs the jobs.
func (w *world) jobs() {
	w.Helper()
	for _, run := range []func(context.Context) error{w.s.Tidy, w.s.Remind} {
		if err := run(w.ctx); err != nil {
			w.Fatal(err)
		}
	}
}

// twice runs a job two times.
func (w *world) twice(job func(context.Context) error) {
	w.Helper()
	for range 2 {
		if err := job(w.ctx); err != nil {
			w.Error(err)
		}
	}
}

// The job takes grants that have expired out of the file, however many there are, and
// nothing else, in any number of runs; intents that have are not matched.
func TestTidy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const expired = 450
	w.write(func(tx *store.Tx) error {
		for i := range expired + 1 {
			tx.Now = tx.Tick()
			in := store.Intent{OwnerID: w.Cleo.ID, Kind: "offer", Terms: terms, Seeks: []string{}, Brings: []string{terms},
				MatchingMode: "fulfillment", Status: "active"}
			in.ExpiresAt = tx.Reader.Now().Add(time.Minute)
			if i == expired {
				in.ExpiresAt++
			}
			if err := tx.InsertIntent(&in); err != nil {
				return err
			}
			g := store.Grant{Hash: []byte(store.NewID()), UserID: w.Cleo.ID, Action: "publish_story", Payload: "{}", ExpiresAt: in.ExpiresAt}
			if err := tx.InsertGrant(&g, expired+1); err != nil {
				return err
			}
		}
		return nil
	})
	w.db.Clock.Advance(time.Minute)
	w.twice(w.s.Tidy)
	if w.intent(w.Ada, "ask", terms); len(w.matches(w.Ada)) != 1 {
		t.Errorf("%d matches with the one that has not expired", len(w.matches(w.Ada)))
	}
	for _, want := range []int{0, 1} { // the last grant expires a microsecond later
		w.write(func(tx *store.Tx) error {
			if ended, err := tx.PruneGrants(10_000); err != nil || len(ended) != want {
				t.Errorf("%d grants wait after the job, want %d: %v", len(ended), want, err)
			}
			return nil
		})
		w.db.Clock.Advance(time.Microsecond)
	}
}

// The job tells an account once that something of theirs expires within 72
// hours, in any number of runs, and after any pause.
func TestRemind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reminded := func(u store.User) (n int) {
		w.twice(w.s.Remind)
		for _, ev := range w.db.Events(t, u.ID) {
			if ev.Kind == "review.updated" {
				n++
			}
		}
		return n
	}
	// Each publication is an event of its own.
	w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(73 * time.Hour) })
	in := aStory(w)
	in.StoryExpiresAt, in.QuietSearch = w.later(74*time.Hour), nil
	w.story(w.Ben, social.PublishStoryIn{Text: in.Text, Audience: &social.Audience{UserIDs: []string{w.Ada.ID}, ConversationIDs: []string{}},
		StoryExpiresAt: in.StoryExpiresAt})
	w.intent(w.Cleo, "ask", "a sofa", func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(time.Hour) })
	paused := w.story(w.Stranger, social.PublishStoryIn{Text: "Paused",
		Audience: &social.Audience{UserIDs: []string{w.Ada.ID}, ConversationIDs: []string{}}, StoryExpiresAt: w.later(74 * time.Hour)})
	if _, err := w.s.UpdateStory.Call(w.ctx, as(w.Stranger), social.UpdateStoryIn{ID: paused.Story.ID, Status: "paused"}); err != nil {
		t.Fatal(err)
	}
	people := []store.User{w.Ada, w.Ben, w.Cleo, w.Stranger}
	before := make([]int, len(people))
	for i, u := range people {
		for _, ev := range w.db.Events(t, u.ID) {
			if ev.Kind == "review.updated" {
				before[i]++
			}
		}
	}
	for _, step := range []struct {
		wait time.Duration
		want []int // of ada, ben, cleo and the stranger, since the beginning
	}{
		{0, []int{0, 0, 1, 0}}, // what is in the window at the first run
		{time.Hour - time.Millisecond, []int{0, 0, 1, 0}},
		{time.Millisecond, []int{1, 0, 1, 0}},
		{0, []int{1, 0, 1, 0}},
		{24 * time.Hour, []int{1, 1, 1, 0}}, // the server was off
		{48 * time.Hour, []int{1, 1, 1, 0}},
	} {
		w.db.Clock.Advance(step.wait)
		var got []int
		for i, u := range people {
			got = append(got, reminded(u)-before[i])
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("after %v: %v, want %v", step.wait, got, step.want)
		}
	}
}
