package live

import (
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// Streams without an address or an account have no limit of one, and below zero
// there is none. A stream too many for the server is told when to try again.
func TestUnlimitedStreams(t *testing.T) {
	for _, tc := range []struct {
		name   string
		cfg    Config
		viewer store.Viewer
	}{
		{"no limit of an address", Config{PerIP: -1}, store.Viewer{IP: "1"}},
		{"no limit of an account", Config{PerAccount: -1}, store.Viewer{UserID: "a"}},
		{"no address", Config{PerIP: 1}, store.Viewer{}},
		{"no account", Config{PerAccount: 1}, store.Viewer{}},
	} {
		tc.cfg.MaxStreams, tc.cfg.Reserved = 5, 2
		h := bareHub(t, tc.cfg)
		for n := range 3 {
			if _, err := h.tryBare(tc.viewer, "l1"); err != nil {
				t.Errorf("%s: stream %d: %v", tc.name, n+1, err)
			}
		}
		_, err := h.tryBare(tc.viewer, "l1")
		if e := core.As(err); err == nil || e.Kind != core.Unavailable || e.RetryAfter != 5*time.Second {
			t.Errorf("%s: one too many of the server: %v", tc.name, err)
		}
	}
}

// Streams of signed-in viewers are reported as they open and once as they end, by
// whatever ends them.
func TestOpenStreamsAreReported(t *testing.T) {
	open := map[string]int{}
	h := bareHub(t, Config{MaxStreams: 10, Watching: func(v store.Viewer, n int) { open[v.UserID] += n }})
	first, second := h.bare(t, store.Viewer{UserID: "a"}, ""), h.bare(t, store.Viewer{UserID: "a"}, "l1")
	h.bare(t, store.Viewer{}, "l1")
	if open["a"] != 2 || len(open) != 1 {
		t.Errorf("open: %v", open)
	}
	first.Close()
	first.Close()
	if open["a"] != 1 {
		t.Errorf("after one of two has ended: %v", open)
	}
	h.endAll([]*Subscription{second}, errClosed)
	if open["a"] != 0 {
		t.Errorf("after both have ended: %v", open)
	}
}
