package social_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/social"
	"hearth/store"
)

const terms = "a long ladder for the gutters"

// When both sides answer at the same time, they are connected once, with one
// card, whatever the order.
func TestBothAnswerAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 20 {
		a, b := w.person(fmt.Sprint("a", i)), w.person(fmt.Sprint("b", i))
		text := fmt.Sprintf("the number %d of a tombola", 1000+i)
		w.intent(a, "ask", text)
		w.intent(b, "offer", text)
		id := w.matches(a)[0].ID
		var wg sync.WaitGroup
		for range 3 {
			for _, u := range []store.User{a, b} {
				wg.Go(func() {
					if _, err := w.s.RespondMatch.Call(w.ctx, as(u), social.RespondMatchIn{ID: id, Decision: "approve"}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		ma, mb := w.matches(a)[0], w.matches(b)[0]
		if ma.Status != "connected" || mb.Status != "connected" || *ma.ConversationID != *mb.ConversationID {
			t.Fatalf("got %+v and %+v", ma, mb)
		}
		w.cards(a, *ma.ConversationID, 1)
	}
}

// cards checks how many messages the conversation has.
func (w *world) cards(u store.User, conversationID string, want int) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) error {
		ms, err := r.Messages(as(u), conversationID, 0, 10)
		if len(ms) != want || ms[0].CardKind != "match_context" {
			w.Errorf("the conversation has %+v", ms)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

// What is answered twice, or after the end, changes nothing.
func TestAnswersAreFinal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ada, ben, wantAda, wantBen string }{
		{"approve", "", "awaiting_other", "pending"},
		{"decline", "", "closed", "closed"},
		{"approve", "decline", "closed", "closed"},
		{"approve", "approve", "connected", "connected"},
	} {
		w := newWorld(t)
		w.intent(w.Ada, "ask", terms)
		w.intent(w.Ben, "offer", terms)
		id := w.matches(w.Ada)[0].ID
		answer := func(u store.User, decision string) social.AgentMatch {
			out, err := w.s.RespondMatch.Call(w.ctx, as(u), social.RespondMatchIn{ID: id, Decision: decision})
			if err != nil {
				t.Fatal(err)
			}
			return out.Match
		}
		if answer(w.Ada, c.ada); c.ben != "" {
			answer(w.Ben, c.ben)
		}
		before := w.matches(w.Ben)[0]
		for _, decision := range []string{"approve", "decline"} {
			got := answer(w.Ada, decision)
			if got.Status != c.wantAda || got.AlreadyResolved != (c.wantAda == "closed" || c.wantAda == "connected") {
				t.Errorf("%+v: then %s: %+v", c, decision, got)
			}
		}
		if after := w.matches(w.Ben)[0]; after != before && *after.ConversationID != *before.ConversationID || after.Status != c.wantBen ||
			after.UpdatedAt != before.UpdatedAt {
			t.Errorf("%+v: ben has %+v, and had %+v", c, after, before)
		}
	}
}

// obstacles are what keeps two people, a who asks and b who offers, from being
// matched.
var obstacles = map[string]func(w *world, a, b store.User, group string){
	"a blocks b":        func(w *world, a, b store.User, _ string) { w.block(a, b) },
	"b blocks a":        func(w *world, a, b store.User, _ string) { w.block(b, a) },
	"a paused":          func(w *world, a, _ store.User, _ string) { w.pause(a, true) },
	"b paused":          func(w *world, _, b store.User, _ string) { w.pause(b, true) },
	"a is suspended":    func(w *world, a, _ store.User, _ string) { w.suspend(a) },
	"b is suspended":    func(w *world, _, b store.User, _ string) { w.suspend(b) },
	"b left the group":  func(w *world, _, b store.User, group string) { w.leave(b, group) },
	"a left the group":  func(w *world, a, _ store.User, group string) { w.leave(a, group) },
	"the offer expired": func(w *world, _, _ store.User, _ string) { w.db.Clock.Advance(time.Minute) },
}

// A match is made exactly if nothing stands against it, and connects exactly if
// nothing does when the second of both approves.
func TestEligibility(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := append(slices.Sorted(maps.Keys(obstacles)), "", "")
	for i := range 4 * len(names) {
		obstacle, late, askFirst := names[i%len(names)], i/len(names)%2 == 1, i/len(names) > 1
		t.Run(fmt.Sprintf("%s late=%v askFirst=%v", obstacle, late, askFirst), func(t *testing.T) {
			w.T = t
			w.eligibility(i, obstacle, late, askFirst)
		})
	}
}

func (w *world) eligibility(i int, obstacle string, late, askFirst bool) {
	a, b := w.person(fmt.Sprint("a", i)), w.person(fmt.Sprint("b", i))
	var group string
	w.write(func(tx *store.Tx) (err error) {
		group, err = tx.InsertGroup(w.Cleo.ID, []string{a.ID, b.ID}, "Group")
		return err
	})
	against := obstacles[obstacle]
	text := fmt.Sprintf("the number %d of a tombola", 5000+i)
	publish := []func(){
		func() {
			w.intent(a, "ask", text, func(in *social.CreateIntentIn) {
				in.Audience = &social.Audience{UserIDs: []string{w.Cleo.ID}, ConversationIDs: []string{group}}
			})
		},
		func() {
			w.intent(b, "offer", text, func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(time.Minute) })
		},
	}
	if askFirst {
		slices.Reverse(publish)
	}
	publish[0]()
	if against != nil && !late && obstacle != "the offer expired" {
		against(w, a, b, group)
	}
	if obstacle != "a left the group" || late {
		publish[1]()
	}
	matched := len(w.matches(a)) == 1
	if want := against == nil || late || obstacle == "the offer expired"; matched != want {
		w.Fatalf("matched: %v", matched)
	}
	if !matched {
		return
	}
	id := w.matches(a)[0].ID
	w.approve(b, id)
	if against != nil {
		against(w, a, b, group)
	}
	want := "connected"
	if against != nil {
		want = "closed"
	}
	if got := w.approve(a, id); got.Status != want {
		w.Errorf("got %s, want %s", got.Status, want)
	}
}

func (w *world) approve(u store.User, id string) social.AgentMatch {
	w.Helper()
	out, err := w.s.RespondMatch.Call(w.ctx, as(u), social.RespondMatchIn{ID: id, Decision: "approve"})
	if err != nil {
		w.Fatal(err)
	}
	return out.Match
}

func (w *world) block(a, b store.User) {
	w.write(func(tx *store.Tx) error { _, err := tx.InsertBlock(a.ID, b.ID); return err })
}

func (w *world) pause(u store.User, paused bool) {
	w.Helper()
	if _, err := w.s.UpdatePreferences.Call(w.ctx, as(u), social.UpdatePreferencesIn{NetworkPaused: &paused}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) suspend(u store.User) {
	w.write(func(tx *store.Tx) error {
		u.SuspendedAt = tx.Now
		_, err := tx.UpdateUser(u)
		return err
	})
}

func (w *world) leave(u store.User, group string) {
	w.write(func(tx *store.Tx) error { return tx.RemoveMember(store.Viewer{UserID: u.ID}, group, u.ID) })
}

// When the network is not paused any more, what was published meanwhile is
// matched.
func TestResumedNetwork(t *testing.T) {
	w := newWorld(t)
	w.pause(w.Ada, true)
	w.intent(w.Ada, "ask", terms)
	w.intent(w.Ben, "offer", terms)
	if n := len(w.matches(w.Ada)); n != 0 {
		t.Fatalf("%d matches while paused", n)
	}
	w.pause(w.Ada, false)
	if n := len(w.matches(w.Ada)); n != 1 {
		t.Errorf("%d matches after the pause", n)
	}
}

// Intents that are published at the same time are matched, too.
func TestPublishedAtOnce(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	for i := range 20 {
		u := w.person(fmt.Sprint("p", i))
		wg.Go(func() { w.intent(u, []string{"ask", "offer"}[i%2], terms) })
	}
	wg.Wait()
	var pairs int
	err := w.db.Read(w.ctx, func(r *store.Reader) error {
		for i := range 20 {
			u, err := r.UserByEmail(fmt.Sprintf("p%d@example.org", i))
			if err != nil {
				return err
			}
			pairs += len(w.matches(u))
		}
		return nil
	})
	if err != nil || pairs != 2*100 {
		t.Errorf("%d sides of matches, want 200 of ten asks and ten offers: %v", pairs, err)
	}
}

// A match says how the two fit, with a score of two decimals, to both sides alike and in
// the card of their conversation.
func TestMatchTypes(t *testing.T) {
	t.Parallel()
	for want, of := range map[string][2]social.CreateIntentIn{
		"complementary": {{Kind: "ask", Seeks: []string{terms}}, {Kind: "offer", Brings: []string{terms}}},
		"reciprocal": {
			{Kind: "ask", Seeks: []string{terms}, Brings: []string{"homemade apple juice"}, MatchingMode: "reciprocal"},
			{Kind: "offer", Seeks: []string{"homemade apple juice"}, Brings: []string{terms}},
		},
		"shared_goal": {
			{Kind: "ask", Goal: "a community garden behind the station", Seeks: []string{"a spade"}, MatchingMode: "shared_goal",
				OpenToCollaborators: true},
			{Kind: "ask", Goal: "a community garden behind the station", Seeks: []string{"tomato seeds"}, MatchingMode: "shared_goal",
				OpenToCollaborators: true},
		},
	} {
		w := newWorld(t)
		for n, u := range []store.User{w.Ada, w.Ben} {
			in := of[n]
			in.Terms, in.Confirm = fmt.Sprintf("number %d", n), new(true)
			if _, err := w.s.CreateIntent.Call(w.ctx, as(u), in); err != nil {
				t.Fatal(err)
			}
		}
		ada, ben := w.matches(w.Ada), w.matches(w.Ben)
		if len(ada) != 1 || len(ben) != 1 {
			t.Fatalf("%s: %+v and %+v", want, ada, ben)
		}
		if a, b := ada[0], ben[0]; a.MatchType != want || b.MatchType != want || a.Score != b.Score || a.Score < 0.1 || a.Score > 1 ||
			a.Score != math.Round(a.Score*100)/100 {
			t.Errorf("%s: %+v and %+v", want, a, b)
		}
		w.answer(w.Ada, "approve")
		id := *w.answer(w.Ben, "approve").ConversationID
		if err := w.db.Read(w.ctx, func(r *store.Reader) error {
			ms, err := r.Messages(as(w.Ada), id, 0, 10)
			var card social.MatchCard
			if err == nil {
				err = json.Unmarshal([]byte(ms[0].CardPayload), &card)
			}
			if card.MatchID != ada[0].ID || card.MatchType != want || card.AskTerms != "number 0" || card.OfferTerms != "number 1" {
				t.Errorf("%s: the card has %+v", want, card)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}
