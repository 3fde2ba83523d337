package store

import (
	"errors"
	"testing"
)

// rows runs f in a write, and returns its result and how many rows it changed.
func (w *rankWorld) rows(f func(tx *Tx) (int64, error)) (n, rows int64) {
	w.t.Helper()
	w.write(func(tx *Tx) (err error) {
		before := tx.c.TotalChanges()
		n, err = f(tx)
		rows = tx.c.TotalChanges() - before
		return err
	})
	return n, rows
}

// dropInParts deletes what is left of deleted lists, in at least so many writes.
func (w *rankWorld) dropInParts(limit int, atLeast int) {
	w.t.Helper()
	writes := 0
	for n, rows := int64(1), int64(0); n > 0; writes++ {
		if n, rows = w.rows(func(tx *Tx) (int64, error) { return tx.DropLists(limit) }); rows > int64(limit)+60 {
			w.t.Errorf("one write deleted %d rows", rows)
		}
		if broken, err := w.db.Check(w.t.Context()); err != nil || len(broken) > 0 {
			w.t.Fatalf("between the parts: %v %v", broken, err)
		}
	}
	if writes < atLeast {
		w.t.Errorf("everything was deleted in %d writes", writes)
	}
}

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
	if _, rows := w.rows(func(tx *Tx) (int64, error) {
		l, err := tx.List(w.by, w.id)
		if err == nil {
			err = tx.DeleteList(l)
		}
		return 0, err
	}); rows > 10 {
		t.Errorf("the list became invisible with %d rows", rows)
	}
	w.dropInParts(limit, 1100/limit)
	w.write(func(tx *Tx) error {
		var left int
		if err := tx.value([]any{&left}, `SELECT (SELECT count(*) FROM item) + (SELECT count(*) FROM item_comment) + (SELECT count(*) FROM list)`); err != nil || left != 0 {
			t.Errorf("%d rows are left, %v", left, err)
		}
		return nil
	})
}

// An item with very many comments and stars is gone at once, with its words, and
// what belonged to it is deleted in parts.
func TestDeletionOfItemsInParts(t *testing.T) {
	const limit = 200
	w := newRankWorld(t, 3)
	item := func(tx *Tx) Item {
		i, err := tx.Item(w.by, w.id, w.ids[1])
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	w.write(func(tx *Tx) error {
		i := item(tx)
		err := tx.UpdateItem(i, Item{ID: i.ID, ListID: w.id, Content: "unmistakable", Metadata: `{"a":"unmistakable"}`, SourceURL: "https://unmistakable.example"})
		for range 900 {
			if err == nil {
				_, err = tx.InsertComment(w.id, Comment{ItemID: i.ID, AuthorID: w.by.UserID, Content: "x"}, nil)
			}
		}
		for range 300 {
			if err == nil {
				var u User
				if u, err = tx.InsertUser(User{Email: NewID() + "@example.org", Name: "Fan"}); err == nil {
					_, err = tx.Star(i, u.ID)
				}
			}
		}
		return err
	})
	if _, rows := w.rows(func(tx *Tx) (int64, error) { return 0, tx.DeleteItem(item(tx)) }); rows > 20 {
		t.Errorf("the item became invisible with %d rows", rows)
	}
	w.write(func(tx *Tx) error {
		if _, err := tx.Item(w.by, w.id, w.ids[1]); !errors.Is(err, ErrNoRow) {
			t.Errorf("the item is still there: %v", err)
		}
		left, err := tx.Items(w.by, w.id, 100, 0)
		if err != nil || len(left) != 2 {
			t.Errorf("the list has %d items, %v", len(left), err)
		}
		var has int
		if err := tx.value([]any{&has}, `SELECT count(*) FROM item WHERE content || coalesce(metadata, '') || coalesce(source_url, '') || coalesce(link_key, '') LIKE '%unmistakable%'`); err != nil || has != 0 {
			t.Errorf("its words are in %d rows, %v", has, err)
		}
		return nil
	})
	w.dropInParts(limit, 1200/limit)
	w.write(func(tx *Tx) error {
		var left int
		if err := tx.value([]any{&left}, `SELECT (SELECT count(*) FROM item) - 2 + (SELECT count(*) FROM item_comment) + (SELECT count(*) FROM item_star) + (SELECT count(*) FROM list) - 1`); err != nil || left != 0 {
			t.Errorf("%d rows are left, %v", left, err)
		}
		return nil
	})
}

// A list with few items, which have few comments, stars and receipts together, is deleted
// at once, with all rows, and one with more becomes invisible and is deleted later.
func TestDeletionOfListsAtOnce(t *testing.T) {
	for _, c := range []struct {
		items, rows int // what they have
		atOnce      bool
	}{
		{0, 0, true}, {3, 0, true}, {itemsDeletedAtOnce, 0, true}, {itemsDeletedAtOnce + 1, 0, false},
		{3, rowsDeletedAtOnce, true}, {3, rowsDeletedAtOnce + 1, false},
	} {
		w := newRankWorld(t, c.items)
		if c.rows > 0 {
			w.give(c.rows)
		}
		w.write(func(tx *Tx) error {
			l, err := tx.List(w.by, w.id)
			if err == nil {
				err = tx.DeleteList(l)
			}
			return err
		})
		w.write(func(tx *Tx) error {
			var items, rows, lists int
			err := tx.value([]any{&items, &rows, &lists}, `SELECT (SELECT count(*) FROM item),
				(SELECT count(*) FROM item_comment) + (SELECT count(*) FROM item_star) + (SELECT count(*) FROM item_receipt), (SELECT count(*) FROM list)`)
			if (items == 0 && rows == 0 && lists == 0) != c.atOnce || !c.atOnce && (items != c.items || rows != c.rows) {
				t.Errorf("of a list of %d items with %d rows, %d items with %d rows and %d lists are left", c.items, c.rows, items, rows, lists)
			}
			if _, err := tx.List(w.by, w.id); !errors.Is(err, ErrNoRow) {
				t.Errorf("the list of %d items with %d rows is visible: %v", c.items, c.rows, err)
			}
			return err
		})
	}
}

// give adds as many rows to what the items have: a comment and a star of each, and the
// rest receipts.
func (w *rankWorld) give(rows int) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		for _, id := range w.ids {
			_, err := tx.InsertComment(w.id, Comment{ItemID: id, AuthorID: w.by.UserID, Content: "x"}, nil)
			if err == nil {
				_, err = tx.Star(Item{ID: id, ListID: w.id}, w.by.UserID)
			}
			if err != nil {
				return err
			}
		}
		_, err := tx.exec(`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
			INSERT INTO item_receipt SELECT i, ?1, ?2, 1 << 60 FROM n`, w.id, w.ids[0], rows-2*len(w.ids))
		return err
	})
}
