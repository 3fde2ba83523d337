package store

import "testing"

// A place that was read before the list changed is read again, and one of the list as it
// is now is taken as it is.
func TestPlaceIsReadAgainAfterAChange(t *testing.T) {
	w := newRankWorld(t, 4)
	var before Place
	place := func(f func(tx *Tx, l List) error) {
		t.Helper()
		w.write(func(tx *Tx) error {
			l, err := tx.List(w.by, w.id)
			if err != nil {
				return err
			}
			return f(tx, l)
		})
	}
	place(func(tx *Tx, l List) (err error) { before, err = tx.Place(w.by, l, w.ids[3], 1); return err })
	place(func(tx *Tx, l List) error {
		marked := before
		marked.first = true
		if now, err := tx.PlaceNow(w.by, l, w.ids[3], 1, marked); now != marked || err != nil {
			t.Errorf("the list has not changed: %+v, want %+v, %v", now, marked, err)
		}
		return nil
	})
	w.move(2, 1)
	place(func(tx *Tx, l List) error {
		want, err := tx.Place(w.by, l, w.ids[3], 1)
		if err != nil {
			return err
		}
		if now, err := tx.PlaceNow(w.by, l, w.ids[3], 1, before); now != want || now == before || err != nil {
			t.Errorf("the list has changed: %+v, want %+v, %v", now, want, err)
		}
		return nil
	})
}

// Comments of an item that is deleted in the smallest parts are deleted before those that
// they answer.
func TestAnswersAreDroppedBeforeWhatTheyAnswer(t *testing.T) {
	w := newRankWorld(t, 1)
	w.comments(w.ids[0], 4)
	w.write(func(tx *Tx) error { return tx.ensureDeletedUser() })
	w.exec(`UPDATE list SET owner_id = ?1`, DeletedUserID)
	for step := 0; ; step++ {
		var n int64
		w.write(func(tx *Tx) (err error) { n, err = tx.DropLists(1); return err })
		if n == 0 {
			break
		}
		if n > 1 || step == 20 {
			t.Fatalf("step %d: %d rows", step, n)
		}
	}
	var left int
	w.write(func(tx *Tx) error {
		return tx.value([]any{&left}, `SELECT (SELECT count(*) FROM item_comment) + (SELECT count(*) FROM item) + (SELECT count(*) FROM list)`)
	})
	if left != 0 {
		t.Errorf("%d rows are left", left)
	}
}
