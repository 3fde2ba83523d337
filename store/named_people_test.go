package store_test

import (
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// People are found by each word of the name that they have now, and by none that they
// had; others keep theirs.
func TestRenamedPeopleAreFound(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	by := storetest.Human(p.Ada)
	found := func(tx *store.Tx, q, want string) {
		t.Helper()
		all, err := tx.FindPeople(by, q, 9)
		got, err := texts(all, err, func(u store.User) string { return u.Name })
		if text := strings.Join(got, ", "); text != want || err != nil {
			t.Errorf("%q finds %q, want %q, %v", q, text, want, err)
		}
	}
	rename := func(tx *store.Tx, u store.User, name string) {
		t.Helper()
		u.Name = name
		if _, err := tx.UpdateUser(u); err != nil {
			t.Fatal(err)
		}
	}
	write(t, db, func(tx *store.Tx) error {
		rename(tx, p.Ben, "Ben Olsen")
		rename(tx, p.Cleo, "Cleo Olsen")
		found(tx, "olsen", "Ben Olsen, Cleo Olsen")
		rename(tx, p.Ben, "Benno Maria Tamm")
		for q, want := range map[string]string{"olsen": "Cleo Olsen", "ben olsen": "", "ben": "Benno Maria Tamm", "maria": "Benno Maria Tamm",
			"tamm maria": "Benno Maria Tamm", "tamm cleo": "", "benno olsen": ""} {
			found(tx, q, want)
		}
		rename(tx, p.Ben, "Ben Olsen")
		for q, want := range map[string]string{"olsen": "Ben Olsen, Cleo Olsen", "benno": "", "maria": "", "tamm": ""} {
			found(tx, q, want)
		}
		return nil
	})
}
