package live

import (
	"testing"

	"hearth/store"
)

// What is counted by account, list, lane and address leaves nothing behind.
func TestIndexIsEmptyInTheEnd(t *testing.T) {
	index := map[string]map[*Subscription]struct{}{}
	var all []*Subscription
	for _, user := range []string{"a", "a", "b", ""} {
		s := &Subscription{viewer: store.Viewer{UserID: user}}
		all = append(all, s)
		addTo(index, user, s)
	}
	if len(index) != 2 || len(index["a"]) != 2 || len(index["b"]) != 1 {
		t.Errorf("added: %v", index)
	}
	for n, want := range []int{2, 1, 0, 0} {
		for range 2 { // once more makes no difference
			removeFrom(index, all[n].viewer.UserID, all[n])
		}
		if len(index) != want {
			t.Errorf("%d removed: %v", n+1, index)
		}
	}
}
