package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A search for several frequent words reads the index in windows. The items on both sides
// of where a window ends are found, each once, and in one part of the search.
func TestSearchAcrossTheEndOfAWindow(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	ada := storetest.People(t, db).Ada
	frequent := []string{"apple", "bread", "chili", "dates", "eggs", "flour"}
	const items, older, newer = 700, 60, 560 // the items from older on have all words, but for the newest
	var want []string
	write(t, db, func(tx *store.Tx) error {
		want = nil
		l, err := tx.InsertList(store.List{OwnerID: ada.ID, Title: "x", Visibility: "public", Slug: "x"})
		if err != nil {
			return err
		}
		for n := range items {
			words := slices.Clone(frequent)
			all := older <= n && n < items-newer
			if !all {
				words = slices.Delete(words, n%6, n%6+1)
			}
			content := fmt.Sprint("number ", n, " ", strings.Join(words, " "))
			if all {
				want = append(want, content)
			}
			if _, _, err := tx.InsertItem(store.Item{ListID: l.ID, Content: content}); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Reverse(want)
	q := store.ListSearch{}
	for _, word := range frequent {
		q.Terms = append(q.Terms, store.Term{Words: store.Words(word)})
	}
	var got []string
	parts := 0
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for more := true; more; more = q.Before != 0 {
			part, err := r.SearchItems(store.Viewer{}, q, 200)
			if err != nil {
				return err
			}
			for _, i := range part.Rows {
				got = append(got, i.Content)
			}
			if q.Before != 0 && part.Next >= q.Before {
				return fmt.Errorf("the next part is before %d again", part.Next)
			}
			q.Before = part.Next
			parts++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) || parts != 1 {
		t.Errorf("%d items in %d parts, want %d in one", len(got), parts, len(want))
	}
}
