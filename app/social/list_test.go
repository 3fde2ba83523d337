package social_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// The list of intents has the newest 500, and those that are active however old they
// are, the newest first.
func TestActiveIntentsAreListed(t *testing.T) {
	w := newWorld(t)
	w.intent(w.Ben, "ask", terms)
	active := w.intent(w.Ada, "ask", terms)
	expired := w.intent(w.Ada, "ask", terms, func(in *social.CreateIntentIn) { in.ExpiresAt = w.later(time.Minute) })
	withdrawn := w.intent(w.Ada, "ask", terms)
	if _, err := w.s.UpdateIntent.Call(w.ctx, as(w.Ada), social.WithdrawIntentIn{ID: withdrawn.ID, Status: "withdrawn"}); err != nil {
		t.Fatal(err)
	}
	w.db.Clock.Advance(time.Minute)
	w.write(func(tx *store.Tx) (err error) {
		for n := range 500 {
			i := store.Intent{OwnerID: w.Ada.ID, Kind: "ask", Terms: fmt.Sprint(n), Seeks: []string{}, Brings: []string{}, MatchingMode: "fulfillment", Status: "withdrawn"}
			if tx.Now = tx.Tick(); err == nil {
				err = tx.InsertIntent(&i, nil)
			}
		}
		return err
	})
	last := w.intent(w.Ada, "offer", "a spade")
	out, err := w.s.ListIntents.Call(w.ctx, as(w.Ada), core.None{})
	if err != nil {
		t.Fatal(err)
	}
	ids := core.Map(out.Intents, func(i social.AgentIntent) string { return i.ID })
	if n := len(ids); n != 501 || ids[0] != last.ID || ids[500] != active.ID || slices.Contains(ids, expired.ID) || slices.Contains(ids, withdrawn.ID) {
		t.Errorf("%d are listed", n)
	}
	if !slices.IsSortedFunc(out.Intents, func(a, b social.AgentIntent) int { return int(b.CreatedAt - a.CreatedAt) }) {
		t.Error("they are not in order")
	}
}

// Without a state the list of drafts has those of all states, the newest first: the
// newest 500, and all that are pending.
func TestDraftsOfAllStates(t *testing.T) {
	w := newWorld(t)
	w.draft(w.Ben, social.CreateDraftIn{Goal: "Of somebody else"})
	pending := w.draft(w.Ada, social.CreateDraftIn{Goal: "pending"})
	old := w.draft(w.Ada, social.CreateDraftIn{Goal: "dismissed"})
	dismiss := func(id string) {
		t.Helper()
		if _, err := w.s.UpdateDraft.Call(w.ctx, as(w.Ada), social.UpdateDraftIn{ID: id, State: core.Some("dismissed")}); err != nil {
			t.Fatal(err)
		}
	}
	dismiss(old.ID)
	list := func(state string) []string {
		t.Helper()
		out, err := w.s.ListDrafts.Call(w.ctx, as(w.Ada), social.ListDraftsIn{State: state})
		if err != nil {
			t.Fatal(err)
		}
		return core.Map(out.Drafts, func(d social.IntentDraft) string { return d.ID })
	}
	activated := w.draft(w.Ada, social.CreateDraftIn{Goal: "activated"})
	w.activate(w.Ada, social.ActivateDraftIn{ID: activated.ID, QuietSearch: hour(w)})
	for state, want := range map[string][]string{
		"": {activated.ID, old.ID, pending.ID}, "pending": {pending.ID}, "dismissed": {old.ID}, "activated": {activated.ID},
	} {
		if got := list(state); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", state, got, want)
		}
	}
	w.write(func(tx *store.Tx) (err error) {
		for range 499 {
			d := store.Draft{OwnerID: w.Ada.ID, Goal: "More", MatchingMode: "fulfillment"}
			if tx.Now = tx.Tick(); err == nil {
				err = tx.InsertDraft(&d)
			}
			if d.State = "dismissed"; err == nil {
				err = tx.UpdateDraft(&d)
			}
		}
		return err
	})
	if got := list(""); len(got) != 501 || got[499] != activated.ID || got[500] != pending.ID {
		t.Errorf("%d are listed", len(got))
	}
}

// The list of matches has the newest 500, and older ones that wait for an answer of the
// account's, the newest first.
func TestOpenMatchesAreListed(t *testing.T) {
	w := newWorld(t)
	var waiting, answered string
	w.write(func(tx *store.Tx) error {
		intent := func(owner string, n int) store.Intent {
			tx.Now = tx.Tick()
			i := store.Intent{OwnerID: owner, Kind: "ask", Terms: fmt.Sprint(n), Seeks: []string{}, Brings: []string{}, MatchingMode: "fulfillment", Status: "active"}
			if err := tx.InsertIntent(&i, nil); err != nil {
				t.Fatal(err)
			}
			return i
		}
		ada := intent(w.Ada.ID, -1)
		for n := range 502 {
			ben := intent(w.Ben.ID, n)
			id, err := tx.InsertMatch(&ada, &ben, "complementary", 50)
			switch {
			case err != nil:
				return err
			case n == 0:
				waiting = id
			case n == 1:
				answered = id
				err = tx.ApproveMatch(id, w.Ada.ID)
			default:
				err = tx.CloseMatch(id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	out, err := w.s.ListMatches.Call(w.ctx, as(w.Ada), core.None{})
	if err != nil {
		t.Fatal(err)
	}
	ids := core.Map(out.Matches, func(m social.AgentMatch) string { return m.ID })
	if n := len(ids); n != 501 || ids[500] != waiting || slices.Contains(ids, answered) {
		t.Errorf("%d are listed", n)
	}
}
