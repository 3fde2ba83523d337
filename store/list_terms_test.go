package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// manyShared makes lists of Ada that she shared once, one that she never did and a
// public one, and returns the contents of their items, the newest first. Most have most
// of the words.
func manyShared(t *testing.T, db *storetest.DB, lists int, words []string) (ada store.Viewer, contents []string) {
	t.Helper()
	people := storetest.People(t, db)
	rng := rand.New(rand.NewPCG(5, 6))
	for from := 0; from < lists+2; from += 50 {
		state, made := *rng, len(contents)
		write(t, db, func(tx *store.Tx) error {
			*rng, contents = state, contents[:made] // this may run twice
			for n := from; n < min(from+50, lists+2); n++ {
				l, err := tx.InsertList(store.List{OwnerID: people.Ada.ID, Title: "x", Visibility: map[bool]string{true: "public", false: "private"}[n == lists], Slug: "x"})
				if err == nil && n < lists {
					err = tx.PutListMember(l.ID, people.Ben.ID, "viewer")
				}
				if err == nil && n < lists {
					err = tx.DeleteListMember(l.ID, people.Ben.ID)
				}
				for i := 0; i < 3 && err == nil; i++ {
					content := fmt.Sprintf("list%d item%d", n, i)
					for _, word := range words {
						if rng.IntN(10) > 0 {
							content += " " + word
						}
					}
					contents = append(contents, content)
					_, _, err = tx.InsertItem(store.Item{ListID: l.ID, Content: content})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	slices.Reverse(contents)
	return storetest.Human(people.Ada), contents
}

var manyWords = strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa")

// Searches of an account with many lists that were shared find what has all words, each
// once and the newest first, with few words and with so many that the index is not asked
// for all of them. No part looks up many more terms of the index for more words.
func TestSearchOfManySharedLists(t *testing.T) {
	t.Parallel()
	for _, lists := range []int{35, 255} { // so that the limit is between words, or before the second
		db := storetest.Open(t)
		ada, contents := manyShared(t, db, lists, manyWords)
		for count := 1; count <= len(manyWords); count += 1 + count/3 {
			words := manyWords[:count]
			if count%2 == 0 {
				words = append(slices.Clone(words[1:]), "list7") // a rare one
			}
			var want []string
			for _, c := range contents {
				if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(" "+c, " "+w) }) {
					want = append(want, c)
				}
			}
			q := store.ListSearch{}
			for _, w := range words {
				q.Terms = append(q.Terms, store.Term{Words: store.Words(w)})
			}
			var got []string
			for more := true; more; more = q.Before != 0 {
				if err := db.Read(t.Context(), func(r *store.Reader) error {
					terms, err := r.SearchedTermsForTest(ada, q, 60)
					if terms > 1600 || err != nil {
						t.Fatalf("%d words in %d lists: %d terms are looked up, %v", count, lists, terms, err)
					}
					part, err := r.SearchItems(ada, q, 60)
					if q.Before != 0 && part.Next >= q.Before {
						t.Fatalf("the next part is before %d instead of %d", part.Next, q.Before)
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
			if !slices.Equal(got, want) {
				t.Errorf("%d words in %d lists: %d items, want %d", count, lists, len(got), len(want))
			}
		}
	}
}
