package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// page reads a page of the list and compares it with the model.
func (w *rankWorld) page(limit, offset int) {
	w.t.Helper()
	err := w.db.Read(context.Background(), func(r *Reader) error {
		items, err := r.Items(w.by, w.id, limit, offset)
		var got []string
		for _, i := range items {
			got = append(got, i.ID)
		}
		want := w.ids[min(offset, len(w.ids)):min(offset+limit, len(w.ids))]
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("a page of %d from %d on has %d items, and not those of the model", limit, offset, len(got))
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// Pages are those of the present order, whatever was read before items were added,
// moved and deleted.
func TestPagesOfAListThatChanges(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	w := newRankWorld(t, 600)
	for range 300 {
		n := len(w.ids)
		switch rnd.IntN(4) {
		case 0:
			w.move(rnd.IntN(n), rnd.IntN(n))
		case 1:
			w.remove(rnd.IntN(n))
		case 2:
			w.add(1)
		}
		for range 3 {
			w.page(1+rnd.IntN(100), rnd.IntN(n+20))
		}
	}
	w.check()
}

// A reader of an older state gets its pages from that state, and does not spoil
// those of others.
func TestPagesOfAnOlderState(t *testing.T) {
	w := newRankWorld(t, 300)
	before := slices.Clone(w.ids)
	read := func(r *Reader, want []string) {
		t.Helper()
		for _, offset := range []int{100, 200, 150} {
			items, err := r.Items(w.by, w.id, 10, offset)
			if err != nil || len(items) != 10 || items[0].ID != want[offset] || items[9].ID != want[offset+9] {
				t.Fatalf("the page at %d is not that of the state, %v", offset, err)
			}
		}
	}
	err := w.db.Read(context.Background(), func(r *Reader) error {
		read(r, before)
		w.move(299, 0)
		w.page(10, 100)
		w.page(10, 200)
		read(r, before)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = w.db.Read(context.Background(), func(r *Reader) error { read(r, w.ids); return nil })
	if err != nil {
		t.Fatal(err)
	}
	w.check()
}

// Walking through a list reads each part of the index once, and so does reading a
// page again. There are few marks.
func TestPagesAreFoundFromMarks(t *testing.T) {
	t.Parallel()
	const n = 2000
	w := newRankWorld(t, n)
	counted := 0
	for offset := 0; offset < n; offset += 50 {
		at, _ := w.db.marks.before(w.id, offset)
		counted += offset - at.position
		w.page(50, offset)
	}
	if counted > 2*n {
		t.Errorf("walking through %d items reads %d entries of the index before the pages", n, counted)
	}
	if at, _ := w.db.marks.before(w.id, n/2); n/2-at.position > 2*markGap {
		t.Errorf("the page at %d is found from %d", n/2, at.position)
	}
	if l := w.db.marks.list(w.id); len(l.marks) > n/markGap {
		t.Errorf("%d marks", len(l.marks))
	}
	w.move(n-1, n/2)
	w.page(50, n/2)
	if l := w.db.marks.list(w.id); len(l.marks) != 1 {
		t.Errorf("%d marks after a move and one page", len(l.marks))
	}
}

// Marks are kept of a bounded number of lists.
func TestMarksAreBounded(t *testing.T) {
	m := newItemMarks()
	for k := range 10 * maxMarked {
		id := fmt.Sprint(k)
		m.put(id, 1, itemMark{markGap, 7})
		if at, listAt := m.before(id, markGap); at.rank != 7 || listAt != 1 {
			t.Fatalf("list %s has no mark", id)
		}
	}
	if n := len(m.newer) + len(m.older); n > 2*maxMarked {
		t.Errorf("%d lists have marks", n)
	}
}

// Within a write, which has no marks, nothing is remembered of a page.
func TestNoMarks(t *testing.T) {
	var m *itemMarks
	for _, position := range []int{0, markGap} {
		m.put("x", 1, itemMark{position, 7})
		if at, listAt := m.before("x", position); at != (itemMark{}) || listAt != 0 {
			t.Errorf("a mark %+v", at)
		}
	}
}
