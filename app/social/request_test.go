package social_test

import (
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/people"
	"hearth/app/social"
	"hearth/store"
)

// agent returns a key of u's, which expires at a moment unless that is 0.
func (w *world) agent(u store.User, expires store.Time) store.Viewer {
	w.Helper()
	v := as(u)
	v.Kind, v.AgentName, v.KeyID, v.CanRead, v.CanWrite = store.Agent, "Crumb", store.NewID(), true, true
	w.write(func(tx *store.Tx) error {
		_, err := tx.InsertKey(store.Key{ID: v.KeyID, UserID: u.ID, Kind: "agent", Name: "Kitchen key", AgentName: "Crumb", Prefix: "oc_12345678",
			Hash:    v.KeyID,
			CanRead: true, CanWrite: true, ExpiresAt: expires})
		return err
	})
	return v
}

// requests returns what agents of u's ask for.
func (w *world) requests(u store.User) []social.Request {
	w.Helper()
	out, err := w.s.ListRequests.Call(w.ctx, as(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	waiting, err := w.s.GetWaiting.Call(w.ctx, as(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	inbox, err := w.s.GetInbox.Call(w.ctx, as(u), core.None{})
	if err != nil || waiting.Count != len(inbox.Items) || inbox.Count != len(inbox.Items) {
		w.Errorf("the inbox has %d entries, and %d wait; %v", len(inbox.Items), waiting.Count, err)
	}
	return out.Requests
}

// toldOfReview returns how often u was told that what waits has changed.
func (w *world) toldOfReview(u store.User) (n int) {
	for _, e := range w.db.Events(w.T, u.ID) {
		if e.Kind == "review.updated" {
			n++
		}
	}
	return n
}

// A request of an agent is gone, and its account is told so, once it could not be
// approved any more.
func TestRequestsEnd(t *testing.T) {
	t.Parallel()
	edit := func(in social.UpdateDraftIn) func(*world, string, string) {
		return func(w *world, draftID, _ string) {
			in.ID = draftID
			if _, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), in); err != nil {
				t.Error(err)
			}
		}
	}
	change := func(status string) func(*world, string, string) {
		return func(w *world, _, storyID string) {
			if _, err := w.s.UpdateStory.Call(w.ctx, as(w.Ben), social.UpdateStoryIn{ID: storyID, Status: status}); err != nil {
				t.Error(err)
			}
		}
	}
	wait := func(d time.Duration) func(*world, string, string) {
		return func(w *world, _, _ string) {
			w.db.Clock.Advance(d)
			if err := w.s.Tidy(w.ctx); err != nil {
				t.Error(err)
			}
		}
	}
	for name, c := range map[string]struct {
		about string
		end   func(w *world, draftID, storyID string)
		left  bool
	}{
		"the draft is edited":    {"draft", edit(social.UpdateDraftIn{Details: core.Some("x")}), false},
		"the draft is dismissed": {"draft", edit(social.UpdateDraftIn{State: core.Some("dismissed")}), false},
		"the draft is published": {"draft", func(w *world, id, _ string) {
			w.activate(w.Ada,
				social.ActivateDraftIn{ID: id, QuietSearch: hour(w)})
		}, false},
		"the Story is paused":    {"reply", change("paused"), false},
		"the Story is withdrawn": {"reply", change("withdrawn"), false},
		"the Story is kept longer": {"reply", func(w *world, _, id string) {
			if _, err := w.s.UpdateStory.Call(w.ctx, as(w.Ben), social.UpdateStoryIn{ID: id, StoryExpiresAt: w.later(2 * time.Hour)}); err != nil {
				t.Error(err)
			}
		}, true},
		"the key expires":  {"Story", wait(5 * time.Minute), false},
		"ten minutes pass": {"draft", wait(10 * time.Minute), false},
		"nine pass":        {"draft", wait(9 * time.Minute), true},
		"another draft is edited": {"draft", func(w *world, _, _ string) {
			d := w.draft(w.Ada, social.CreateDraftIn{Goal: "Another"})
			edit(social.UpdateDraftIn{Goal: core.Some("Another one")})(w, d.ID, "")
		}, true},
	} {
		w := newWorld(t)
		story := w.story(w.Ben, social.PublishStoryIn{Text: "Soup", Audience: &social.Audience{UserIDs: []string{w.Ada.ID, w.Cleo.ID},
			ConversationIDs: []string{}}, StoryExpiresAt: w.later(time.Hour)}).Story
		if _, err := w.s.SeeStories.Call(w.ctx, as(w.Cleo), social.SeeStoriesIn{StoryIDs: []string{story.ID}}); err != nil {
			t.Fatal(err)
		}
		d := w.draft(w.Ada, social.CreateDraftIn{Seeks: []string{terms}})
		var err error
		switch c.about {
		case "draft":
			_, err = w.s.ActivateDraft.Call(w.ctx, w.agent(w.Ada, 0), social.ActivateDraftIn{ID: d.ID, Confirm: new(false), QuietSearch: hour(w)})
		case "reply":
			_, err = w.s.RespondStory.Call(w.ctx, w.agent(w.Ada, 0), social.RespondStoryIn{ID: story.ID, Confirm: new(false), Message: "Me!"})
		default:
			in := aStory(w)
			in.Confirm = new(false)
			_, err = w.s.PublishStory.Call(w.ctx, w.agent(w.Ada, *w.later(5 * time.Minute)), in)
		}
		if n := len(w.requests(w.Ada)); err != nil || n != 1 {
			t.Fatalf("%s: %d requests, %v", name, n, err)
		}
		told, others := w.toldOfReview(w.Ada), w.toldOfReview(w.Cleo)
		c.end(w, d.ID, story.ID)
		if left := len(w.requests(w.Ada)) == 1; left != c.left {
			t.Errorf("%s: the request is left: %v", name, left)
		}
		if n := w.toldOfReview(w.Ada); !c.left && n == told {
			t.Errorf("%s: nobody is told", name)
		} else if c.about == "reply" && c.left && n != told {
			t.Errorf("%s: ada is told", name)
		}
		if w.toldOfReview(w.Cleo) != others {
			t.Errorf("%s: cleo is told, whose agent asks for nothing", name)
		}
	}
}

// A person whose agent asks to answer a Story gets an event when a block or the author
// hides the Story from them or shows it again, and at no other time.
func TestRequestsFollowTheStory(t *testing.T) {
	w := newWorld(t)
	blocks := people.New(people.Config{DB: w.db.DB, WatchInbox: social.WatchInbox})
	group := w.group(w.Ben, w.Ada)
	story := w.story(w.Ben, social.PublishStoryIn{Text: "Soup", Audience: &social.Audience{UserIDs: []string{},
		ConversationIDs: []string{group}}, StoryExpiresAt: w.later(3 * time.Minute)}).Story
	if _, err := w.s.RespondStory.Call(w.ctx, w.agent(w.Ada, 0), social.RespondStoryIn{ID: story.ID, Confirm: new(false),
		Message: "Me!"}); err != nil {
		t.Fatal(err)
	}
	if out, err := w.s.GetWaiting.Call(w.ctx, as(w.Ada), core.None{}); err != nil || out.Until != *story.StoryExpiresAt {
		t.Errorf("it waits until %v, and the Story until %v: %v", out.Until, story.StoryExpiresAt, err)
	}
	update := func(in social.UpdateStoryIn) error {
		in.ID = story.ID
		_, err := w.s.UpdateStory.Call(w.ctx, as(w.Ben), in)
		return err
	}
	block := func() error {
		_, err := blocks.BlockUser.Call(w.ctx, as(w.Ben), core.ByID{ID: w.Ada.ID})
		return err
	}
	for _, step := range []struct {
		what string
		do   func() error
		left int
		told bool
	}{
		{"the end", func() error { w.db.Clock.Advance(3 * time.Minute); return nil }, 0, false},
		{"extended", func() error { return update(social.UpdateStoryIn{StoryExpiresAt: w.later(time.Hour)}) }, 1, true},
		{"extended again", func() error { return update(social.UpdateStoryIn{StoryExpiresAt: w.later(2 * time.Hour)}) }, 1, false},
		{"blocked", block, 0, true},
		{"unblocked", func() error {
			_, err := blocks.UnblockUser.Call(w.ctx, as(w.Ben), core.ByID{ID: w.Ada.ID})
			return err
		}, 1, true},
		{"paused", func() error { return update(social.UpdateStoryIn{Status: "paused"}) }, 0, true},
		{"blocked, which changes nothing", block, 0, false},
	} {
		told := w.toldOfReview(w.Ada)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if n := len(w.requests(w.Ada)); n != step.left || (w.toldOfReview(w.Ada) > told) != step.told {
			t.Errorf("%s: %d requests, and %d events", step.what, n, w.toldOfReview(w.Ada)-told)
		}
	}
}

// group returns a conversation of some people that owner made.
func (w *world) group(owner store.User, others ...store.User) (id string) {
	w.Helper()
	w.write(func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(owner.ID, core.Map(others, func(u store.User) string { return u.ID }), "Sunday table")
		return err
	})
	return id
}

// hour is a search for an hour.
func hour(w *world) *social.QuietSearch {
	return &social.QuietSearch{Enabled: new(true), ExpiresAt: w.later(time.Hour)}
}

// A request for a draft publishes what it shows, and nothing that the draft said
// before.
func TestRequestIsOfTheDraft(t *testing.T) {
	w := newWorld(t)
	d := w.draft(w.Ada, social.CreateDraftIn{Goal: "A band", Seeks: []string{"a drummer"}})
	if _, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: d.ID, Seeks: core.Some([]string{})}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.ActivateDraft.Call(w.ctx, w.agent(w.Ada, 0), social.ActivateDraftIn{ID: d.ID, Kind: "ask", Confirm: new(false),
		QuietSearch: hour(w)}); err != nil {
		t.Fatal(err)
	}
	requests := w.requests(w.Ada)
	if _, err := w.s.AnswerRequest.Call(w.ctx, as(w.Ada), social.AnswerRequestIn{ID: requests[0].ID, Decision: "approve"}); err != nil {
		t.Fatal(err)
	}
	out, err := w.s.ListIntents.Call(w.ctx, as(w.Ada), social.ListIntentsIn{})
	if err != nil || len(out.Intents) != 1 || out.Intents[0].Seeks[0] != "A band" {
		t.Errorf("%+v, %v", out, err)
	}
}

// The request of an agent for people who cannot be named any more is refused in words
// that name nobody.
func TestRequestForSomebodyWhoIsGone(t *testing.T) {
	w := newWorld(t)
	for _, search := range []bool{false, true} {
		in := aStory(w)
		in.Confirm = new(false)
		in.QuietSearch.Audience, in.Audience = in.Audience, &social.Audience{UserIDs: []string{w.Cleo.ID}, ConversationIDs: []string{}}
		if !search {
			in.Audience, in.QuietSearch = in.QuietSearch.Audience, nil
		}
		if _, err := w.s.PublishStory.Call(w.ctx, w.agent(w.Ada, 0), in); err != nil {
			t.Fatal(err)
		}
	}
	w.block(w.Ben, w.Ada)
	requests := w.requests(w.Ada)
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	for _, r := range requests {
		_, err := w.s.AnswerRequest.Call(w.ctx, as(w.Ada), social.AnswerRequestIn{ID: r.ID, Decision: "approve"})
		if e := core.As(err); e.Code != "request_audience" ||
			e.Msg != "Somebody named in this request can no longer be reached, so it cannot be approved. Refuse it. The agent can ask again for "+
				"others." {
			t.Errorf("got %v", err)
		}
	}
}

// A grant ends with the first of what it publishes: what has ended cannot be approved, and
// nobody is asked to.
func TestGrantsEndWithWhatTheyPublish(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		story, search time.Duration // 0 for none
		want          time.Duration
	}{
		"the Story is first":       {3 * time.Minute, time.Hour, 3 * time.Minute},
		"the search is first":      {time.Hour, 4 * time.Minute, 4 * time.Minute},
		"a search alone":           {0, 5 * time.Minute, 5 * time.Minute},
		"a Story alone":            {6 * time.Minute, 0, 6 * time.Minute},
		"ten minutes are the most": {time.Hour, time.Hour, 10 * time.Minute},
	} {
		w := newWorld(t)
		var search *social.QuietSearch
		if c.search != 0 {
			search = &social.QuietSearch{Enabled: new(true), ExpiresAt: w.later(c.search)}
		}
		var story *social.StoryChannel
		if c.story != 0 {
			story = &social.StoryChannel{Enabled: new(true), Text: "Soup",
				Audience: &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}, ExpiresAt: w.later(c.story)}
		}
		d := w.draft(w.Ada, social.CreateDraftIn{Seeks: []string{terms}})
		out, err := w.s.ActivateDraft.Call(w.ctx, w.agent(w.Ada, 0), social.ActivateDraftIn{ID: d.ID, Confirm: new(false), QuietSearch: search,
			Story: story})
		if err != nil {
			t.Fatal(err)
		}
		_, preview := out.Bodies()
		asked := w.requests(w.Ada)
		if end := *w.later(c.want); len(asked) != 1 || asked[0].ExpiresAt != end || preview.(*social.Preview).ExpiresAt != end {
			t.Fatalf("%s: %+v", name, asked)
		}
		told := w.toldOfReview(w.Ada)
		w.db.Clock.Advance(c.want)
		if err := w.s.Tidy(w.ctx); err != nil {
			t.Fatal(err)
		}
		if left := w.requests(w.Ada); len(left) != 0 || w.toldOfReview(w.Ada) == told {
			t.Errorf("%s: %d are left, and the account was told %d times", name, len(left), w.toldOfReview(w.Ada)-told)
		}
		_, err = w.s.AnswerRequest.Call(w.ctx, as(w.Ada), social.AnswerRequestIn{ID: asked[0].ID, Decision: "approve"})
		if code(err) != "request_gone" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
