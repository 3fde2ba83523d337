package chat

import (
	"slices"
	"testing"

	"hearth/store"
)

// What several events are about is read once.
func TestObjectsOfEvents(t *testing.T) {
	evs := []store.Event{{ObjectID: "b"}, {ObjectID: "a"}, {ObjectID: "b"}, {ObjectID: "c"}, {ObjectID: "a"}}
	if got := objects(evs); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("got %q", got)
	}
}
