package store

import "testing"

// A list whose items have much is deleted in parts, however few items it has: no write
// deletes many rows.
func TestDeletionOfListsInParts(t *testing.T) {
	const limit = 200
	w := newRankWorld(t, 12)
	w.write(func(tx *Tx) error {
		for n := range 550 {
			c, err := tx.InsertComment(w.id, Comment{ItemID: w.ids[n%2], AuthorID: w.by.UserID, Content: "x"}, nil)
			if err == nil {
				_, err = tx.InsertComment(w.id, Comment{ItemID: c.ItemID, AuthorID: w.by.UserID, Content: "an answer"}, &c)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	deleted := func(f func(tx *Tx) (int64, error)) (n, rows int64) {
		w.write(func(tx *Tx) (err error) {
			before := tx.c.TotalChanges()
			n, err = f(tx)
			rows = tx.c.TotalChanges() - before
			return err
		})
		return n, rows
	}
	if _, rows := deleted(func(tx *Tx) (int64, error) {
		l, err := tx.List(w.by, w.id)
		if err == nil {
			err = tx.DeleteList(l)
		}
		return 0, err
	}); rows > 10 {
		t.Errorf("the list became invisible with %d rows", rows)
	}
	writes := 0
	for n, rows := int64(1), int64(0); n > 0; writes++ {
		if n, rows = deleted(func(tx *Tx) (int64, error) { return tx.DropLists(limit) }); rows > limit+60 {
			t.Errorf("one write deleted %d rows", rows)
		}
		if broken, err := w.db.Check(t.Context()); err != nil || len(broken) > 0 {
			t.Fatalf("between the parts: %v %v", broken, err)
		}
	}
	if writes < 1100/limit {
		t.Errorf("everything was deleted in %d writes", writes)
	}
	w.write(func(tx *Tx) error {
		var left int
		if err := tx.value([]any{&left}, `SELECT (SELECT count(*) FROM item) + (SELECT count(*) FROM item_comment) + (SELECT count(*) FROM list)`); err != nil || left != 0 {
			t.Errorf("%d rows are left, %v", left, err)
		}
		return nil
	})
}
