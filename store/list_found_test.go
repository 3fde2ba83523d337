package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A search for several frequent words that are seldom in the same item finds all items,
// each once and the newest first, by pages of any size. It does so for the owner of a
// list, who searches hidden and public lists, and for a guest.
func TestSearchOfItemsWithFrequentWords(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	ada := storetest.Human(storetest.People(t, db).Ada)
	frequent := []string{"apple", "bread", "chili", "dates", "eggs", "flour"}
	var want, public []string
	var lists [2]store.List
	write(t, db, func(tx *store.Tx) (err error) {
		for n, visibility := range []string{"private", "public"} {
			if lists[n], err = tx.InsertList(store.List{OwnerID: ada.UserID, Title: "x", Visibility: visibility, Slug: "x"}); err != nil {
				return err
			}
		}
		return nil
	})
	var items []store.Item
	for n := range 1300 {
		words := slices.Clone(frequent)
		if n%67 != 7 {
			words = slices.Delete(words, n%6, n%6+1)
		}
		content := fmt.Sprint("number ", n, " ", strings.Join(words, " "))
		if n%67 == 7 {
			if want = append(want, content); n%2 == 1 {
				public = append(public, content)
			}
		}
		items = append(items, store.Item{ListID: lists[n%2].ID, Content: content})
	}
	for part := range slices.Chunk(items, 100) { // which are indexed at once
		write(t, db, func(tx *store.Tx) error {
			for _, i := range part {
				if _, _, err := tx.InsertItem(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	slices.Reverse(want)
	slices.Reverse(public)
	q := store.ListSearch{}
	for _, word := range frequent {
		q.Terms = append(q.Terms, store.Term{Words: store.Words(word)})
	}
	for name, c := range map[string]struct {
		by   store.Viewer
		want []string
	}{"the owner": {ada, want}, "a guest": {store.Viewer{}, public}} {
		for _, limit := range []int{1, 3, 4, 200} {
			var got []string
			q := q
			for more := true; more; more = q.Before != 0 {
				if err := db.Read(t.Context(), func(r *store.Reader) error {
					part, err := r.SearchItems(c.by, q, limit)
					if len(part.Rows) > limit || q.Before != 0 && part.Next >= q.Before {
						t.Fatalf("%d rows, and then from before %d instead of %d on", len(part.Rows), part.Next, q.Before)
					}
					for _, i := range part.Rows {
						got = append(got, i.Content)
					}
					q.Before = part.Next
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s by %d: %q, want %q", name, limit, got, c.want)
			}
		}
	}
}
