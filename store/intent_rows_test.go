package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// ask publishes an ask of an account.
func ask(t *testing.T, db *storetest.DB, owner store.User, audience store.Audience) (i store.Intent) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		i = store.Intent{OwnerID: owner.ID, Kind: "ask", Terms: "x", Seeks: []string{"a"}, Brings: []string{"b"}, MatchingMode: "fulfillment",
			Status: "active", Audience: audience}
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
			return tx.InsertStory(&store.Story{ID: fmt.Sprint("story", n), OwnerID: p.Ada.ID, Intent: intents[n], QuietSearch: true,
				Status: "active", SearchExpiresAt: 1 << 60})
		})
	}
	reading(t, db, func(r *store.Reader) error {
		for n, i := range intents {
			s, err := r.StoryOf(storetest.Human(p.Ada), i.Seq)
			if want := fmt.Sprint("story", n); n < 2 && (s.ID != want || s.Intent.ID != i.ID || err != nil) || n == 2 &&
				!errors.Is(err, store.ErrNoRow) {
				t.Errorf("of intent %d the Story %q with the intent %q, %v", n, s.ID, s.Intent.ID, err)
			}
			if _, err := r.StoryOf(storetest.Human(p.Ben), i.Seq); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("another reads the Story of intent %d: %v", n, err)
			}
		}
		return nil
	})
	write(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.InsertIntention(&store.Intention{Intent: intents[1], State: "open"}),
			tx.InsertIntention(&store.Intention{Intent: intents[0], State: "open"}))
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
		if stored, err := tx.Intention(storetest.Human(p.Ada), intents[0].ID); err != nil || stored.UpdatedAt != tx.Now ||
			n.UpdatedAt != tx.Now || stored.Revision != 2 {
			t.Errorf("changed at %v, stored as %v with the revision %d, want %v: %v", n.UpdatedAt, stored.UpdatedAt, stored.Revision, tx.Now, err)
		}
		return err
	})
}
