package store

import "testing"

// Items that are moved, or get other ranks, while their list waits for the index are
// indexed: those of a list that is made public are found by everybody in the end.
func TestRanksWhileAListIsIndexed(t *testing.T) {
	for _, to := range []int{0, 2, 10} {
		w := newRankWorld(t, 20)
		w.exec(`UPDATE item SET rank = rank / ?`, rankGap) // without a gap
		w.exec(`UPDATE list SET visibility = 'public'`)
		w.exec(`INSERT INTO list_reindex (list_id, after) VALUES (?, NULL)`, w.id)
		reindex := func(limit int) {
			t.Helper()
			w.write(func(tx *Tx) error { _, err := tx.ReindexLists(limit); return err })
		}
		reindex(2)
		w.move(19, to)
		reindex(1000)
		var left int
		w.write(func(tx *Tx) error {
			return tx.value([]any{&left}, `SELECT count(*) FROM list_document WHERE public = 0 /* server: a test */ /* scan: a test */`)
		})
		if left > 0 {
			t.Errorf("moved to %d: %d documents are still those of a private list", to, left)
		}
	}
}

// A change that leaves who may see a list does not index its items again.
func TestTitleOfAListOfManyItems(t *testing.T) {
	for _, visibility := range []string{"private", "unlisted"} {
		w := newRankWorld(t, reindexedAtOnce)
		w.write(func(tx *Tx) error {
			old, err := tx.List(w.by, w.id)
			if err != nil {
				return err
			}
			l := old
			l.Title, l.Visibility = "y", visibility
			if err := tx.UpdateList(old, l); err != nil {
				return err
			}
			waits, err := tx.reindexing(w.id)
			if waits {
				t.Errorf("%s: the items wait for the index", visibility)
			}
			return err
		})
	}
}
