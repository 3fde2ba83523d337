package store

import (
	"errors"
	"strings"
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
	t.Parallel()
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
	t.Parallel()
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
		err := tx.UpdateItem(Item{ID: i.ID, ListID: w.id, Content: "unmistakable", Metadata: `{"a":"unmistakable"}`, SourceURL: "https://unmistakable.example"})
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
	t.Parallel()
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

// A list with few items is deleted at once: nothing of it is left to be deleted later.
func TestSmallListIsDeletedAtOnce(t *testing.T) {
	w := newRankWorld(t, 3)
	w.write(func(tx *Tx) error {
		l, err := tx.List(w.by, w.id)
		if err == nil {
			err = tx.DeleteList(l)
		}
		return err
	})
	w.write(func(tx *Tx) error {
		var rows int
		if err := tx.value([]any{&rows}, `SELECT (SELECT count(*) FROM list) + (SELECT count(*) FROM item) /* server: a test */ /* scan: a test */`); err != nil || rows != 0 {
			t.Errorf("%d rows are left, %v", rows, err)
		}
		return nil
	})
}

// A name that a text mentions has at most maxNameEnds words and maxNameSize characters.
func TestBoundsOfNames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ends int
		last string // the longest name that it can be
	}{
		"as many words":      {strings.Repeat("a ", maxNameEnds), maxNameEnds, strings.TrimSpace(strings.Repeat("a ", maxNameEnds))},
		"a word more":        {strings.Repeat("a ", maxNameEnds+1), maxNameEnds, strings.TrimSpace(strings.Repeat("a ", maxNameEnds))},
		"as many characters": {strings.Repeat("a", maxNameSize), 1, strings.Repeat("a", maxNameSize)},
		"a character more":   {strings.Repeat("a", maxNameSize+1), 0, ""},
	} {
		ends := nameEnds(c.text, 0)
		last := ""
		if len(ends) > 0 {
			last = c.text[:ends[len(ends)-1].end]
		}
		if len(ends) != c.ends || last != c.last {
			t.Errorf("%s: %d ends, want %d; the longest is %q", name, len(ends), c.ends, last)
		}
	}
}

// numbers begins a statement with the numbers n up to ?1.
const numbers = `WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1) `

// exec runs statements that no operation has.
func (w *rankWorld) exec(query string, args ...any) {
	w.t.Helper()
	w.write(func(tx *Tx) error { _, err := tx.ExecForTest(query, args...); return err })
}

// comments adds n comments to an item, of which the first of all is deleted and has an
// answer.
func (w *rankWorld) comments(itemID string, n int) {
	w.t.Helper()
	w.exec(numbers+`INSERT INTO item_comment (id, item_id, parent_id, path, author_id, content, created_at, deleted_at)
		SELECT 'c' || n, ?2, iif(n = 2, 'c1', NULL), iif(n = 2, '0000000000001', '') || format('%013x', n), iif(n = 1, NULL, ?3), '', n, iif(n = 1, 1, NULL) FROM n`, n, itemID, w.by.UserID)
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
	w.comments(w.ids[0], rowsDeletedAtOnce+1)
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
	w.dropInParts(1000, 2)
}

// While a list is deleted in parts its counts are those of what is left of it: of the
// items that are checked off, and of comments without those that were deleted before.
func TestCountsOfListsDeletedInParts(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, itemsDeletedAtOnce+1)
	w.checkable(60)
	w.comments(w.ids[50], 150)
	w.write(func(tx *Tx) error {
		l, err := tx.List(w.by, w.id)
		if err == nil {
			err = tx.DeleteList(l)
		}
		return err
	})
	w.checkCounts("the list is deleted")
	writes := 0
	for left := int64(1); left > 0; writes++ {
		left, _ = w.rows(func(tx *Tx) (int64, error) { return tx.DropLists(80) })
		w.checkCounts("a part")
	}
	if writes < 6 {
		t.Errorf("it was deleted in %d writes", writes)
	}
	w.write(func(tx *Tx) error {
		var left int
		if err := tx.value([]any{&left}, `SELECT (SELECT count(*) FROM item) + (SELECT count(*) FROM item_comment) + (SELECT count(*) FROM list)`); err != nil || left != 0 {
			t.Errorf("%d rows are left, %v", left, err)
		}
		return nil
	})
}
