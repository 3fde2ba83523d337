package store_test

import (
	"errors"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// An item is starred for those who starred it, and shows its author and who checked it
// off until they are read as deleted. Its position is that in its own list.
func TestItemsBeside(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := storetest.Human(p.Ada)
	var lists []string
	var items []store.Item
	for _, visibility := range []string{"public", "unlisted"} {
		var l store.List
		write(t, db, func(tx *store.Tx) (err error) {
			l, err = tx.InsertList(store.List{OwnerID: p.Cleo.ID, Title: "L", Visibility: visibility, Slug: visibility, Checkable: true})
			return err
		})
		for _, u := range []store.User{p.Ben, p.Ada} {
			var i store.Item
			write(t, db, func(tx *store.Tx) (err error) {
				i, _, err = tx.InsertItem(store.Item{ListID: l.ID, Content: "x", AuthorID: u.ID, Checked: true, CheckedBy: u.ID})
				return err
			})
			items = append(items, i)
		}
		lists = append(lists, l.ID)
	}
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.Star(items[0], p.Ada.ID)
		_, err2 := tx.Star(items[1], p.Ben.ID)
		return errors.Join(err, err2)
	})
	for n, author := range []string{p.Ben.ID, ""} {
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			for k, i := range items[:2] {
				i, err := r.Item(ada, lists[0], i.ID)
				want := []string{author, p.Ada.ID}[k]
				if err != nil || i.Starred != (k == 0) || i.AuthorID != want || i.CheckedBy != want || (i.AuthorName == "") != (want == "") || (i.CheckedByName == "") != (want == "") {
					t.Errorf("item %d, deletion %d: %+v, %v", k, n, i, err)
				}
				if at, err := r.ItemPosition(ada, lists[0], i.ID); at != k || err != nil {
					t.Errorf("item %d is at %d: %v", k, at, err)
				}
				if _, err := r.ItemPosition(ada, lists[0], items[2+k].ID); !errors.Is(err, store.ErrNoRow) {
					t.Errorf("an item of another list: %v", err)
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if n == 0 {
			erased(t, db, p.Ben.ID)
		}
	}
}
