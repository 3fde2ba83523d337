package page_test

import (
	"context"
	"testing"

	"hearth/store"
)

// A page of results goes on over the parts of a large search that have nothing.
func TestSearchOfManyLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const lists = 255 // each once shared, so that each is searched on its own
	for from := 0; from < lists; from += 51 {
		err := w.db.Write(context.Background(), func(tx *store.Tx) error {
			for n := from; n < from+51; n++ {
				l, err := tx.InsertList(store.List{OwnerID: w.cast.Ada.ID, Title: "x", Visibility: "private", Slug: "x"})
				if err == nil {
					err = tx.PutListMember(l.ID, w.cast.Ben.ID, "viewer")
				}
				if err == nil {
					err = tx.DeleteListMember(l.ID, w.cast.Ben.ID)
				}
				contents := []string{"alpha", "bravo"}
				if n == 0 {
					contents = []string{"alpha bravo oldest"}
				}
				for _, c := range contents {
					if err == nil {
						_, _, err = tx.InsertItem(store.Item{ListID: l.ID, Content: c})
					}
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ada := w.as(w.cast.Ada)
	ada.get("/list/search?q=alpha+bravo").want(t, 200, "oldest").lacks(t, "so far")
	ada.get("/list/search?q=alpha+charlie").want(t, 200, "No items found for")
}
