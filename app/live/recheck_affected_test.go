package live

import (
	"slices"
	"testing"

	"hearth/store"
)

// Streams that began before a change are checked, each once however many changes
// there are; those that began after it were checked when they were opened.
func TestAffectedStreams(t *testing.T) {
	h := bareHub(t, Config{})
	feed, watching := h.bare(t, store.Viewer{UserID: "a"}, ""), h.bare(t, store.Viewer{UserID: "a"}, "l1")
	feed.start, watching.start = 5, 5
	for _, tc := range []struct {
		name              string
		changes           []store.ChangedTopic
		callers, watchers []*Subscription
	}{
		{"credentials", []store.ChangedTopic{{Kind: "auth.changed", Topic: "a", ID: 6}, {Kind: "auth.changed", Topic: "a", ID: 7}}, []*Subscription{feed, watching}, nil},
		{"credentials, before", []store.ChangedTopic{{Kind: "auth.changed", Topic: "a", ID: 5}}, nil, nil},
		{"a list", []store.ChangedTopic{{Kind: "list.shared", Topic: "l1", ID: 6}, {Kind: "list.shared", Topic: "l1", ID: 7}}, nil, []*Subscription{watching}},
		{"a list and a name", []store.ChangedTopic{{Kind: "list.shared", Topic: "l1", ID: 6}, {Kind: "user.updated", Topic: "a", ID: 7}}, nil, []*Subscription{watching}},
		{"a list, before", []store.ChangedTopic{{Kind: "list.shared", Topic: "l1", ID: 4}, {Kind: "list.shared", Topic: "l1", ID: 5}}, nil, nil},
	} {
		stale := watching.stale
		callers, watchers, _ := h.affected(tc.changes)
		same := func(got, want []*Subscription) bool {
			return len(got) == len(want) && !slices.ContainsFunc(want, func(s *Subscription) bool { return !slices.Contains(got, s) })
		}
		if !same(callers, tc.callers) || !same(watchers, tc.watchers) {
			t.Errorf("%s: %d credentials and %d watchers are checked, want %d and %d", tc.name, len(callers), len(watchers), len(tc.callers), len(tc.watchers))
		}
		if got, want := watching.stale-stale, len(tc.watchers); got != want {
			t.Errorf("%s: the watcher is stale %d times, want %d", tc.name, got, want)
		}
	}
}
