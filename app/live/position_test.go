package live_test

import (
	"testing"

	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// A stream that continues from a position has everything after it, also what
// happened before the stream began, and nothing before it.
func TestStreamsContinueFromAPosition(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "before")
	first, err := w.hub.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.hub.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first == again {
		t.Error("two positions are equal, which reveals that nothing happened in between")
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "after")
	for _, position := range []string{first, again} {
		c := w.connect(t, as(p.Ada), position)
		c.expect("message.created", "after")
		w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "live")
		c.skipTo("live")
	}
}

// What is written while the first stream opens reaches it.
func TestTheFirstStreamHasWhatIsWrittenWhileItOpens(t *testing.T) {
	var w *world
	var conv string
	opening := true
	w = newWorld(t, func(cfg *live.Config) {
		cfg.Watchers = func(r *store.Reader, ws []list.Watcher) error {
			if opening {
				opening = false
				w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "meanwhile")
			}
			return w.watchers(r, ws)
		}
	})
	p := storetest.People(t, w.db)
	conv = w.group(t, p.Ada, p.Ben)
	w.connect(t, as(p.Ada), "").expect("message.created", "meanwhile")
}
