package live_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"hearth/app/core"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// Who may see a conversation is read once for all events that are delivered together.
func TestAudienceIsReadOnce(t *testing.T) {
	var calls atomic.Int64
	w := newWorld(t, func(c *live.Config) {
		audience := c.Audience
		c.Audience = func(r *store.Reader, id string) ([]string, error) {
			calls.Add(1)
			return audience(r, id)
		}
	})
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	message := store.Event{Topic: conv, Kind: "message.created"}

	ada := w.connect(t, as(p.Ada), "")
	w.emit(t, message, "m1", "m2", "m3")
	for _, o := range []string{"m1", "m2", "m3"} {
		ada.expect("message.created", o)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("three events of a conversation: %d queries, want 1", n)
	}
}

// If it cannot be read who may see a conversation, the event is delivered later.
func TestUnreadableAudience(t *testing.T) {
	var failing atomic.Bool
	w := newWorld(t, func(c *live.Config) {
		audience := c.Audience
		c.Audience = func(r *store.Reader, id string) ([]string, error) {
			if failing.Load() {
				return nil, errors.New("unreadable")
			}
			return audience(r, id)
		}
	})
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	feed := w.connect(t, as(p.Ada), "")
	failing.Store(true)
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m1", "m2")
	failing.Store(false)
	feed.expect("message.created", "m1")
	feed.expect("message.created", "m2")
}

// If the groups of viewers depend on stored rows, an event is rendered once for
// each group that has a viewer. The groups are read only if there is a viewer. If
// they cannot be read, nobody loses the event.
func TestGroupsOfViewers(t *testing.T) {
	var calls atomic.Int64
	var failing atomic.Bool
	var people storetest.Cast
	w := newWorld(t, nil)
	w.closeHub(t)
	w.cfg.Events = append(w.cfg.Events, core.Event{
		Kind: "vote.changed", Scope: core.ToConversation, Data: true, Render: w.render,
		Groups: func(*store.Reader, store.Event) (func(store.Viewer) string, error) {
			calls.Add(1)
			if failing.Load() {
				return nil, errors.New("unreadable")
			}
			return func(v store.Viewer) string {
				if v.UserID == people.Ada.ID {
					return "ada"
				}
				return ""
			}, nil
		},
	})
	w.restart(t)
	people = storetest.People(t, w.db)
	conv, elsewhere := w.group(t, people.Ada, people.Ben, people.Cleo), w.group(t, people.Stranger)
	var all []*client
	for _, u := range []store.User{people.Ada, people.Ada, people.Ben, people.Cleo} {
		all = append(all, w.connect(t, as(u), ""))
	}
	w.emitAll(t, store.Event{Topic: elsewhere, Kind: "vote.changed", ObjectID: "v0"},
		store.Event{Topic: conv, Kind: "vote.changed", ObjectID: "v1"})
	for _, c := range all {
		c.expect("vote.changed", "v1")
	}
	if n := w.renders.Load(); n != 2 || calls.Load() != 1 {
		t.Errorf("the event was rendered %d times, want 2, and groups were read %d times, want 1", n, calls.Load())
	}
	failing.Store(true)
	w.emit(t, store.Event{Topic: conv, Kind: "vote.changed"}, "v2")
	for _, c := range all {
		c.ended()
	}
	failing.Store(false)
	w.connect(t, as(people.Ben), all[2].lastID).expect("vote.changed", "v2")
}
