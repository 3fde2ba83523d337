package store_test

import (
	"errors"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// The intents of an account are matched again from the moment that was set last, until
// they were.
func TestMatchAgain(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	next := func(want string) {
		t.Helper()
		reading(t, db, func(r *store.Reader) error {
			if got, err := r.NextMatchAgain(); got != want || err != nil {
				t.Errorf("the next is %q, want %q: %v", got, want, err)
			}
			return nil
		})
	}
	set := func(id string, in time.Duration) {
		t.Helper()
		write(t, db, func(tx *store.Tx) error { return tx.MatchAgain(id, tx.Reader.Now().Add(in)) })
	}
	next("")
	set("ada", time.Hour)
	next("")
	set("ada", time.Minute)
	db.Clock.Advance(time.Minute)
	next("ada")
	set("ada", time.Minute)
	next("")
	set("ben", 0)
	next("ben")
	reading(t, db, func(r *store.Reader) error {
		ada, err := r.MatchAgainAt("ada")
		ben, e := r.MatchAgainAt("ben")
		cleo, e2 := r.MatchAgainAt("cleo")
		if now := r.Now(); ada != now.Add(time.Minute) || ben > now || ben == 0 || cleo != 0 {
			t.Errorf("at %v, %v and %v; it is %v", ada, ben, cleo, now)
		}
		return errors.Join(err, e, e2)
	})
	write(t, db, func(tx *store.Tx) error { return tx.MatchedAgain("ben") })
	next("")
	db.Clock.Advance(time.Minute)
	next("ada")
}

// When the intents of an account were to be matched again goes with it.
func TestMatchAgainOfADeletedAccount(t *testing.T) {
	t.Parallel()
	withRows(t, "ada ben", nil, func(tx *store.Tx) error {
		if err := errors.Join(tx.MatchAgain("ada", 1), tx.MatchAgain("ben", 1)); err != nil {
			return err
		}
		if _, err := tx.EraseUser("ada"); err != nil {
			return err
		}
		ada, err := tx.MatchAgainAt("ada")
		ben, e := tx.MatchAgainAt("ben")
		if ada != 0 || ben != 1 {
			t.Errorf("they are %v and %v", ada, ben)
		}
		return errors.Join(err, e)
	})
}
