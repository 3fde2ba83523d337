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
