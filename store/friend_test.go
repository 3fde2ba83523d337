package store_test

import (
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// When two accounts may ask each other again, what keeps others from asking either of
// them stays.
func TestDeleteFriendCooldowns(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada, ben, cleo := p.Ada.ID, p.Ben.ID, p.Cleo.ID
	all := [][2]string{{ada, ben}, {ben, ada}, {ada, cleo}, {cleo, ada}, {cleo, ben}, {ben, cleo}}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, c := range all {
			if err := tx.PutFriendCooldown(c[0], c[1], tx.Now+1000); err != nil {
				return err
			}
		}
		return tx.DeleteFriendCooldowns(ada, ben)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Read(t.Context(), func(r *store.Reader) error {
		for _, c := range all {
			until, err := r.FriendCooldown(c[0], c[1])
			if err != nil {
				return err
			}
			if ended := until == 0; ended != (c[0] != cleo && c[1] != cleo) {
				t.Errorf("from %s to %s: ended %v", c[0], c[1], ended)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The end of a friendship of two ends none of either with others.
func TestDeleteFriends(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	pairs := [][2]store.User{{p.Ada, p.Ben}, {p.Ada, p.Cleo}, {p.Ben, p.Cleo}, {p.Ben, p.Stranger}}
	write(t, db, func(tx *store.Tx) error {
		for _, f := range pairs {
			if err := tx.PutFriends(f[0].ID, f[1].ID, "friends", "friends"); err != nil {
				return err
			}
		}
		for _, want := range []bool{true, false} {
			if was, err := tx.DeleteFriends(p.Ben.ID, p.Ada.ID); err != nil || was != want {
				t.Errorf("there was one: %v, want %v: %v", was, want, err)
			}
		}
		for _, f := range pairs {
			for _, of := range [][2]store.User{f, {f[1], f[0]}} {
				_, err := tx.Friend(storetest.Human(of[0]), of[1].ID)
				if ended := err == store.ErrNoRow; ended != (f == pairs[0]) {
					t.Errorf("%s and %s: %v", of[0].Name, of[1].Name, err)
				}
			}
		}
		return nil
	})
}
