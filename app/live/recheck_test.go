package live_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

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

// A replay notices by itself that the credential was revoked, before the hub hears of it.
func TestRevocationDuringReplay(t *testing.T) {
	w := newWorld(t, nil)
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
		t.Errorf("%d of 1,200 events were sent, want the events of the first snapshot", n)
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
