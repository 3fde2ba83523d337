package store_test

import (
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// When an account is read as deleted that is not the only owner of a group, nobody else
// becomes an owner, also not the member who joined first.
func TestOwnersBesideTheDeleted(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ownerOf := map[string]store.User{}
	for _, owner := range []store.User{p.Ben, p.Stranger} { // after Cleo, and before Ada
		first, last := p.Ada, owner
		if owner.ID == p.Stranger.ID {
			first, last = owner, p.Ada
		}
		id := group(t, db, first, p.Cleo)
		write(t, db, func(tx *store.Tx) error { return tx.AddMember(id, last.ID, "owner") })
		ownerOf[id] = owner
	}
	erased(t, db, p.Ada.ID)
	for id, owner := range ownerOf {
		got := column(t, db, `SELECT user_id || ' ' || role FROM member WHERE conversation_id = ? ORDER BY role`, id)
		if want := []string{p.Cleo.ID + " member", owner.ID + " owner"}; !slices.Equal(got, want) {
			t.Errorf("the members are %q, want %q", got, want)
		}
	}
}
