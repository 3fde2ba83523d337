package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A part of a search covers 500 messages if they are spread evenly over the time of the
// conversation; the next one continues where it ends.
func TestSearchCoversAPart(t *testing.T) {
	const start, step = 1000, 1000
	for _, c := range []struct {
		messages int
		parts    []int // how many messages are found in each
	}{{499, []int{499}}, {500, []int{500}}, {501, []int{500, 1}}, {900, []int{500, 400}}} {
		db := storetest.OpenEmpty(t)
		p := storetest.People(t, db)
		place := group(t, db, p.Ada)
		discardedIn(t, db, func(tx *store.Tx) error {
			last := start + step*c.messages
			_, err1 := tx.ExecForTest(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2) INSERT INTO message (conversation_id, created_at, id, sender_id, content)
				SELECT ?1, ?3 + ?4 * n, n, ?5, 'found' FROM n`, place, c.messages, start, step, p.Ada.ID)
			_, err2 := tx.ExecForTest(`UPDATE conversation SET created_at = ?3, last_message_at = ?2, live_count = ?4 WHERE id = ?1`, place, last, start, c.messages)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			var got []int
			q := words("found")
			for n := 0; n == 0 || q.Until != 0; n++ {
				part, err := tx.SearchMessages(storetest.Human(p.Ada), q, 2000)
				if err != nil || n == 9 {
					return errors.Join(err, fmt.Errorf("%d parts", n))
				}
				got, q.Until = append(got, len(part.Messages)), part.Next
			}
			if !slices.Equal(got, c.parts) {
				t.Errorf("of %d messages the parts have %v, want %v", c.messages, got, c.parts)
			}
			return nil
		})
	}
}

// A message waits for the index with others of small writes, up to 64 of them. The next
// one adds all, and so does a write of more than 16, which adds its own as well.
func TestMessagesThatWaitForTheIndex(t *testing.T) {
	w := newWordsWorld(t)
	waiting := func() string { return column(t, w.db, `SELECT count(*) FROM message_unindexed`)[0] }
	for _, c := range []struct {
		writes, messages int
		want             string
	}{{1, 17, "0"}, {1, 16, "16"}, {48, 1, "64"}, {1, 1, "0"}, {1, 1, "1"}, {1, 17, "0"}, {4, 16, "64"}, {1, 2, "0"}} {
		for range c.writes {
			w.send(w.ada, w.adas, slices.Repeat([]string{"word"}, c.messages)...)
		}
		if got := waiting(); got != c.want {
			t.Errorf("after %d writes of %d messages %s wait, want %s", c.writes, c.messages, got, c.want)
		}
	}
	if got, _ := w.search(w.ada, words("word"), 1000); len(got) != 17+16+48+1+1+17+64+2 {
		t.Errorf("%d messages are found", len(got))
	}
}

// A list that waits for the index is found by its title, and each of its items by its
// words, also if one was added while the list waited.
func TestItemAddedBeforeItsListIsIndexed(t *testing.T) {
	w := newListWorld(t)
	l := storedItems(t, w, "old-a", 2)
	write(t, w.db, func(tx *store.Tx) error {
		_, _, err := tx.InsertItem(store.Item{ListID: l.ID, Content: "added item", AuthorID: w.Ada.ID})
		return err
	})
	write(t, w.db, func(tx *store.Tx) error {
		_, err := tx.ReindexLists(100)
		return err
	})
	w.read(func(r *store.Reader) error {
		by := storetest.Human(w.Ada)
		lists, err1 := r.SearchLists(by, store.ListSearch{Terms: []store.Term{{Words: store.Words("old list")}}}, 20)
		items, err2 := r.SearchItems(by, store.ListSearch{Terms: []store.Term{{Words: store.Words("item")}}}, 20)
		if len(lists.Rows) != 1 || len(items.Rows) != 3 {
			t.Errorf("%d lists and %d items are found", len(lists.Rows), len(items.Rows))
		}
		return errors.Join(err1, err2)
	})
}
