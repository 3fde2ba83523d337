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

// storedItems adds a private list of Ada's with items as they were stored before there
// was an index: they have no documents and no keys of their links, and wait for it.
func storedItems(t *testing.T, w *listWorld, id string, items int) store.List {
	t.Helper()
	l := store.List{ID: id, OwnerID: w.Ada.ID, Title: "old list", Visibility: "private", Slug: "x"}
	write(t, w.db, func(tx *store.Tx) error {
		_, err1 := tx.ExecForTest(`INSERT INTO list (id, owner_id, title, visibility, slug, item_count, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, 1)`, l.ID, l.OwnerID, l.Title, l.Visibility, l.Slug, items)
		_, err2 := tx.ExecForTest(`WITH n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ?2 - 1) INSERT INTO item (id, list_id, rank, content, source_url, created_at, updated_at)
			SELECT ?1 || n, ?1, n, 'old item', 'https://old.example/' || n, 1, 1 FROM n WHERE n < ?2`, l.ID, items)
		_, err3 := tx.ExecForTest(`INSERT INTO list_reindex (list_id, after) VALUES (?1, NULL)`, l.ID)
		return errors.Join(err1, err2, err3)
	})
	return l
}

// Lists that wait for the index are added to it with their items and their links, each
// once and in turn, and up to a number of lists and items in a write, which changes the
// version of all lists.
func TestReindexInSteps(t *testing.T) {
	w := newListWorld(t)
	lists := []store.List{storedItems(t, w, "old-a", 6), storedItems(t, w, "old-b", 3)}
	for _, want := range []int64{4, 4, 4, 0} {
		before := w.db.ListVersion("")
		write(t, w.db, func(tx *store.Tx) error {
			n, err := tx.ReindexLists(4)
			if n != want {
				t.Errorf("%d lists and items in a step, want %d", n, want)
			}
			return err
		})
		if changed := w.db.ListVersion("") != before; changed != (want > 0) {
			t.Errorf("a step of %d lists and items changes what a search finds: %v", want, changed)
		}
	}
	w.read(func(r *store.Reader) error {
		q := store.ListSearch{Terms: []store.Term{{Words: store.Words("old")}}}
		items, err := r.SearchItems(storetest.Human(w.Ada), q, 20)
		if len(items.Rows) != 9 {
			t.Errorf("%d items are found", len(items.Rows))
		}
		found, err2 := r.SearchLists(storetest.Human(w.Ada), q, 20)
		if len(found.Rows) != 2 {
			t.Errorf("%d lists are found", len(found.Rows))
		}
		return errors.Join(err, err2)
	})
	write(t, w.db, func(tx *store.Tx) error {
		id, err := tx.SameLink(lists[0].ID, "https://old.example/5")
		if id != "old-a5" {
			t.Errorf("the item with the link is %q", id)
		}
		return err
	})
}

// A list that has to be indexed again after each step, because who finds it changes, keeps
// no other from the index, wherever they are in the order of their ids.
func TestReindexOfAListThatIsRestarted(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a", "z"} {
		w := newListWorld(t)
		storedItems(t, w, "other", 6)
		restarted := storedItems(t, w, id, 250) // more than the write indexes that changes who finds it
		steps := 0
		for waits := true; waits && steps < 20; steps++ {
			write(t, w.db, func(tx *store.Tx) error { _, err := tx.ReindexLists(4); return err })
			old := restarted
			if restarted.Visibility = "public"; old.Visibility == "public" {
				restarted.Visibility = "private"
			}
			write(t, w.db, func(tx *store.Tx) error { return tx.UpdateList(old, restarted) })
			waiting := column(t, w.db, `SELECT list_id FROM list_reindex ORDER BY list_id`)
			if !slices.Contains(waiting, id) {
				t.Fatalf("the list %q is not restarted", id)
			}
			waits = slices.Contains(waiting, "other")
		}
		if steps > 4 { // two of its own, and as many of the list that is restarted
			t.Errorf("beside the list %q the other one was indexed after %d steps, or not at all", id, steps)
		}
		if got := column(t, w.db, `SELECT count(*) FROM list_document WHERE list_id = 'other'`)[0]; got != "7" {
			t.Errorf("the other list has %s documents", got)
		}
	}
}

// Lists without items are added to the index up to a number in a write, too.
func TestReindexOfEmptyLists(t *testing.T) {
	w := newListWorld(t)
	for n := range 5 {
		storedItems(t, w, fmt.Sprint("empty", n), 0)
	}
	for step, want := range []string{"3", "1", "0", "0"} {
		write(t, w.db, func(tx *store.Tx) error {
			n, err := tx.ReindexLists(2)
			if wanted := []int64{2, 2, 1, 0}[step]; n != wanted {
				t.Errorf("step %d: %d lists are indexed, want %d", step, n, wanted)
			}
			return err
		})
		if got := column(t, w.db, `SELECT count(*) FROM list_reindex`)[0]; got != want {
			t.Errorf("after step %d %s lists wait, want %s", step, got, want)
		}
	}
}

// Of a list that becomes public, 200 items are found by everybody at once, and the others
// later.
func TestItemsIndexedAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		items, atOnce int
		later         int64 // at least one for a list that waits
	}{{199, 199, 0}, {200, 200, 1}, {203, 200, 3}} {
		w := newListWorld(t)
		old := storedItems(t, w, "old", c.items)
		write(t, w.db, func(tx *store.Tx) error {
			l := old
			l.Visibility = "public"
			return tx.UpdateList(old, l)
		})
		if got := column(t, w.db, `SELECT count(*) FROM list_document WHERE list_id = 'old' AND item_id IS NOT NULL AND public`)[0]; got != fmt.Sprint(c.atOnce) {
			t.Errorf("of %d items %s are indexed at once, want %d", c.items, got, c.atOnce)
		}
		write(t, w.db, func(tx *store.Tx) error {
			n, err := tx.ReindexLists(1000)
			if n != c.later {
				t.Errorf("of %d items %d rows are indexed later, want %d", c.items, n, c.later)
			}
			return err
		})
	}
}

// A search looks into a thousand of the lists that were shared: those that changed last.
func TestSearchedLists(t *testing.T) {
	w := newListWorld(t)
	undo := errors.New("undo")
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecForTest(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1010) INSERT INTO list (id, owner_id, title, visibility, slug, created_at, updated_at)
			SELECT 'list' || n, ?1, '', 'private', '', 1, 1000 - n FROM n`, w.Stranger.ID)
		if err != nil {
			return err
		}
		prefixes, err := tx.HiddenPrefixesForTest(storetest.Human(w.Stranger))
		if err != nil {
			return err
		}
		want := []string{}
		for n := range 1000 {
			l := store.List{ID: fmt.Sprint("list", n+1)}
			p := strings.TrimSuffix(store.ItemDocument(&l, &store.Item{Content: "x"}, false, nil)[0], "x")
			if !slices.Contains(want, p) {
				want = append(want, p)
			}
		}
		if got := prefixes[1:]; !slices.Equal(got, want) { // the first is of those that were never shared
			t.Errorf("%d prefixes, want %d", len(got), len(want))
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// Items that are added at the end of a list while others wait for the index are found,
// also if those that were indexed last were deleted meanwhile.
func TestReindexOfANewEnd(t *testing.T) {
	t.Parallel()
	w := newListWorld(t)
	var l store.List
	items := make([]store.Item, 260)
	write(t, w.db, func(tx *store.Tx) (err error) {
		l, err = tx.InsertList(store.List{OwnerID: w.Ada.ID, Title: "x", Visibility: "private", Slug: "x"})
		for n := range items {
			if err == nil {
				items[n], _, err = tx.InsertItem(store.Item{ListID: l.ID, Content: "old"})
			}
		}
		return err
	})
	write(t, w.db, func(tx *store.Tx) error { // which indexes 200
		public := l
		public.Visibility = "public"
		return tx.UpdateList(l, public)
	})
	write(t, w.db, func(tx *store.Tx) error {
		for _, i := range slices.Backward(items[140:]) {
			if err := tx.DeleteItem(i); err != nil {
				return err
			}
		}
		return nil
	})
	write(t, w.db, func(tx *store.Tx) error {
		for range 60 { // more than one write indexes
			if _, _, err := tx.InsertItem(store.Item{ListID: l.ID, Content: strings.Repeat("new ", 300)}); err != nil {
				return err
			}
		}
		return nil
	})
	for n := int64(1); n > 0; {
		write(t, w.db, func(tx *store.Tx) (err error) { n, err = tx.ReindexLists(100); return err })
	}
	if got := column(t, w.db, `SELECT count(*) FROM item i WHERE NOT EXISTS (SELECT 1 FROM list_document d WHERE d.item_id = i.id)`)[0]; got != "0" {
		t.Errorf("%s items are in no document", got)
	}
}
