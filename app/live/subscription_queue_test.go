package live_test

import (
	"context"
	"testing"

	"hearth/app/list"
	"hearth/store"
	"hearth/store/storetest"
)

// Exactly 128 events may wait for a client; the stream ends with the next.
func TestQueueHolds128Events(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), "")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for range 127 {
		if err := w.hub.PublishUsers([]string{p.Ada.ID}, "poke", []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	probe := w.connect(t, as(p.Ada), "")
	for _, tc := range []struct {
		object  string
		streams int
	}{{"the 128th", 2}, {"the 129th", 1}} {
		w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, tc.object)
		probe.expect("friend.updated", tc.object) // queued for both streams at once
		if n := w.hub.Streams(); n != tc.streams {
			t.Errorf("%d streams are open after %s event, want %d", n, tc.object, tc.streams)
		}
	}
}

// A stream that ended before its viewer's rights were read is not counted among
// those who watch the list.
func TestStreamsThatHaveEndedAreNotCounted(t *testing.T) {
	w := newWorld(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	cancel()
	_ = w.hub.Close(ctx) // it is closed to new streams, whether or not all have ended
	sub, err := w.hub.Subscribe(t.Context(), store.Viewer{}, "l1")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if got := w.hub.Presence().Snapshot("l1", list.Watcher{}); got.Viewers != 0 {
		t.Errorf("%d viewers, want none", got.Viewers)
	}
}
