package live_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// watch opens n streams of a list that are not read, each of another account.
func (w *world) watch(t testing.TB, listID string, n int) {
	t.Helper()
	for i := range n {
		sub, err := w.hub.Subscribe(context.Background(), store.Viewer{Kind: store.Human, UserID: fmt.Sprint("u", i)}, listID)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sub.Close)
	}
}

// emitAll writes events in one commit.
func (w *world) emitAll(t testing.TB, events ...store.Event) {
	t.Helper()
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		for _, ev := range events {
			if err := tx.Emit(ev); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneQueryForAnyNumberOfStreams(t *testing.T) {
	w := newWorld(t, nil)
	w.watch(t, "l1", 1000)
	for range 20 {
		w.watch(t, "l2", 1) // the account u0, twenty times more
	}
	probe := w.connect(t, "list=l1", "")
	probe.expect("presence", "viewers")
	for _, tc := range []struct {
		name    string
		queries int64
		events  []store.Event
	}{
		{"a list", 1, []store.Event{{Topic: "l1", Kind: "list.updated"}}},
		{"a credential", 1, []store.Event{{Topic: "u0", Kind: authChanged}}},
		{"a name", 1, []store.Event{{Topic: "u0", Kind: userUpdated}}},
		{"everything", 2, []store.Event{
			{Topic: "l1", Kind: "list.updated"}, {Topic: "l2", Kind: "list.updated"}, {Topic: "l1", Kind: "list.updated"},
			{Topic: "u0", Kind: authChanged}, {Topic: "u1", Kind: authChanged}, {Topic: "u2", Kind: userUpdated},
		}},
		{"nothing that is watched", 0, []store.Event{{Topic: "l3", Kind: "list.updated"}, {Topic: "unwatched", Kind: authChanged}}},
	} {
		w.checks.Store(0)
		w.emitAll(t, append(tc.events, store.Event{Topic: "l1", Kind: "item.created", ObjectID: tc.name})...)
		probe.skipToName("item.created", tc.name)
		if n := w.checks.Load(); n != tc.queries {
			t.Errorf("%s changed: %d queries, want %d", tc.name, n, tc.queries)
		}
	}
	if n := w.hub.Streams(); n != 1021 {
		t.Errorf("%d streams are open, want all 1021", n)
	}
}

// skipToName passes over other events to the one with the name about object.
func (c *client) skipToName(name, object string) {
	c.t.Helper()
	for e := c.next(); e.name != name || !strings.Contains(e.data, strconv.Quote(object)); e = c.next() {
		if e == (sse{}) {
			c.t.Fatalf("the stream ended before %s %s", name, object)
		}
	}
}

// A revocation holds for everything that is delivered from its state on, also
// where more events than are delivered at once stand between.
func TestRevocationBehindABacklog(t *testing.T) {
	const backlog = 120 // more than one batch, fewer than may wait for a client
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	key, ben := w.connect(t, as(p.Ada)+"&key=k1", ""), w.connect(t, as(p.Ben), "")
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		for i := range backlog {
			if err := tx.Emit(store.Event{Topic: conv, Kind: "message.created", ObjectID: strconv.Itoa(i)}); err != nil {
				return err
			}
		}
		if err := tx.SetSetting("revoked/k1", "1"); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: p.Ada.ID, Kind: authChanged})
	})
	if err != nil {
		t.Fatal(err)
	}
	key.ended()
	for i := range backlog {
		ben.expect("message.created", strconv.Itoa(i))
	}
}

// While events are written without pause, one key after the other is revoked.
// Each event has the round in which it was rendered: no stream of a key may get
// one from the round of its revocation or later, live or replayed.
func TestRevocationRace(t *testing.T) {
	const rounds = 30
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	w.set(func() {
		w.rendered = func(r *store.Reader, _ store.Event) string {
			round, err := r.Setting("round")
			if err != nil {
				t.Error(err)
			}
			return `,"round":"` + round + `"`
		}
	})
	first := w.connect(t, as(p.Ben), "")
	start, _ := first.block()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, strconv.Itoa(i))
			}
		}
	})
	for round := 1; round <= rounds; round++ {
		query := fmt.Sprintf("%s&key=k%d", as(p.Ada), round)
		streams := []*client{w.connect(t, query, ""), w.connect(t, query, start.id)}
		err := w.db.Write(t.Context(), func(tx *store.Tx) error {
			if err := errors.Join(tx.SetSetting("round", strconv.Itoa(round)), tx.SetSetting(fmt.Sprint("revoked/k", round), "1")); err != nil {
				return err
			}
			return tx.Emit(store.Event{Topic: p.Ada.ID, Kind: authChanged})
		})
		if err != nil {
			t.Fatal(err)
		}
		revoked := time.Now()
		for _, s := range streams {
			for e := s.next(); e != (sse{}); e = s.next() {
				_, text, _ := strings.Cut(e.data, `"round":"`)
				text, _, _ = strings.Cut(text, `"`)
				if n, _ := strconv.Atoi(text); n >= round {
					t.Fatalf("a stream that was revoked in round %d received %+v", round, e)
				}
			}
		}
		if d := time.Since(revoked); d > 5*time.Second {
			t.Errorf("round %d: the streams ended after %v", round, d)
		}
	}
	close(stop)
	wg.Wait()
}

// A replay notices by itself that the credential was revoked, here by another
// process that the hub will hear of only at its next poll.
func TestRevocationDuringReplay(t *testing.T) {
	w := newWorld(t, func(c *live.Config) { c.Poll = time.Hour })
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	var objects []string
	for i := range 1200 {
		objects = append(objects, strconv.Itoa(i))
	}
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, objects...)
	var once sync.Once
	w.set(func() {
		w.rendered = func(*store.Reader, store.Event) string {
			once.Do(func() { w.sql(t, `INSERT INTO setting (name, value) VALUES ('revoked/k1', '1')`) })
			return ""
		}
	})
	c := w.connect(t, as(p.Ada)+"&key=k1&lastEventId=0", "")
	n := 0
	for c.next() != (sse{}) {
		n++
	}
	if n == 0 || n > 600 {
		t.Errorf("%d of 1,200 events were sent, want those of the first snapshot", n)
	}
}

// Who was renamed is shown so, and only what looks different is published.
func TestNamesAreUpdated(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	w.names[p.Ada.ID] = "Ada"
	w.connect(t, as(p.Ada)+"&list=l1", "")
	probe := w.connect(t, "list=l1", "")
	probe.expect("presence", "Ada")
	w.set(func() { w.names[p.Ada.ID] = "Ada Lovelace" })
	w.emit(t, store.Event{Topic: p.Ada.ID, Kind: userUpdated}, "")
	probe.skipToName("presence", "Ada Lovelace")
	w.set(func() { delete(w.names, p.Ada.ID) })
	w.emit(t, store.Event{Topic: "l1", Kind: "list.updated"}, "l1")
	probe.expect("list.updated", "l1")
	if e := probe.next(); e.name != "presence" || e.data != `{"viewers":2,"people":[],"typing":[]}` {
		t.Errorf("got %+v", e)
	}
}

func TestUnreadableRightsEndStreams(t *testing.T) {
	var failing sync.Map
	w := newWorld(t, func(c *live.Config) {
		credentials, watchers := c.Credentials, c.Watchers
		c.Credentials = func(r *store.Reader, vs []store.Viewer) ([]bool, error) {
			if _, ok := failing.Load("credentials"); ok {
				return nil, errors.New("unreadable")
			}
			return credentials(r, vs)
		}
		c.Watchers = func(r *store.Reader, ws []list.Watcher) error {
			if _, ok := failing.Load("watchers"); ok {
				return errors.New("unreadable")
			}
			return watchers(r, ws)
		}
	})
	p := storetest.People(t, w.db)
	ada, watcher := w.connect(t, as(p.Ada), ""), w.connect(t, "list=l1", "")
	watcher.expect("presence", "viewers")
	failing.Store("credentials", true)
	w.emit(t, store.Event{Topic: p.Ada.ID, Kind: authChanged}, "")
	ada.ended()
	failing.Store("watchers", true)
	w.emit(t, store.Event{Topic: "l1", Kind: "list.updated"}, "l1")
	watcher.ended()
}

func TestConflictingTables(t *testing.T) {
	db := storetest.Open(t)
	render := func(*store.Reader, store.Viewer, []store.Event) ([][]byte, error) { return nil, nil }
	for name, events := range map[string][]core.Event{
		"a kind declared twice":    {{Kind: "a"}, {Kind: "a"}},
		"data without Render":      {{Kind: "a", Data: true}},
		"Render without data":      {{Kind: "a", Render: render}},
		"an ephemeral with Render": {{Kind: "a", Ephemeral: true, Data: true, Render: render}},
	} {
		if _, err := live.New(t.Context(), live.Config{DB: db.DB, Events: events}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

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
	got, want := w.hub.Presence().Snapshot("l1", list.Watcher{}), []list.Person{{ID: p.Ada.ID, Name: "Ada Lovelace"}}
	if got.Viewers != 2 || !slices.Equal(got.People, want) {
		t.Errorf("%d viewers, %v; want 2, %v", got.Viewers, got.People, want)
	}
}

// Rights that cannot be read are logged as an error, and those that can be are not.
func TestUnreadableRightsAreLogged(t *testing.T) {
	var log storetest.Buffer
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
