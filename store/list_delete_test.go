package store

import (
	"testing"
)

// numbers begins a statement with the numbers n up to ?1.
const numbers = `WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1) `

// exec runs statements that no operation has.
func (w *rankWorld) exec(query string, args ...any) {
	w.t.Helper()
	w.write(func(tx *Tx) error { _, err := tx.ExecForTest(query, args...); return err })
}

// comments adds n comments to an item. The first of all is deleted and has an answer.
func (w *rankWorld) comments(itemID string, n int) {
	w.t.Helper()
	w.exec(numbers+`INSERT INTO item_comment (id, item_id, parent_id, path, author_id, content, created_at, deleted_at)
		SELECT 'c' || n, ?2, iif(n = 2, 'c1', NULL), iif(n = 2, '0000000000001', '') || format('%013x', n),
		iif(n = 1, NULL, ?3), '', n, iif(n = 1, 1, NULL) FROM n`, n, itemID, w.by.UserID)
	w.exec(`UPDATE item SET comment_count = ?2 - 1 WHERE id = ?1`, itemID, n)
}

// checkable makes the list one whose items can be checked off, and checks off the first
// n of them.
func (w *rankWorld) checkable(n int) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		l, err := tx.List(w.by, w.id)
		if err != nil {
			return err
		}
		checkable := l
		checkable.Checkable = true
		if err = tx.UpdateList(l, checkable); err != nil {
			return err
		}
		for _, id := range w.ids[:n] {
			if _, err = tx.CheckItem(Item{ID: id, ListID: w.id}, true, w.by.UserID); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkCounts fails the test unless the counts of all rows are right.
func (w *rankWorld) checkCounts(when string) {
	w.t.Helper()
	if broken, err := w.db.Check(w.t.Context()); err != nil || len(broken) > 0 {
		w.t.Errorf("%s: %v %v", when, broken, err)
	}
}

// An item with very many comments that was checked off is counted as one no more when it
// is deleted, and one with few comments neither.
func TestDeletionOfCheckedItems(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, 3)
	w.checkable(2)
	w.comments(w.ids[0], 20)
	for _, id := range w.ids {
		w.write(func(tx *Tx) error {
			i, err := tx.Item(w.by, w.id, id)
			if err == nil {
				err = tx.DeleteItem(i)
			}
			return err
		})
		w.checkCounts("without " + id)
	}
}
