package social_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/app/social"
	"hearth/store"
)

// draft writes down a draft of u's.
func (w *world) draft(u store.User, in social.CreateDraftIn) social.IntentDraft {
	w.Helper()
	out, err := w.s.CreateDraft.Call(w.ctx, as(u), in)
	if err != nil {
		w.Fatal(err)
	}
	return out.Draft
}

// activate publishes a draft of u's, with the preview that it needs.
func (w *world) activate(u store.User, in social.ActivateDraftIn) social.ActivateOut {
	w.Helper()
	in.Confirm = new(false)
	out, err := w.s.ActivateDraft.Call(w.ctx, as(u), in)
	if err != nil {
		w.Fatal(err)
	}
	_, preview := out.Bodies()
	in.Confirm, in.ApprovalGrant = new(true), preview.(*social.Preview).ApprovalGrant
	if out, err = w.s.ActivateDraft.Call(w.ctx, as(u), in); err != nil {
		w.Fatal(err)
	}
	return out
}

// The ways to publish with an approval: a Story alone, a search alone, and both.
const (
	storyAlone  = "a Story alone"
	searchAlone = "a search alone"
	both        = "a Story and a search"
)

// publish publishes a ladder that ada seeks, for an hour.
func (w *world) publish(what string) social.ActivateOut {
	w.Helper()
	d := w.draft(w.Ada, social.CreateDraftIn{Seeks: []string{terms}})
	in := social.ActivateDraftIn{ID: d.ID}
	if what != searchAlone {
		in.Story = &social.StoryChannel{Enabled: new(true), Text: "Who has a ladder?", ExpiresAt: w.later(time.Hour),
			Audience: &social.Audience{UserIDs: []string{w.Ben.ID}, ConversationIDs: []string{}}}
	}
	if what != storyAlone {
		in.QuietSearch = &social.QuietSearch{Enabled: new(true), ExpiresAt: w.later(time.Hour)}
	}
	return w.activate(w.Ada, in)
}

// update changes a Story of ada's and returns the code of the error.
func (w *world) update(id, status string, expires *store.Time) string {
	_, err := w.s.UpdateStory.Call(w.ctx, as(w.Ada), social.UpdateStoryIn{ID: id, Status: status, StoryExpiresAt: expires})
	return code(err)
}

// states returns the states of a Story of ada's and of its intent.
func (w *world) states(storyID string) string {
	w.Helper()
	stories, err := w.s.ListStories.Call(w.ctx, as(w.Ada), social.ListStoriesIn{})
	if err != nil {
		w.Fatal(err)
	}
	for _, s := range stories.Stories {
		if s.ID == storyID {
			return s.Status + " " + w.intentState(w.Ada, s.IntentID)
		}
	}
	return "missing"
}

// intentState returns the state of an intent of u's.
func (w *world) intentState(u store.User, id string) string {
	w.Helper()
	out, err := w.s.ListIntents.Call(w.ctx, as(u), social.ListIntentsIn{})
	if err != nil {
		w.Fatal(err)
	}
	for _, i := range out.Intents {
		if i.ID == id {
			return i.Status
		}
	}
	return "missing"
}

// A Story and its intent go through the states that the contract says: a search
// alone follows its Story, one beside a Story keeps its own state, and without
// one the intent is not matched at all.
func TestStoryTransitions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, changes, want string }{
		{storyAlone, "", "active paused"},
		{storyAlone, "paused", "paused paused"},
		{storyAlone, "paused paused", "paused paused"},
		{storyAlone, "paused active", "active paused"},
		{storyAlone, "active", "active paused"},
		{storyAlone, "withdrawn", "withdrawn withdrawn"},
		{storyAlone, "paused withdrawn", "withdrawn withdrawn"},
		{storyAlone, "withdrawn withdrawn", "withdrawn withdrawn"},
		{storyAlone, "withdrawn active!withdrawn", "withdrawn withdrawn"},
		{storyAlone, "withdrawn paused!withdrawn", "withdrawn withdrawn"},
		{storyAlone, "paused wait active!invalid_input", "paused paused"},
		{storyAlone, "paused wait active+extended", "active paused"},
		{storyAlone, "wait paused", "paused paused"},
		{storyAlone, "wait extended", "active paused"},
		{storyAlone, "withdrawn extended!withdrawn", "withdrawn withdrawn"},
		{searchAlone, "", "active active"},
		{searchAlone, "paused", "paused paused"},
		{searchAlone, "paused active", "active active"},
		{searchAlone, "withdrawn", "withdrawn withdrawn"},
		{searchAlone, "paused withdrawn", "withdrawn withdrawn"},
		{searchAlone, "withdrawn active!withdrawn", "withdrawn withdrawn"},
		{searchAlone, "wait", "active active"},
		{searchAlone, "paused wait active!invalid_input", "paused paused"},
		{searchAlone, "paused wait active+extended", "active active"},
		{searchAlone, "wait paused+extended", "paused paused"},
		{searchAlone, "ended", "withdrawn withdrawn"},
		{searchAlone, "ended active!withdrawn", "withdrawn withdrawn"},
		{searchAlone, "ended paused!withdrawn", "withdrawn withdrawn"},
		{searchAlone, "ended extended!withdrawn", "withdrawn withdrawn"},
		{searchAlone, "ended withdrawn", "withdrawn withdrawn"},
		{searchAlone, "paused ended active!withdrawn", "withdrawn withdrawn"},
		{searchAlone, "connected", "withdrawn connected"},
		{searchAlone, "connected active!withdrawn", "withdrawn connected"},
		{searchAlone, "connected withdrawn", "withdrawn withdrawn"},
		{storyAlone, "ended", "active withdrawn"},
		{storyAlone, "ended paused active", "active withdrawn"},
		{both, "ended paused active", "active withdrawn"},
		{both, "connected", "active connected"},
		{both, "", "active active"},
		{both, "paused", "paused active"},
		{both, "paused active", "active active"},
		{both, "withdrawn", "withdrawn active"},
	} {
		t.Run(c.what+": "+c.changes, func(t *testing.T) {
			w := newWorld(t)
			published := w.publish(c.what)
			id, last := published.Story.ID, ""
			for change := range strings.FieldsSeq(c.changes) {
				change, want, _ := strings.Cut(change, "!")
				status, extended := strings.CutSuffix(change, "extended")
				var expires *store.Time
				if extended {
					expires = w.later(time.Hour)
				}
				if change == "wait" {
					w.db.Clock.Advance(time.Hour)
				} else if change == "ended" || change == "connected" {
					w.ends(published, change)
				} else {
					status, told := strings.TrimSuffix(status, "+"), w.toldOf(id)
					if got := w.update(id, status, expires); got != want {
						t.Errorf("%s: got %q, want %q", change, got, want)
					}
					if n := w.toldOf(id) - told; (n > 0) != (want == "" && (status != last || extended)) {
						t.Errorf("%s: ada is told %d times", change, n)
					}
					last = status
				}
			}
			if got := w.states(id); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// toldOf returns how often ada was told of changes of a Story.
func (w *world) toldOf(storyID string) (n int) {
	for _, e := range w.db.Events(w.T, w.Ada.ID) {
		if e.Kind == "story.updated" && e.ObjectID == storyID {
			n++
		}
	}
	return n
}

// ends ends the intent that ada published. Its owner is told that the Story changed, and
// agents receive nothing from it any more.
func (w *world) ends(what social.ActivateOut, how string) {
	w.Helper()
	before := w.toldOf(what.Story.ID)
	if how == "connected" {
		w.intent(w.Ben, "offer", terms)
		w.answer(w.Ada, "approve")
		w.answer(w.Ben, "approve")
	} else if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: what.Intent.ID, Status: "withdrawn"}); err != nil {
		w.Fatal(err)
	}
	out, err := w.s.ListStories.Call(w.ctx, as(w.Ada), social.ListStoriesIn{})
	if err != nil {
		w.Fatal(err)
	}
	if now := out.Stories[0]; now.AgentSearchEnabled || now.ExplicitQuietSearch != what.Story.ExplicitQuietSearch ||
		!now.HumanVisible && (w.toldOf(what.Story.ID) != before+1 || now.UpdatedAt <= what.Story.UpdatedAt) {
		w.Errorf("after it %s the Story is %+v; ada was told %d times", how, now, w.toldOf(what.Story.ID)-before)
	}
}

// A search is matched while it is active: with what was published while it was
// paused, or had expired, once it is resumed or extended, and with nobody twice.
func TestResumedSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, changes string
		want          int
	}{
		{searchAlone, "offer", 1},
		{searchAlone, "paused offer", 0},
		{searchAlone, "paused offer active", 1},
		{searchAlone, "offer paused active", 1},
		{searchAlone, "offer paused offer active", 2},
		{searchAlone, "wait offer", 0},
		{searchAlone, "wait offer extended", 1},
		{searchAlone, "wait offer tidy extended", 1},
		{searchAlone, "wait tidy extended offer", 1},
		{searchAlone, "extended wait offer", 0},
		{searchAlone, "paused wait tidy offer active+extended", 1},
		{searchAlone, "withdrawn offer", 0},
		{storyAlone, "offer paused active extended", 0},
		{both, "paused offer", 1},
		{both, "withdrawn offer", 1},
		{both, "wait extended offer", 0}, // the search keeps its own expiry
	} {
		t.Run(c.what+": "+c.changes, func(t *testing.T) {
			w := newWorld(t)
			id := w.publish(c.what).Story.ID
			for change := range strings.FieldsSeq(c.changes) {
				status, extended := strings.CutSuffix(change, "extended")
				var expires *store.Time
				if extended {
					expires = w.later(time.Hour)
				}
				switch change {
				case "offer":
					w.intent(w.Ben, "offer", terms)
				case "wait":
					w.db.Clock.Advance(time.Hour)
				case "tidy":
					if err := w.s.Tidy(w.ctx); err != nil {
						t.Fatal(err)
					}
				default:
					if got := w.update(id, strings.TrimSuffix(status, "+"), expires); got != "" {
						t.Fatalf("%s: %s", change, got)
					}
				}
			}
			if n := len(w.matches(w.Ada)); n != c.want {
				t.Errorf("%d matches, want %d", n, c.want)
			}
		})
	}
}

// An intent is withdrawn from every state. Its owner sees its matches closed, for
// good, and for the other side nothing changes until they answer.
func TestIntentTransitions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		reach      func(w *world) string // returns the intent of ada's
	}{
		{"new", "active", func(w *world) string { return w.intent(w.Ada, "ask", terms).ID }},
		{"expired", "active", func(w *world) string {
			id := w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(time.Minute) }).ID
			w.db.Clock.Advance(time.Minute)
			return id
		}},
		{"of a Story", "paused", func(w *world) string { return w.publish(storyAlone).Intent.ID }},
		{"of a search", "active", func(w *world) string { return w.publish(searchAlone).Intent.ID }},
		{"of a paused search", "paused", func(w *world) string {
			out := w.publish(searchAlone)
			w.update(out.Story.ID, "paused", nil)
			return out.Intent.ID
		}},
		{"matched", "active", func(w *world) string {
			id := w.intent(w.Ada, "ask", terms).ID
			w.intent(w.Ben, "offer", terms)
			return id
		}},
		{"declined", "active", func(w *world) string {
			id := w.intent(w.Ada, "ask", terms).ID
			w.intent(w.Ben, "offer", terms)
			w.answer(w.Ben, "decline")
			return id
		}},
		{"connected, to be closed", "connected", func(w *world) string { return w.connected(true) }},
		{"connected, to be kept", "active", func(w *world) string { return w.connected(false) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			id := c.reach(w)
			if got := w.intentState(w.Ada, id); got != c.want {
				t.Errorf("%s is %s", c.name, got)
			}
			before := w.matches(w.Ben)
			var last store.Time
			for range 2 {
				out, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: id, Status: "withdrawn"})
				if err != nil || out.Intent.Status != "withdrawn" || last != 0 && out.Intent.UpdatedAt != last {
					t.Errorf("withdrawn: %+v %v", out, err)
				}
				last = out.Intent.UpdatedAt
			}
			if diff := cmp.Diff(before, w.matches(w.Ben)); diff != "" {
				t.Errorf("the other side sees that it was withdrawn (-before +after)\n%s", diff)
			}
			closed := w.matches(w.Ada)
			for _, m := range closed {
				if m.Status != "closed" && m.Status != "connected" {
					t.Errorf("a match of what was withdrawn is %s", m.Status)
				}
				if m = w.answer(w.Ada, "approve"); !m.AlreadyResolved {
					t.Errorf("an answer after it was withdrawn counts: %+v", m)
				}
			}
			for range before {
				if m := w.answer(w.Ben, "approve"); m.Status != "closed" && m.Status != "connected" {
					t.Errorf("the other side approves of what was withdrawn: %+v", m)
				}
			}
			if diff := cmp.Diff(closed, w.matches(w.Ada)); diff != "" {
				t.Errorf("the answer of the other side is seen after it was withdrawn (-before +after)\n%s", diff)
			}
			if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ben), social.WithdrawIntentIn{ID: id, Status: "withdrawn"}); code(err) != "not_found" {
				t.Errorf("somebody else withdraws: %v", err)
			}
		})
	}
}

// answer answers the newest match of u's.
func (w *world) answer(u store.User, decision string) social.AgentMatch {
	w.Helper()
	out, err := w.s.RespondMatch.Call(w.ctx, as(u), social.RespondMatchIn{ID: w.matches(u)[0].ID, Decision: decision})
	if err != nil {
		w.Fatal(err)
	}
	return out.Match
}

// connected connects ada and ben and returns the intent of ada's, which closes
// then or not. That of ben's does the opposite.
func (w *world) connected(closes bool) string {
	w.Helper()
	id := w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.CloseOnConnect = &closes }).ID
	other := w.intent(w.Ben, "offer", terms, func(in *social.CreateIntentIn) { in.CloseOnConnect = new(!closes) }).ID
	w.answer(w.Ada, "approve")
	if m := w.answer(w.Ben, "approve"); m.Status != "connected" || m.ConversationID == nil {
		w.Errorf("got %+v", m)
	}
	if want := map[bool]string{true: "active", false: "connected"}[closes]; w.intentState(w.Ben, other) != want {
		w.Errorf("the other intent is %s, want %s", w.intentState(w.Ben, other), want)
	}
	return id
}

// An intent that ends when it connects closes its other open matches, for the other
// sides once they answer; one that is kept can be connected again.
func TestCloseOnConnect(t *testing.T) {
	for _, closes := range []bool{true, false} {
		w := newWorld(t)
		w.intent(w.Ben, "offer", terms)
		w.intent(w.Cleo, "offer", terms)
		w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.CloseOnConnect = &closes })
		for _, m := range w.matches(w.Ada) {
			w.approve(w.Ada, m.ID)
		}
		w.answer(w.Ben, "approve")
		if got := w.matches(w.Cleo)[0].Status; got != "pending" {
			t.Errorf("closes %v: the other match is %s", closes, got)
		}
		want := map[bool]string{true: "closed", false: "awaiting_other"}[closes]
		if got := w.matches(w.Ada); got[0].Status == want == (got[1].Status == want) {
			t.Errorf("closes %v: got %+v, one of them must be %s", closes, got, want)
		}
		want = map[bool]string{true: "closed", false: "connected"}[closes]
		if got := w.answer(w.Cleo, "approve"); got.Status != want || got.AlreadyResolved {
			t.Errorf("closes %v: the second is %+v, want %s", closes, got, want)
		}
		n := len(w.matches(w.Ada))
		if w.intent(w.Stranger, "offer", terms); len(w.matches(w.Ada))-n != map[bool]int{true: 0, false: 1}[closes] {
			t.Errorf("closes %v: %d matches after another offer", closes, len(w.matches(w.Ada)))
		}
	}
}

// What is published without a goal is matched by what it seeks, as far as an intent can
// say it.
func TestLongTermsAreCut(t *testing.T) {
	w := newWorld(t)
	first := strings.Repeat("ä", 497)
	d := w.draft(w.Ada, social.CreateDraftIn{Seeks: []string{first, "more"}})
	out := w.activate(w.Ada, social.ActivateDraftIn{ID: d.ID, QuietSearch: &social.QuietSearch{Enabled: new(true),
		ExpiresAt: w.later(time.Hour)}})
	if want := first + ", m"; out.Intent.Terms != want {
		t.Errorf("the terms are %q", out.Intent.Terms)
	}
}

// What an intent seeks and brings is its terms, if it names neither.
func TestNormalisedTerms(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ kind, seeks, brings, wantSeeks, wantBrings string }{
		{"ask", "", "", "x", ""},
		{"offer", "", "", "", "x"},
		{"ask", "a", "", "a", ""},
		{"ask", "", "b", "", "b"},
		{"offer", "a", "", "a", ""},
		{"offer", "a", "b", "a", "b"},
	} {
		i := w.intent(w.Ada, c.kind, "x", func(in *social.CreateIntentIn) {
			in.Seeks, in.Brings = strings.Fields(c.seeks), strings.Fields(c.brings)
		})
		if strings.Join(i.Seeks, " ") != c.wantSeeks || strings.Join(i.Brings, " ") != c.wantBrings || i.Seeks == nil || i.Brings == nil {
			t.Errorf("%+v: got %q and %q", c, i.Seeks, i.Brings)
		}
	}
}

// told returns the matches that u was told about, in order.
func (w *world) told(u store.User) (ids []string) {
	for _, e := range w.db.Events(w.T, u.ID) {
		if e.Kind == "match.updated" {
			ids = append(ids, e.ObjectID)
		}
	}
	return ids
}

// times returns when each match of u's changed.
func (w *world) times(u store.User) map[string]store.Time {
	out := map[string]store.Time{}
	for _, m := range w.matches(u) {
		out[m.ID] = m.UpdatedAt
	}
	return out
}

// The end of an intent changes its open matches for its owner alone: the time of their
// change, and an event for each. The other sides learn of it when they answer, and it
// is no second change for the owner.
func TestMatchesOfAnIntentThatEnds(t *testing.T) {
	w := newWorld(t)
	id := w.intent(w.Ada, "ask", terms).ID
	people := []store.User{w.Ben, w.person("second"), w.person("third")}
	for _, u := range people {
		w.intent(u, "offer", terms)
	}
	w.db.Clock.Advance(time.Minute)
	if w.answer(people[2], "decline"); len(w.matches(w.Ada)) != 3 {
		t.Fatalf("%d matches", len(w.matches(w.Ada)))
	}
	before, own := len(w.told(w.Ada)), w.times(w.Ada)
	var others []int
	for _, u := range people {
		others = append(others, len(w.told(u)))
	}
	w.db.Clock.Advance(time.Minute)
	at := store.TimeOf(w.db.Clock.Now())
	if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: id, Status: "withdrawn"}); err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{}
	for _, m := range w.matches(w.Ada) {
		if declined := m.ID == w.matches(people[2])[0].ID; declined != (m.UpdatedAt == own[m.ID]) || !declined && m.UpdatedAt < at {
			t.Errorf("declined %v: changed at %d, was %d", declined, m.UpdatedAt, own[m.ID])
		} else if !declined {
			open[m.ID] = true
		}
	}
	for _, m := range w.told(w.Ada)[before:] {
		delete(open, m)
	}
	if len(open) > 0 || len(w.told(w.Ada)) != before+2 {
		t.Errorf("not told of %v: %v", open, w.told(w.Ada)[before:])
	}
	own = w.times(w.Ada)
	for n, u := range people {
		if m := w.matches(u)[0]; m.UpdatedAt >= at || len(w.told(u)) != others[n] {
			t.Errorf("%s learns of it: %+v, events %v", u.Name, m, w.told(u)[others[n]:])
		}
		w.db.Clock.Advance(time.Minute)
		if m := w.answer(u, "approve"); m.Status != "closed" {
			t.Errorf("%s approves: %+v", u.Name, m)
		}
	}
	for m, was := range w.times(w.Ada) {
		if was != own[m] {
			t.Errorf("a match changed again for its owner, from %d to %d", own[m], was)
		}
	}
}

// Whoever ended an intent is told nothing when the other side answers: they would learn
// that it did, and when.
func TestAnswerToAnIntentThatEnded(t *testing.T) {
	for _, decision := range []string{"approve", "decline"} {
		w := newWorld(t)
		id := w.intent(w.Ada, "ask", terms).ID
		w.intent(w.Ben, "offer", terms)
		if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: id, Status: "withdrawn"}); err != nil {
			t.Fatal(err)
		}
		own, other := len(w.db.Events(t, w.Ada.ID)), len(w.told(w.Ben))
		if m := w.answer(w.Ben, decision); m.Status != "closed" {
			t.Errorf("%s: %+v", decision, m)
		}
		if events := w.db.Events(t, w.Ada.ID)[own:]; len(events) != 0 || len(w.told(w.Ben)) != other+1 {
			t.Errorf("%s: %+v for the one who ended it, %d for the other", decision, events, len(w.told(w.Ben))-other)
		}
	}
}
