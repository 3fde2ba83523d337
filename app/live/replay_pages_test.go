package live_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// pages is a response that keeps what is written at once apart.
type pages struct {
	*httptest.ResponseRecorder
	written [][]byte
}

func (p *pages) Write(b []byte) (int, error) {
	if len(b) > 0 {
		p.written = append(p.written, bytes.Clone(b))
	}
	return len(b), nil
}

// pagesAfter returns the pages in which sub receives what it missed.
func (w *world) pagesAfter(t testing.TB, sub *live.Subscription, after int64) [][]byte {
	t.Helper()
	p := &pages{ResponseRecorder: httptest.NewRecorder()}
	if err := w.hub.Replay(t.Context(), p, sub, after); err != nil {
		t.Fatal(err)
	}
	return p.written
}

// numbers returns 0, 1, and so on, as text.
func numbers(n int) (out []string) {
	for i := range n {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

var objectIn = regexp.MustCompile(`"object":"(\d+)"`)

// Of one snapshot 500 events are sent, whatever the stream is of, and with more
// each is sent once and in order.
func TestReplayReads500EventsAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	for _, tc := range []struct {
		stream string
		event  store.Event
		open   func() (*live.Subscription, error)
	}{
		{"feed", store.Event{Topic: conv, Kind: "message.created"}, func() (*live.Subscription, error) { return w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), "") }},
		{"list", store.Event{Topic: "l1", Kind: "item.created"}, func() (*live.Subscription, error) { return w.hub.Subscribe(t.Context(), store.Viewer{}, "l1") }},
		{"lane", store.Event{Topic: conv, Kind: "context.updated"}, func() (*live.Subscription, error) {
			return w.hub.SubscribeLane(t.Context(), storetest.Human(p.Ada), conv)
		}},
	} {
		objects := numbers(1001)
		ids := w.emit(t, tc.event, objects...)
		sub, err := tc.open()
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		for missed, want := range map[int][]int{500: {500}, 501: {500, 1}, 1001: {500, 500, 1}} {
			first := len(ids) - missed
			var counts []int
			var got []string
			for _, page := range w.pagesAfter(t, sub, ids[first]-1) {
				found := objectIn.FindAllSubmatch(page, -1)
				counts = append(counts, len(found))
				for _, m := range found {
					got = append(got, string(m[1]))
				}
			}
			if !slices.Equal(counts, want) || !slices.Equal(got, objects[first:]) {
				t.Errorf("%s: %d missed events were sent in pages of %d, want %d in order", tc.stream, missed, counts, want)
			}
		}
	}
}

// After 256 KB have been rendered from one snapshot the rest is read from another,
// in batches of 100 events.
func TestReplayRenders256KBAtOnce(t *testing.T) {
	const kind, batch, limit = "item.created", 100, 256 << 10
	first := 0 // bytes of the first event
	w := newWorld(t, func(c *live.Config) {
		i := slices.IndexFunc(c.Events, func(e core.Event) bool { return e.Kind == kind })
		c.Events[i].Render = func(_ *store.Reader, _ store.Viewer, evs []store.Event) ([][]byte, error) {
			out := slices.Repeat([][]byte{[]byte("x")}, len(evs))
			if evs[0].ObjectID == "0" {
				out[0] = []byte(strings.Repeat("x", first))
			}
			return out, nil
		}
	})
	ids := w.emit(t, store.Event{Topic: "l1", Kind: kind}, numbers(batch+1)...)
	sub, err := w.hub.Subscribe(t.Context(), store.Viewer{}, "l1")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	around := len("id: " + w.hub.Seal(1) + "\nevent: " + kind + "\ndata: \n\n")
	first = limit - batch*around - (batch - 1)
	last := around + 1
	for _, tc := range []struct {
		less int
		want []int
	}{{0, []int{limit, last}}, {1, []int{limit - 1 + last}}} {
		first -= tc.less
		var got []int
		for _, page := range w.pagesAfter(t, sub, ids[0]-1) {
			got = append(got, len(page))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%d bytes below the limit: pages of %d bytes, want %d", tc.less, got, tc.want)
		}
	}
}

// A replay that ends because rights have ended is not a failure, and is not logged;
// one whose events cannot be read is.
func TestFailedReplaysAreLogged(t *testing.T) {
	var log storetest.Buffer
	w := newWorld(t, func(c *live.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, "m1")
	w.emit(t, store.Event{Topic: conv, Kind: "context.updated"}, "c1")
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
	leave := func() {
		err := w.db.Write(t.Context(), func(tx *store.Tx) error { return tx.RemoveMember(storetest.Human(p.Ben), conv, p.Ben.ID) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name       string
		who        store.Viewer
		list, lane string
		change     func()
		kind       core.Kind // of the error: it is logged if it is internal
	}{
		{"rendering fails", storetest.Human(p.Ben), "", "", func() { w.fail.Store(true) }, core.Internal},
		{"a revoked credential", storetest.Human(p.Ada), "", "", func() { w.set(func() { w.revoked[p.Ada.ID] = true }) }, core.Unauthenticated},
		{"a hidden list", store.Viewer{}, "l1", "", func() { w.set(func() { w.private["l1"] = true }) }, core.NotFound},
		{"a membership that ended", storetest.Human(p.Ben), "", conv, leave, core.Forbidden},
	} {
		open := func() (*live.Subscription, error) { return w.hub.Subscribe(t.Context(), tc.who, tc.list) }
		if tc.lane != "" {
			open = func() (*live.Subscription, error) { return w.hub.SubscribeLane(t.Context(), tc.who, tc.lane) }
		}
		sub, err := open()
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		log.Reset()
		tc.change()
		err = w.hub.Replay(t.Context(), httptest.NewRecorder(), sub, live.FromOldest)
		sub.Close()
		logged := strings.Contains(log.String(), "missed events could not be read")
		if err == nil || core.As(err).Kind != tc.kind || logged != (tc.kind == core.Internal) {
			t.Errorf("%s: %v, logged %q", tc.name, err, log.String())
		}
	}
}

// serveTo serves sub to a client that has read nothing yet.
func (w *world) serveTo(t testing.TB, sub *live.Subscription, after int64) *client {
	t.Helper()
	r, out := io.Pipe()
	c := &client{t: t, resp: &http.Response{Body: r}, events: make(chan sse, 10000), cancel: sub.Close}
	served := make(chan struct{})
	go func() {
		defer close(served)
		defer out.Close()
		w.hub.Serve(pipe{httptest.NewRecorder(), out}, httptest.NewRequest("GET", "/", nil), sub, after)
	}()
	go c.read()
	t.Cleanup(func() {
		c.close()
		<-served
	})
	return c
}

// pipe is a response whose body goes to a pipe.
type pipe struct {
	*httptest.ResponseRecorder
	body io.Writer
}

func (p pipe) Write(b []byte) (int, error) { return p.body.Write(b) }

// queued opens a stream of a person, emits events while nothing reads it, and returns
// their ids when they have been delivered.
func (w *world) queued(t *testing.T, u store.User, e store.Event, objects ...string) (sub *live.Subscription, ids []int64) {
	t.Helper()
	probe := w.connect(t, as(u), "")
	probe.block()
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(u), "")
	if err != nil {
		t.Fatal(err)
	}
	ids = w.emit(t, e, objects...)
	for _, o := range objects {
		probe.expect(string(e.Kind), o)
	}
	return sub, ids
}

// After a resync the stream goes on with the events after the position that it
// names, also if the client named one that is not in the log yet.
func TestEventsAfterAResync(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	m := store.Event{Topic: conv, Kind: "message.created"}
	sub, before := w.queued(t, p.Ada, m, "queued", "queued too")
	c := w.serveTo(t, sub, before[1]+1000)
	if e := c.next(); e.name != "resync" || e.data != fmt.Sprintf(`{"id":%q}`, e.id) {
		t.Errorf("got %+v, want a resync", e)
	} else if n, _ := w.hub.Open(e.id); n != before[1] {
		t.Errorf("the resync names event %d, want %d", n, before[1])
	}
	w.emit(t, m, "after")
	c.expect("message.created", "after")
}

// After a restore, a stream that resumes after an event from after the backup, which
// has no event with its number any more, is told to load everything again, and one
// that resumes after an event of the backup is not.
func TestResumeAfterARestore(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	m := store.Event{Topic: conv, Kind: "message.created"}
	kept := w.emit(t, m, "kept", "kept too")
	w.sql(t, `INSERT INTO event (id, topic, kind, object_id, at) VALUES (?, '', 'restored', '', 0)`, kept[1]+1<<32)
	after := w.emit(t, m, "after", "newest")
	for lost, resync := range map[int64]bool{kept[1] + 1: true, kept[1] + 1<<32 - 1: true, kept[0]: false, kept[1]: false, after[0]: false, live.FromOldest: false} {
		sub, _ := w.queued(t, p.Ada, m)
		if e := w.serveTo(t, sub, lost).next(); (e.name == "resync") != resync {
			t.Errorf("after the event %d the stream begins with %+v", lost, e)
		}
	}
	w.sql(t, `DELETE FROM event WHERE id <= ?`, kept[1])
	sub, _ := w.queued(t, p.Ada, m)
	if e := w.serveTo(t, sub, live.FromOldest).next(); e.name == "resync" {
		t.Errorf("a stream from the oldest event on begins with %+v", e)
	}
}

// A stream that resumes after an event which was delivered since it was opened does
// not send that event.
func TestEventsThatTheClientHas(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada)
	m := store.Event{Topic: conv, Kind: "message.created"}
	sub, ids := w.queued(t, p.Ada, m, "received", "missed")
	c := w.serveTo(t, sub, ids[0])
	c.expect("message.created", "missed")
}
