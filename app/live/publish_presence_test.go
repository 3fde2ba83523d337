package live

import (
	"testing"

	"hearth/app/list"
	"hearth/store"
)

// All who watch a list receive one frame, except those to whom somebody is not
// shown.
func TestPublishedPresenceIsShared(t *testing.T) {
	h := bareHub(t, Config{})
	ada, ben, cleo := h.bare(t, store.Viewer{UserID: "a"}, "l1"), h.bare(t, store.Viewer{UserID: "b"}, "l1"), h.bare(t, store.Viewer{UserID: "c"}, "l1")
	h.presence.join(ada, known("a", "Ada"))
	h.presence.join(ben, list.Watcher{UserID: "b", Known: true, Name: "Ben", Blocks: []string{"a"}})
	h.presence.join(cleo, known("c", "Cleo"))
	h.publishPresence("l1")
	one := func(s *Subscription) *frame {
		t.Helper()
		if len(s.frames) != 1 {
			t.Fatalf("%d frames wait for %s, want 1", len(s.frames), s.viewer.UserID)
		}
		return <-s.frames
	}
	all, blocking := one(ada), one(ben)
	if one(cleo) != all {
		t.Error("two viewers who are shown the same received different frames")
	}
	for _, tc := range []struct {
		f      *frame
		people string
	}{
		{all, `[{"id":"a","name":"Ada"},{"id":"b","name":"Ben"},{"id":"c","name":"Cleo"}]`},
		{blocking, `[{"id":"b","name":"Ben"},{"id":"c","name":"Cleo"}]`},
	} {
		if got, want := string(tc.f.wire), "event: presence\ndata: {\"viewers\":3,\"people\":"+tc.people+",\"typing\":[]}\n\n"; got != want || !tc.f.presence {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
