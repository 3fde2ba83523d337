package store_test

import (
	"testing"

	"hearth/store"
)

// A draft that is changed is of the time of the change, and no other draft changes.
func TestChangeOfADraft(t *testing.T) {
	withRows(t, "ada", nil, func(tx *store.Tx) error {
		var drafts [2]store.Draft
		for i := range drafts {
			drafts[i] = store.Draft{OwnerID: "ada", Goal: "x", MatchingMode: "fulfillment"}
			if err := tx.InsertDraft(&drafts[i]); err != nil {
				return err
			}
		}
		created := tx.Now
		tx.Now = tx.Tick()
		d := drafts[0]
		d.Goal = "y"
		if err := tx.UpdateDraft(&d); err != nil {
			return err
		}
		for i, want := range []struct {
			goal string
			at   store.Time
		}{{"y", tx.Now}, {"x", created}} {
			got, err := tx.Draft(human("ada"), drafts[i].ID)
			if got.Goal != want.goal || got.UpdatedAt != want.at || got.CreatedAt != created || err != nil {
				t.Errorf("draft %d: %+v, %v", i, got, err)
			}
		}
		if d.UpdatedAt != tx.Now {
			t.Errorf("the caller is told of %v, not %v", d.UpdatedAt, tx.Now)
		}
		return nil
	})
}
