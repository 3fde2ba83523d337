package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A name in a search stands for 20 accounts, and for 20 conversations, at most.
func TestNamesStandForAFew(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{19: 19, 20: 20, 21: 20} {
		db := storetest.Open(t)
		ada := storetest.People(t, db).Ada
		by := storetest.Human(ada)
		write(t, db, func(tx *store.Tx) error {
			for i := range n {
				_, err := tx.InsertUser(store.User{Email: fmt.Sprintf("nora%d@example.org", i), Name: "Nora", VerifiedAt: tx.Now, SignupProvider: "magic-link"})
				if err != nil {
					return err
				}
				if _, err := tx.InsertGroup(ada.ID, nil, "Garden"); err != nil {
					return err
				}
			}
			people, err := tx.SendersNamed(by, "nora")
			if err != nil || len(people) != want {
				t.Errorf("%d of %d accounts, want %d, %v", len(people), n, want, err)
			}
			places, err := tx.ConversationsNamed(by, "garden", nil)
			if err != nil || len(places) != want {
				t.Errorf("%d of %d conversations, want %d, %v", len(places), n, want, err)
			}
			return nil
		})
	}
}

// The names of accounts from before an index of names are added in parts of any size.
func TestIndexOlderNames(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 7, 100} { // there are seven accounts
		db := storetest.Open(t)
		ada := storetest.People(t, db).Ada
		write(t, db, func(tx *store.Tx) error {
			if done, err := tx.IndexOlderNames(limit); err != nil || !done {
				t.Errorf("in a new file: %v, %v", done, err)
			}
			if _, err := tx.ExecForTest(`DELETE FROM user_word`); err != nil {
				return err
			}
			return tx.SetSetting("names_position", "0")
		})
		steps := 1
		for done := false; !done; steps++ {
			write(t, db, func(tx *store.Tx) (err error) {
				done, err = tx.IndexOlderNames(limit)
				return err
			})
		}
		if want := map[int]int{1: 9, 7: 3, 100: 2}[limit]; steps != want {
			t.Errorf("%d steps of %d accounts, want %d", steps, limit, want)
		}
		write(t, db, func(tx *store.Tx) error {
			for _, name := range []string{"ada", "ben", "cleo"} {
				if found, err := tx.SendersNamed(storetest.Human(ada), name); err != nil || len(found) != 1 {
					t.Errorf("%q finds %d accounts, %v", name, len(found), err)
				}
			}
			return nil
		})
	}
}
