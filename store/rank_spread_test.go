package store

import (
	"fmt"
	"testing"
)

// pack gives the items ranks one after another, so that the next move to a place
// between two of them spreads items.
func (w *rankWorld) pack() {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		for n, id := range w.ids {
			if err := tx.exec1(`UPDATE item SET rank = ? WHERE id = ?`, n-len(w.ids)/2, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// ranks returns the ranks of a list.
func (w *rankWorld) ranks(list string) (text string) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		return tx.value([]any{&text}, `SELECT coalesce(group_concat(i.rank, ' ' ORDER BY i.id), '') FROM item i WHERE i.list_id = ? /* server: a test */`, list)
	})
	return text
}

// When there is no room between two items, those around are spread in their order,
// whether or not the ends of the list are among them, and no items of other lists.
func TestSpreadWithoutRoom(t *testing.T) {
	for _, n := range []int{3, 9, 17, 18, 40} {
		w := newRankWorld(t, n)
		w.pack()
		other := *w
		other.ids = nil
		w.write(func(tx *Tx) error {
			l, err := tx.InsertList(List{OwnerID: w.by.UserID, Title: "other", Visibility: "private", Slug: "other"})
			other.id = l.ID
			return err
		})
		other.add(n)
		other.pack()
		before := w.ranks(other.id)
		for _, from := range []int{0, n / 2, n - 1} {
			for to := range n {
				if to%(1+n/20) != 0 && to != 8 && to != n-9 {
					continue
				}
				w.move(from, to)
				w.check()
				w.pack()
			}
		}
		if after := w.ranks(other.id); after != before {
			t.Errorf("the ranks of another list of %d items have changed: %s", n, after)
		}
	}
}

// An item that is moved while its list waits for the index is in the index of those who
// may see it then, and the list has changed.
func TestMoveBehindTheIndex(t *testing.T) {
	const n = reindexedAtOnce + 10
	w := newRankWorld(t, n)
	w.write(func(tx *Tx) error {
		old, err := tx.List(w.by, w.id)
		if err != nil {
			return err
		}
		l := old
		l.Visibility = "public"
		return tx.UpdateList(old, l)
	})
	reindex := func(limit int) {
		w.write(func(tx *Tx) error {
			_, err := tx.ReindexLists(limit)
			return err
		})
	}
	changed := func() (at Time) {
		w.write(func(tx *Tx) error {
			l, err := tx.List(w.by, w.id)
			at = l.UpdatedAt
			return err
		})
		return at
	}
	before := changed()
	w.move(n-1, 0)
	if after := changed(); after <= before {
		t.Errorf("the list has changed at %v, and before at %v", after, before)
	}
	reindex(n)
	w.write(func(tx *Tx) error {
		var waits, public int
		err := tx.value([]any{&waits, &public}, `SELECT (SELECT count(*) FROM list_reindex), (SELECT count(*) FROM list_document d WHERE d.list_id = ? AND d.public = 1) /* server: a test */`, w.id)
		if waits != 0 || public != n+1 {
			err = fmt.Errorf("%d lists wait, %d documents are public, %w", waits, public, err)
		}
		return err
	})
	w.check()
}

// Items are spread only if all ranks are then at least the gap apart.
func TestSpreadNeedsRoom(t *testing.T) {
	for high, ok := range map[int64]bool{139: false, 140: true, 141: true} {
		w := window{items: []ranked{{"a", 101}, {"b", 102}}, below: 1, low: 100, high: high}
		rank, got := w.spread(10)
		if got != ok || ok && (rank != 120 || w.items[0].Rank != 110 || w.items[1].Rank != 130) || !ok && w.items[0].Rank != 101 {
			t.Errorf("below %d: rank %d, %v, beside %v", high, rank, got, w.items)
		}
	}
}
