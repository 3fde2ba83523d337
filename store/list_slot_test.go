package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A search of an account with many lists of its own asks the index for one prefix
// of theirs. A list that is shared is found by both sides, by its owner also while
// its items are moved, and still by the owner alone when that ends.
func TestSharedListsAreFound(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	people := storetest.People(t, db)
	ada, ben := storetest.Human(people.Ada), storetest.Human(people.Ben)
	write := func(f func(tx *store.Tx) error) {
		t.Helper()
		if err := db.Write(context.Background(), f); err != nil {
			t.Fatal(err)
		}
	}
	const items = 250 // more than are moved at once
	var lists []store.List
	write(func(tx *store.Tx) error {
		lists = lists[:0]
		for n := range 4 {
			l, err := tx.InsertList(store.List{OwnerID: ada.UserID, Title: "Tools", Visibility: []string{"private", "unlisted", "private", "public"}[n], Slug: "tools"})
			if err != nil {
				return err
			}
			lists = append(lists, l)
		}
		for n := range items {
			if _, _, err := tx.InsertItem(store.Item{ListID: lists[0].ID, Content: fmt.Sprintf("hammer number%d", n), AuthorID: ada.UserID}); err != nil {
				return err
			}
		}
		return nil
	})
	found := func(by store.Viewer) (n int) {
		t.Helper()
		q := store.ListSearch{Terms: []store.Term{{Words: store.Words("hammer")}}}
		for more := true; more; more = q.Before != 0 {
			err := db.Read(context.Background(), func(r *store.Reader) error {
				part, err := r.SearchItems(by, q, 100)
				n, q.Before = n+len(part.Rows), part.Next
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	check := func(when string, ofAda, ofBen, prefixesOfAda, prefixesOfBen int) {
		t.Helper()
		for _, c := range []struct {
			by              store.Viewer
			name            string
			items, prefixes int
		}{{ada, "ada", ofAda, prefixesOfAda}, {ben, "ben", ofBen, prefixesOfBen}} {
			if n := found(c.by); n != c.items {
				t.Errorf("%s: %s finds %d items, want %d", when, c.name, n, c.items)
			}
			err := db.Read(context.Background(), func(r *store.Reader) error {
				prefixes, err := r.HiddenPrefixesForTest(c.by)
				if len(prefixes) != c.prefixes {
					t.Errorf("%s: %s searches %s", when, c.name, strings.Join(prefixes, " "))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	reindex := func() { write(func(tx *store.Tx) error { _, err := tx.ReindexLists(1000); return err }) }

	check("before", items, 0, 1, 1)
	write(func(tx *store.Tx) error { return tx.PutListMember(lists[0].ID, ben.UserID, "viewer") })
	check("while it is moved", items, 200, 2, 2)
	reindex()
	check("shared", items, items, 2, 2)
	write(func(tx *store.Tx) error { return tx.PutListMember(lists[3].ID, ben.UserID, "editor") })
	check("a public list is shared, too", items, items, 2, 2)
	write(func(tx *store.Tx) error { return tx.SetListOwner(lists[0], ben.UserID) })
	check("handed over", items, items, 2, 2)
	write(func(tx *store.Tx) error { return tx.DeleteListMember(lists[0].ID, ada.UserID) })
	check("of the new owner alone", 0, items, 1, 2)
	public := lists[3]
	public.Visibility = "private"
	write(func(tx *store.Tx) error { return tx.UpdateList(lists[3], public) })
	check("the public one is private", 0, items, 2, 3)
}
