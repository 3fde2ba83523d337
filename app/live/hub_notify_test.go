package live

import (
	"context"
	"errors"
	"testing"

	"hearth/store"
)

// A commit makes the hub read the log if a stream is open. If none is, the hub
// only moves its mark past the events of the commit, where they are known.
func TestNotifyWakesForStreams(t *testing.T) {
	events := []store.Event{{ID: 4}, {ID: 5}}
	for _, tc := range []struct {
		name    string
		streams int
		events  []store.Event
		wakes   bool
		mark    int64
	}{
		{"without a stream", 0, events, false, 5},
		{"with a stream", 1, events, true, 3},
		{"an unknown commit", 0, nil, true, 3},
		{"an unknown commit with a stream", 1, nil, true, 3},
	} {
		h := &Hub{wake: make(chan struct{}, 1), mark: 3, all: map[*Subscription]struct{}{}}
		for range tc.streams {
			h.all[new(Subscription)] = struct{}{}
		}
		for range 2 { // it does not block if the hub has not read yet
			h.Notify(tc.events)
		}
		if wakes := len(h.wake) > 0; wakes != tc.wakes || h.mark != tc.mark {
			t.Errorf("%s: the hub wakes: %v, want %v; its mark is %d, want %d", tc.name, wakes, tc.wakes, h.mark, tc.mark)
		}
	}
}

// Close reports that a stream has not ended in time.
func TestCloseGivesUp(t *testing.T) {
	h := newStepped(t, 0)
	h.serving.Add(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with a stream that does not end: %v, want %v", err, context.Canceled)
	}
	h.serving.Done()
}
