package store_test

import (
	"errors"
	"fmt"
	"slices"
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
		for q, want := range map[string]string{"olsen": "Cleo Olsen", "ben olsen": "", "ben": "Benno Maria Tamm", "maria": "Benno Maria Tamm", "tamm maria": "Benno Maria Tamm", "tamm cleo": "", "benno olsen": ""} {
			found(tx, q, want)
		}
		rename(tx, p.Ben, "Ben Olsen")
		for q, want := range map[string]string{"olsen": "Ben Olsen, Cleo Olsen", "benno": "", "maria": "", "tamm": ""} {
			found(tx, q, want)
		}
		return nil
	})
}

// People are found by name however many accounts that hide have names that come before
// theirs in the index, each with many words.
func TestPeopleBesideHiddenOnes(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	by := storetest.Human(p.Ada)
	write(t, db, func(tx *store.Tx) error {
		p.Ben.Name = "Anna Zimmer"
		if _, err := tx.UpdateUser(p.Ben); err != nil {
			return err
		}
		for n := range 70 {
			if _, err := tx.InsertUser(store.User{Email: fmt.Sprintf("anna%d@example.org", n), Name: strings.Repeat("Anna ", 16), VerifiedAt: tx.Now, SignupProvider: "magic-link", DiscoveryMode: "hidden"}); err != nil {
				return err
			}
		}
		for _, q := range []string{"anna", "ann ann", "anna z", "zim anna"} {
			if found, err := tx.FindPeople(by, q, 9); len(found) != 1 || err != nil {
				t.Errorf("%q finds %d people, want one, %v", q, len(found), err)
			}
		}
		if found, err := tx.SendersNamed(by, "anna"); !slices.Equal(found, []string{p.Ben.ID}) || err != nil {
			t.Errorf("%d senders, want one, %v", len(found), err)
		}
		return nil
	})
}

// An account that is found by its address alone is reached by those who found it, and
// by no others; one that is not, by all.
func TestHasFound(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		quiet, other := store.User{ID: "quiet", DiscoveryMode: "email_only"}, store.User{ID: "other", DiscoveryMode: "email_only"}
		for _, step := range []struct{ by, found, reached string }{{"a", "other", "a other"}, {"b", "quiet", "a other, b quiet"}, {"a", "quiet", "a quiet, a other, b quiet"}} {
			if _, err := tx.ExecForTest(`INSERT INTO found_person VALUES (?, ?)`, step.by, step.found); err != nil {
				return err
			}
			var reached []string
			for _, by := range []string{"a", "b", "c"} {
				for _, u := range []store.User{quiet, other} {
					ok, err := tx.HasFound(store.Viewer{UserID: by}, u)
					if err != nil {
						return err
					}
					if ok {
						reached = append(reached, by+" "+u.ID)
					}
				}
			}
			if got := strings.Join(reached, ", "); got != step.reached {
				t.Errorf("reached: %s, want %s", got, step.reached)
			}
		}
		for _, mode := range []string{"name", "hidden"} {
			if ok, err := tx.HasFound(store.Viewer{UserID: "c"}, store.User{ID: "quiet", DiscoveryMode: mode}); !ok || err != nil {
				t.Errorf("%s: %v, %v", mode, ok, err)
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}
