package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// A stranger who watches a public list receives the same whether or not others
// are active elsewhere: no id reveals a number, an order or a distance.
func TestEventIDsRevealNothing(t *testing.T) {
	var seen []string
	for _, hidden := range []int{0, 7} {
		w := newWorld(t, nil)
		c := w.connect(t, "list=l1", "")
		first, _ := c.block()
		ids := []string{first.id}
		for i := range 24 {
			for range hidden {
				w.emit(t, store.Event{Topic: "l2", Kind: "item.created"}, "hidden")
			}
			w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, fmt.Sprint("i", i))
			ids = append(ids, c.skipTo(fmt.Sprint("i", i)).id)
		}
		for at, id := range ids {
			if n, ok := w.hub.Open(id); !ok || n != int64(at*(hidden+1)) {
				t.Fatalf("the id %q opens to %d, %v, want %d", id, n, ok, at*(hidden+1))
			}
			if len(id) != 32 || strings.Contains(id, "00000000") || len(ids[0]) != len(id) {
				t.Errorf("the id %q shows its number", id)
			}
		}
		if slices.IsSorted(ids) || slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("the ids come in order: %q", ids)
		}
		seen = append(seen, ids...)

		again := w.connect(t, "list=l1", ids[20])
		for i := 20; i < 24; i++ {
			if e := again.skipTo(fmt.Sprint("i", i)); e.id != ids[i+1] {
				t.Errorf("resumed, i%d has the id %q, it had %q", i, e.id, ids[i+1])
			}
		}
		again.close()
		all := w.connect(t, "list=l1&lastEventId=0", "")
		for i := range 24 {
			all.skipTo(fmt.Sprint("i", i))
		}
	}
	slices.Sort(seen)
	if n := len(seen); len(slices.Compact(seen)) != n {
		t.Error("an id is given twice, or by two servers")
	}
	w := newWorld(t, nil)
	other := w.connect(t, "list=l1", seen[0])
	other.expect("presence", "viewers")
	if e := other.next(); e.name != "resync" {
		t.Errorf("the id of another server: %+v, want a resync", e)
	}
}

// A client that reconnects again and again does not learn whether something
// happened elsewhere in between.
func TestPositionsRevealNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.emit(t, store.Event{Topic: "l2", Kind: "item.created"}, "hidden")
	seen := map[string]bool{}
	for range 5 {
		c := w.connect(t, "list=l1", "")
		first, _ := c.block()
		if seen[first.id] {
			t.Errorf("the position %q is given twice", first.id)
		}
		seen[first.id] = true
		c.close()
		back := w.connect(t, "list=l1", first.id) // each is as good as another
		back.close()
	}
}

// Clients resume after a restart.
func TestEventIDsPersist(t *testing.T) {
	w := newWorld(t, nil)
	c := w.connect(t, "list=l1", "")
	first, _ := c.block()
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
	id := c.skipTo("i1").id
	w.restart(t)
	if n, ok := w.hub.Open(id); !ok || n != 1 {
		t.Fatalf("after a restart the id opens to %d, %v", n, ok)
	}
	w.connect(t, "list=l1", first.id).skipTo("i1")
}
