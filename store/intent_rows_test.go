package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// ask publishes an ask of an account.
func ask(t *testing.T, db *storetest.DB, owner store.User, audience store.Audience) (i store.Intent) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		i = store.Intent{OwnerID: owner.ID, Kind: "ask", Terms: "x", Seeks: []string{"a"}, Brings: []string{"b"}, MatchingMode: "fulfillment", Status: "active", Audience: audience}
		return tx.InsertIntent(&i)
	})
	return i
}

// reading reads in one state.
func reading(t *testing.T, db *storetest.DB, f func(r *store.Reader) error) {
	t.Helper()
	if err := db.Read(t.Context(), f); err != nil {
		t.Error(err)
	}
}

// An audience is that of its intent alone, with all of its people and conversations in
// order, however many there are of each; only an intent without one is for everybody.
func TestAudiencesBeside(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p := storetest.People(t, db)
	people := []string{p.Ben.ID, p.Cleo.ID, p.Stranger.ID}
	var places []string
	for range 3 {
		places = append(places, group(t, db, p.Ada, p.Ben))
	}
	slices.Sort(people)
	slices.Sort(places)
	audiences := []store.Audience{{}, {UserIDs: people}, {ConversationIDs: places}, {UserIDs: people[:1], ConversationIDs: places[:1]}, {UserIDs: people[:2], ConversationIDs: places[:2]}, {UserIDs: people[1:], ConversationIDs: places}}
	backwards := func(ids []string) []string {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
		return ids
	}
	var intents []store.Intent
	for _, a := range audiences {
		intents = append(intents, ask(t, db, p.Ada, store.Audience{UserIDs: backwards(a.UserIDs), ConversationIDs: backwards(a.ConversationIDs)}))
	}
	reading(t, db, func(r *store.Reader) error {
		for n, want := range audiences {
			i, err := r.Intent(storetest.Human(p.Ada), intents[n].ID)
			if err != nil || i.Restricted != (n > 0) || want.Empty() != (n == 0) {
				t.Errorf("intent %d is restricted: %v, and its audience empty: %v; %v", n, i.Restricted, want.Empty(), err)
			}
			got, err := r.IntentAudience(storetest.Human(p.Ada), i.Seq)
			if err != nil || !slices.Equal(got.UserIDs, want.UserIDs) || !slices.Equal(got.ConversationIDs, want.ConversationIDs) {
				t.Errorf("intent %d is for %v, want %v; %v", n, got, want, err)
			}
			if got, err := r.IntentAudience(storetest.Human(p.Ben), i.Seq); err != nil || !got.Empty() {
				t.Errorf("intent %d is for %v, as another account reads: %v", n, got, err)
			}
		}
		return nil
	})
}

// An audience is named of people whom its account sees, but for itself and bots, and of
// conversations that it is in.
func TestWhoCanBeAnAudience(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var bot store.User
	write(t, db, func(tx *store.Tx) (err error) {
		if bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ada.ID, SignupProvider: "bot"}); err == nil {
			_, err = tx.InsertBlock(p.Cleo.ID, p.Ada.ID)
		}
		return err
	})
	in, out := group(t, db, p.Ada), group(t, db, p.Ben)
	reading(t, db, func(r *store.Reader) error {
		got, err := r.AudienceUnknown(storetest.Human(p.Ada), store.Audience{UserIDs: []string{p.Ada.ID, p.Ben.ID, bot.ID, p.Cleo.ID, "none"}, ConversationIDs: []string{in, out, p.Ben.ID}})
		if want := []string{p.Ada.ID, bot.ID, p.Cleo.ID, "none", out, p.Ben.ID}; !slices.Equal(got, want) {
			t.Errorf("cannot be named: %q, want %q", got, want)
		}
		return err
	})
}

// The listed intents of an account are its active ones, up to a number, and none of
// others.
func TestListedIntentsBeside(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	var all []store.Intent
	for _, u := range []store.User{p.Ada, p.Ben, p.Ada, p.Ada} {
		all = append(all, ask(t, db, u, store.Audience{}))
	}
	for _, tc := range []struct {
		status        string // of the last intent
		ada, everyone int
	}{{"active", 3, 4}, {"paused", 2, 3}, {"withdrawn", 2, 3}} {
		write(t, db, func(tx *store.Tx) error {
			if tc.status == "active" {
				return nil
			}
			i := all[3]
			return tx.SetIntentStatus(&i, tc.status)
		})
		reading(t, db, func(r *store.Reader) error {
			ada, err := r.ListedIntents(storetest.Human(p.Ada), 9)
			one, err2 := r.ListedIntents(storetest.Human(p.Ada), 1)
			everyone, err3 := r.AllActiveIntents(9)
			newest, err4 := r.AllActiveIntents(2)
			if len(ada) != tc.ada || len(one) != 1 || len(everyone) != tc.everyone || len(newest) != 2 || newest[1] != everyone[1] {
				t.Errorf("%s: %d of Ada, %d of one, %v of all, %v of two", tc.status, len(ada), len(one), everyone, newest)
			}
			return errors.Join(err, err2, err3, err4)
		})
	}
}

// Those who are in the audience of an intent are matched with it, and nobody else: by
// name, by a conversation that both are in, or both; and only once, and while it is active.
func TestEligibleOfAnAudience(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	with, without := group(t, db, p.Ada, p.Cleo), group(t, db, p.Cleo, p.Stranger) // Ada is not in the second
	var chosen []int64
	var intents []store.Intent
	for _, u := range []store.User{p.Ben, p.Cleo, p.Stranger, p.Ada} {
		intents = append(intents, ask(t, db, u, store.Audience{}))
		chosen = append(chosen, intents[len(intents)-1].Seq)
	}
	for _, tc := range []struct {
		audience store.Audience
		want     []int // of the intents
	}{
		{store.Audience{}, []int{0, 1, 2}},
		{store.Audience{UserIDs: []string{p.Ben.ID}}, []int{0}},
		{store.Audience{ConversationIDs: []string{with}}, []int{1}},
		{store.Audience{ConversationIDs: []string{without}}, nil},
		{store.Audience{UserIDs: []string{p.Stranger.ID}, ConversationIDs: []string{with}}, []int{1, 2}},
		{store.Audience{UserIDs: []string{p.Ada.ID}}, nil},
	} {
		own := ask(t, db, p.Ada, tc.audience)
		eligible := func(when string, want []int) {
			t.Helper()
			reading(t, db, func(r *store.Reader) error {
				got, err := r.EligibleOf(own.Seq, chosen)
				var seqs []int64
				for _, n := range want {
					seqs = append(seqs, chosen[n])
				}
				if !slices.Equal(got, seqs) {
					t.Errorf("for %v, %s: %v, want %v", tc.audience, when, got, seqs)
				}
				return err
			})
		}
		eligible("at first", tc.want)
		write(t, db, func(tx *store.Tx) error { _, err := tx.InsertMatch(&own, &intents[0], "complementary", 50); return err })
		eligible("matched with Ben's before", slices.DeleteFunc(tc.want, func(n int) bool { return n == 0 }))
		write(t, db, func(tx *store.Tx) error { return tx.SetIntentStatus(&own, "withdrawn") })
		eligible("withdrawn", nil)
	}
}

// The Story of an intent is the one of that intent, for its account; and an intention
// that changes says when it did.
func TestStoryOfAnIntent(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	var intents []store.Intent
	for n := range 3 {
		intents = append(intents, ask(t, db, p.Ada, store.Audience{}))
		write(t, db, func(tx *store.Tx) error {
			if n == 2 {
				return nil
			}
			return tx.InsertStory(&store.Story{ID: fmt.Sprint("story", n), OwnerID: p.Ada.ID, Intent: intents[n], QuietSearch: true, Status: "active", SearchExpiresAt: 1 << 60})
		})
	}
	reading(t, db, func(r *store.Reader) error {
		for n, i := range intents {
			s, err := r.StoryOf(storetest.Human(p.Ada), i.Seq)
			if want := fmt.Sprint("story", n); n < 2 && (s.ID != want || s.Intent.ID != i.ID || err != nil) || n == 2 && !errors.Is(err, store.ErrNoRow) {
				t.Errorf("of intent %d the Story %q with the intent %q, %v", n, s.ID, s.Intent.ID, err)
			}
			if _, err := r.StoryOf(storetest.Human(p.Ben), i.Seq); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("another reads the Story of intent %d: %v", n, err)
			}
		}
		return nil
	})
	write(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.InsertIntention(&store.Intention{Intent: intents[1], State: "open"}), tx.InsertIntention(&store.Intention{Intent: intents[0], State: "open"}))
	})
	write(t, db, func(tx *store.Tx) error {
		for _, i := range intents[:2] {
			if n, err := tx.Intention(storetest.Human(p.Ada), i.ID); err != nil || n.Intent.ID != i.ID {
				t.Errorf("the intention of %s, want %s: %v", n.Intent.ID, i.ID, err)
			}
		}
		_, none := tx.Intention(storetest.Human(p.Ada), intents[2].ID)
		if _, err := tx.Intention(storetest.Human(p.Ben), intents[0].ID); !errors.Is(err, store.ErrNoRow) || !errors.Is(none, store.ErrNoRow) {
			t.Errorf("an intention of another: %v, or of an intent without one: %v", err, none)
		}
		n, err := tx.Intention(storetest.Human(p.Ada), intents[0].ID)
		if err != nil {
			return err
		}
		err = tx.UpdateIntention(&n)
		if stored, err := tx.Intention(storetest.Human(p.Ada), intents[0].ID); err != nil || stored.UpdatedAt != tx.Now || n.UpdatedAt != tx.Now || stored.Revision != 2 {
			t.Errorf("changed at %v, stored as %v with the revision %d, want %v: %v", n.UpdatedAt, stored.UpdatedAt, stored.Revision, tx.Now, err)
		}
		return err
	})
}
