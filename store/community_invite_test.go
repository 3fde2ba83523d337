package store_test

import (
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A new invitation takes the place of its account's invitations that are used up or
// expired. An invitation stays if a valid sign-in link was requested with it.
func TestInvitationsThatEndedAreDeleted(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	var valid int
	write(t, db, func(tx *store.Tx) error {
		now := tx.Reader.Now()
		insert := func(id, by string, uses int64, expires store.Time) {
			n, err := tx.InsertCommunityInvite(store.CommunityInvite{ID: id, TokenHash: id, CreatedBy: by, UsesLeft: uses, ExpiresAt: expires})
			if err != nil {
				t.Fatal(err)
			}
			valid = n
		}
		insert("of ben", p.Ben.ID, 0, now+1)
		insert("valid", p.Ada.ID, 1, now+1)
		insert("used up", p.Ada.ID, 0, now+1)
		insert("requested", p.Ada.ID, 0, now+1)
		if err := tx.InsertLink(store.LoginLink{TokenHash: "h", Email: "x@example.org", InviteID: "requested", ExpiresAt: now + 1}); err != nil {
			return err
		}
		insert("expired", p.Ada.ID, 1, now)
		insert("new", p.Ada.ID, 1, now+1)
		return nil
	})
	left := column(t, db, "SELECT id FROM community_invite ORDER BY id")
	if want := []string{"new", "of ben", "requested", "valid"}; valid != 2 || !slices.Equal(left, want) {
		t.Errorf("%d can be used of %q, want 2 of %q", valid, left, want)
	}
}
