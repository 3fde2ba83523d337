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

// The use of a key that is gone meanwhile is not recorded. Uses of other keys are
// recorded, and the latest are read first.
func TestUsesOfKeysThatAreGone(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		k, err := tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Name: "k", Prefix: "oc_", Hash: "k", CanRead: true})
		if err == nil {
			err = tx.AddKeyUses([]store.KeyUse{{KeyID: "gone", Operation: "x", Uses: 1, LastAt: 1},
				{KeyID: k.ID, Operation: "x", Uses: 2, LastAt: 1}, {KeyID: k.ID, Operation: "y", Uses: 1, LastAt: 3},
				{KeyID: k.ID, Operation: "z", Uses: 1, LastAt: 2}})
		}
		if err != nil {
			return err
		}
		all, err := tx.KeyUses(storetest.Human(p.Ada), k.ID)
		got, err := texts(all, err, func(u store.KeyUse) string { return fmt.Sprint(u.Operation, u.Uses) })
		if !slices.Equal(got, []string{"y1", "z1", "x2"}) {
			t.Errorf("used for %q", got)
		}
		return err
	})
}

// A key that is revoked again keeps its first time. A use of a key, or a sighting of
// an account, that is reported late does not replace a later one.
func TestTimesOfKeys(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	var keys [2]store.Key
	write(t, db, func(tx *store.Tx) (err error) {
		for n := range keys {
			if keys[n], err = tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Name: "k", Prefix: "oc_", Hash: fmt.Sprint(n),
				CanRead: true}); err != nil || keys[n].CreatedAt != tx.Now {
				t.Errorf("made at %v, want %v: %v", keys[n].CreatedAt, tx.Now, err)
			}
		}
		return err
	})
	read := func(id string) (k store.Key) {
		t.Helper()
		if err := db.Read(t.Context(), func(r *store.Reader) (err error) {
			k, err = r.Key(storetest.Human(p.Ada), "agent", id)
			return err
		}); err != nil {
			t.Error(err)
		}
		return k
	}
	var first store.Time
	revoke := func(tx *store.Tx) error { return tx.RevokeKey(p.Ada.ID, keys[0].ID) }
	for n, f := range []func(tx *store.Tx) error{revoke, revoke, func(tx *store.Tx) error { return tx.RevokeKeys(p.Ada.ID) }} {
		write(t, db, func(tx *store.Tx) error {
			if n == 0 {
				first = tx.Now
			}
			return f(tx)
		})
	}
	for _, tc := range []struct{ at, want store.Time }{{5, 5}, {3, 5}, {8, 8}} {
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.TouchKeys(map[string]store.Time{keys[1].ID: tc.at}), tx.TouchUsers(map[string]store.Time{p.Ben.ID: tc.at}))
		})
		if got := read(keys[1].ID).LastUsedAt; got != tc.want {
			t.Errorf("used at %v: %v, want %v", tc.at, got, tc.want)
		}
		if got := column(t, db, `SELECT last_seen_at FROM user WHERE id = ?`, p.Ben.ID)[0]; got != fmt.Sprint(int64(tc.want)) {
			t.Errorf("seen at %v: %v, want %v", tc.at, got, tc.want)
		}
	}
	if k := read(keys[0].ID); k.CreatedAt != keys[0].CreatedAt || k.RevokedAt != first || k.LastUsedAt != 0 {
		t.Errorf("%+v, revoked at %v", k, first)
	}
	if k := read(keys[1].ID); k.RevokedAt <= first {
		t.Errorf("%+v", k)
	}
}
