package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A part of a search covers 500 messages if they are spread evenly over the time of the
// conversation; the next one continues where it ends, unless the search begins there.
func TestSearchCoversAPart(t *testing.T) {
	t.Parallel()
	const start, step = 1000, 1000
	for _, c := range []struct {
		messages int
		from     store.Time
		parts    []int // how many messages are found in each
	}{{499, 0, []int{499}}, {500, 0, []int{500}}, {501, 0, []int{500, 1}}, {900, 0, []int{500, 400}}, {900, start + 400*step + 1, []int{500}}, {900, start + 400*step, []int{500, 1}}} {
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
			q.From = c.from
			for n := 0; n == 0 || q.Until != 0; n++ {
				part, err := tx.SearchMessages(storetest.Human(p.Ada), q, 2000)
				if err != nil || n == 9 {
					return errors.Join(err, fmt.Errorf("%d parts", n))
				}
				got, q.Until = append(got, len(part.Messages)), part.Next
			}
			if !slices.Equal(got, c.parts) {
				t.Errorf("of %d messages, from %d on, the parts have %v, want %v", c.messages, c.from, got, c.parts)
			}
			return nil
		})
	}
}

// A part of a search has at most 2000 messages of each conversation and none from before
// the first moment of the search. Nothing follows the part that begins at that moment.
func TestSearchOfACrowdedConversation(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	second := group(t, w.db, w.Ada)
	w.db.Clock.Advance(2 * 365 * 24 * time.Hour)
	for _, id := range []string{w.adas, second} {
		for range 3 {
			w.send(w.ada, id, slices.Repeat([]string{"burst"}, 700)...)
		}
	}
	sent := func(id string) (at []store.Time) {
		t.Helper()
		for _, text := range column(t, w.db, `SELECT created_at FROM message WHERE conversation_id = ? ORDER BY created_at`, id) {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, store.Time(n))
		}
		return at
	}
	first, last := sent(w.adas), sent(second)
	one := []string{w.adas}
	for name, c := range map[string]struct {
		conversations []string
		from, until   store.Time
		found         int
		next          store.Time
	}{
		"the last message":         {one, first[2099], 0, 1, 0},
		"as many as a part has":    {one, first[100], 0, 2000, 0},
		"one more":                 {one, first[99], 0, 2000, first[100]},
		"all":                      {one, 0, 0, 2000, first[100]},
		"of two":                   {nil, 0, 0, 2000, last[100]},
		"of two, the second part":  {nil, 0, last[100], 2100, first[100]},
		"of two, from a moment on": {nil, last[100], 0, 2000, 0},
	} {
		q := words("burst")
		q.Conversations, q.From, q.Until = c.conversations, c.from, c.until
		if err := w.db.Read(t.Context(), func(r *store.Reader) error {
			part, err := r.SearchMessages(w.ada, q, 5000)
			if len(part.Messages) != c.found || part.Next != c.next {
				t.Errorf("%s: %d messages, and the next from before %v, want %d and %v", name, len(part.Messages), part.Next, c.found, c.next)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
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
