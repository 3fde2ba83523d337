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
	for range 100 {
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
