package live_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/list"
	"hearth/app/live"
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

// What was written, and what found no room, takes none of the room for what comes later.
func TestRoomInTheQueueIsGivenBack(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	poke := func(n, size int) {
		t.Helper()
		if err := w.hub.PublishUsers([]string{p.Ada.ID}, "poke", fmt.Appendf(nil, `{"n":%d,"text":%q}`, n, strings.Repeat("x", size))); err != nil {
			t.Fatal(err)
		}
	}
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 128 {
		poke(n, 10)
	}
	for n := range 12 {
		poke(1000+n, 100_000) // 128 wait already
	}
	out := &flushes{ResponseRecorder: httptest.NewRecorder()}
	var wg sync.WaitGroup
	wg.Go(func() { w.hub.Serve(out, httptest.NewRequest("GET", "/", nil), sub, live.NoResume) })
	await := func(text string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !out.contains(text); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s was not written", text)
			}
		}
	}
	await(`"n":127,`)
	for n := range 12 {
		poke(2000+n, 100_000)
		await(fmt.Sprintf(`"n":%d,`, 2000+n))
	}
	w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, "the last")
	await("the last")
	if out.contains(`"n":1000,`) {
		t.Error("an event for which there was no room was written")
	}
	sub.Close()
	wg.Wait()
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
