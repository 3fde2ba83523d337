package store_test

import (
	"fmt"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// Each write that changes what those who see a list read changes the version of the list
// and that of all lists, and none that changes nothing does.
func TestVersionsOfLists(t *testing.T) {
	t.Parallel()
	w := newListWorld(t)
	list, item := w.lists["open"], w.items["open"]
	comment := store.Comment{ItemID: item.ID, AuthorID: w.Ada.ID, Content: "x"}
	changed := func(_ bool, err error) error { return err }
	private := list
	private.Visibility = "private"
	titled := list
	titled.Title = "other tools"
	newID := store.NewID()
	write(t, w.db, func(tx *store.Tx) error { // so many that they are indexed in two parts
		for n := range 250 {
			if _, _, err := tx.InsertItem(store.Item{ListID: list.ID, Content: fmt.Sprint(n)}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		name  string
		id    string // "": no list by its id
		write func(tx *store.Tx) error
	}{
		{"a new list", newID, func(tx *store.Tx) error {
			_, err := tx.InsertList(store.List{ID: newID, OwnerID: w.Ada.ID, Title: "x", Visibility: "public", Slug: "x"})
			return err
		}},
		{"the title", list.ID, func(tx *store.Tx) error { return tx.UpdateList(list, titled) }},
		{"its time", list.ID, func(tx *store.Tx) error { return tx.TouchList(list.ID) }},
		{"a new item", list.ID, func(tx *store.Tx) error {
			_, _, err := tx.InsertItem(store.Item{ListID: list.ID, Content: "x"})
			return err
		}},
		{"an item", list.ID, func(tx *store.Tx) error { return tx.UpdateItem(item) }},
		{"what is checked off", list.ID, func(tx *store.Tx) error { return changed(tx.CheckItem(item, true, w.Ada.ID)) }},
		{"a star", list.ID, func(tx *store.Tx) error { return changed(tx.Star(item, w.Ben.ID)) }},
		{"no star", list.ID, func(tx *store.Tx) error { return changed(tx.Unstar(item, w.Ben.ID)) }},
		{"a comment", list.ID, func(tx *store.Tx) (err error) {
			comment, err = tx.InsertComment(list.ID, store.Comment{ItemID: item.ID, AuthorID: w.Ada.ID, Content: "x"}, nil)
			return err
		}},
		{"no comment", list.ID, func(tx *store.Tx) error { return tx.DeleteComment(list.ID, comment) }},
		{"who has it", list.ID, func(tx *store.Tx) error { return tx.PutListMember(list.ID, w.Ben.ID, "viewer") }},
		{"who has it no more", list.ID, func(tx *store.Tx) error { return missing(tx.DeleteListMember(list.ID, w.Ben.ID)) }},
		{"its owner", w.lists["kept"].ID, func(tx *store.Tx) error { return tx.SetListOwner(w.lists["kept"], w.Ben.ID) }},
		{"who sees it", list.ID, func(tx *store.Tx) error { return tx.UpdateList(titled, private) }},
		{"an item that is deleted", list.ID, func(tx *store.Tx) error { return tx.DeleteItem(item) }},
		{"a list that is deleted", w.lists["read"].ID, func(tx *store.Tx) error { return tx.DeleteList(w.lists["read"]) }},
		{"what a page says", "", func(tx *store.Tx) error {
			_, err := tx.PutLinkPreview(store.LinkPreview{URL: item.SourceURL, Title: "x"})
			return err
		}},
		{"what no page says any more", "", func(tx *store.Tx) error {
			_, err := tx.PruneLinkPreviews(tx.Now+1, 10)
			return err
		}},
	} {
		all, one := w.db.ListVersion(""), w.db.ListVersion(c.id)
		write(t, w.db, c.write)
		if w.db.ListVersion("") == all || c.id != "" && w.db.ListVersion(c.id) == one {
			t.Errorf("%s: versions %v and %v stay", c.name, all, one)
		}
	}
	all, one := w.db.ListVersion(""), w.db.ListVersion(list.ID)
	write(t, w.db, func(tx *store.Tx) error { return changed(tx.Unstar(w.items["kept"], w.Stranger.ID)) })
	w.read(func(r *store.Reader) error {
		_, err := r.List(storetest.Human(w.Ada), list.ID)
		return err
	})
	write(t, w.db, func(tx *store.Tx) error { _, err := tx.UseQuota("q", 1, time.Hour); return err })
	if w.db.ListVersion("") != all || w.db.ListVersion(list.ID) != one {
		t.Error("a version changes with nothing")
	}
}
