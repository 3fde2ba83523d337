package live_test

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// What changed behind a backlog is checked once: with the first batch, whose state
// has it, and not again with its own.
func TestBacklogIsCheckedOnce(t *testing.T) {
	const backlog = 120 // more than one batch
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	c := w.connect(t, as(p.Ada), "")
	c.block()
	for _, at := range []int{0, 99, 100, 110, backlog - 1} {
		events := slices.Repeat([]store.Event{{Topic: "l2", Kind: "item.created", ObjectID: "unwatched"}}, backlog)
		events[at] = store.Event{Topic: p.Ada.ID, Kind: authChanged}
		w.checks.Store(0)
		w.emitAll(t, events...)
		w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, "end")
		c.expect("friend.updated", "end")
		if n := w.checks.Load(); n != 1 {
			t.Errorf("the credential that changed in event %d of %d was checked %d times, want once", at+1, backlog, n)
		}
	}
}

// A viewer whose name changes while their rights are read is counted under the new
// one.
func TestNameChangesWhileAStreamOpens(t *testing.T) {
	var during atomic.Pointer[func()] // called once, after rights were read
	w := newWorld(t, func(c *live.Config) {
		watchers := c.Watchers
		c.Watchers = func(r *store.Reader, ws []list.Watcher) error {
			err := watchers(r, ws)
			if f := during.Swap(nil); f != nil {
				(*f)()
			}
			return err
		}
	})
	p := storetest.People(t, w.db)
	w.set(func() { w.names[p.Ada.ID] = "Ada" })
	probe := w.connect(t, "list=l1", "")
	probe.expect("presence", "viewers")
	change := func() {
		w.set(func() { w.names[p.Ada.ID] = "Ada Lovelace" })
		w.emit(t, store.Event{Topic: p.Ada.ID, Kind: userUpdated}, "")
		w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
		probe.skipTo("i1") // the hub has checked everything before it
	}
	during.Store(&change)
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), "l1")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	got, want := w.hub.Presence().Snapshot("l1"), []list.Person{{ID: p.Ada.ID, Name: "Ada Lovelace"}}
	if got.Viewers != 2 || !slices.Equal(got.People, want) {
		t.Errorf("%d viewers, %v; want 2, %v", got.Viewers, got.People, want)
	}
}

// lockedBuffer is written by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Rights that cannot be read are logged as an error, and those that can be are not.
func TestUnreadableRightsAreLogged(t *testing.T) {
	var log lockedBuffer
	var failing atomic.Bool
	w := newWorld(t, func(c *live.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		credentials, watchers := c.Credentials, c.Watchers
		c.Credentials = func(r *store.Reader, vs []store.Viewer) ([]bool, error) {
			if failing.Load() {
				return nil, errors.New("unreadable")
			}
			return credentials(r, vs)
		}
		c.Watchers = func(r *store.Reader, ws []list.Watcher) error {
			if failing.Load() {
				return errors.New("unreadable")
			}
			return watchers(r, ws)
		}
	})
	p := storetest.People(t, w.db)
	ada, watcher := w.connect(t, as(p.Ada), ""), w.connect(t, "list=l1", "")
	w.emitAll(t, store.Event{Topic: p.Ada.ID, Kind: authChanged}, store.Event{Topic: "l1", Kind: "list.updated", ObjectID: "l1"})
	watcher.skipTo("l1")
	if got := log.String(); got != "" {
		t.Errorf("logged while rights can be read: %s", got)
	}
	failing.Store(true)
	w.emitAll(t, store.Event{Topic: p.Ada.ID, Kind: authChanged}, store.Event{Topic: "l1", Kind: "list.updated", ObjectID: "l1"})
	ada.ended()
	for e := watcher.next(); e != (sse{}); e = watcher.next() {
		if e.name != "presence" {
			t.Errorf("got %+v after the rights could not be read", e)
		}
	}
	for _, what := range []string{"credentials could not be checked", "lists could not be checked"} {
		if got := log.String(); strings.Count(got, what) != 1 || !strings.Contains(got, "level=ERROR") {
			t.Errorf("want one error that %s; logged: %s", what, got)
		}
	}
}
