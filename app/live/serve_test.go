package live_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

func TestHeartbeat(t *testing.T) {
	w := newWorld(t, func(c *live.Config) { c.Heartbeat = 10 * time.Millisecond })
	p := storetest.People(t, w.db)
	c := w.connect(t, as(p.Ada), "")
	c.block()
	for range 3 {
		if e, _ := c.block(); e.name != "comment" {
			t.Errorf("got %+v, want a comment", e)
		}
	}
}

// The stream of a client that does not read ends without affecting others, and
// the client receives everything when it reconnects.
func TestSlowClientIsDisconnected(t *testing.T) {
	w := newWorld(t, func(c *live.Config) { c.WriteTimeout = 200 * time.Millisecond })
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	quick := w.connect(t, as(p.Ben), "")
	quick.block()

	conn, err := net.Dial("tcp", strings.TrimPrefix(w.srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprintf(conn, "GET /?%s HTTP/1.1\r\nHost: x\r\n\r\n", as(p.Ada))
	for w.hub.Streams() < 2 {
		time.Sleep(time.Millisecond)
	}
	big := strings.Repeat("x", 20_000)
	n := 0
	for ; w.hub.Streams() == 2; n++ {
		if n > 5000 {
			t.Fatal("100 MB were written to a client that reads nothing")
		}
		w.emit(t, store.Event{Topic: conv, Kind: "message.created"}, fmt.Sprint(n, big))
		quick.expect("message.created", fmt.Sprint(n, big))
	}
	back := w.connect(t, as(p.Ada), w.hub.Seal(1))
	for i := range n - 1 {
		back.expect("message.created", fmt.Sprint(i+1, big))
	}
}

// Waiting events are written together.
func TestQueuedEventsShareAFlush(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	sub, err := w.hub.Subscribe(t.Context(), storetest.Human(p.Ada), core.ToUser, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := w.hub.PublishUsers([]string{p.Ada.ID}, "poke", fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	count := &flushes{ResponseRecorder: httptest.NewRecorder()}
	var wg sync.WaitGroup
	wg.Go(func() { w.hub.Serve(count, httptest.NewRequest("GET", "/", nil), sub) })
	for !count.contains(`{"n":49}`) {
		time.Sleep(time.Millisecond)
	}
	sub.Close()
	wg.Wait()
	if count.n != 2 {
		t.Errorf("the beginning and 50 waiting events took %d flushes, want 2", count.n)
	}
}

// What was queued before a list was deleted is still written.
func TestLastEventsOfAList(t *testing.T) {
	w := newWorld(t, nil)
	for range 20 {
		sub, err := w.hub.Subscribe(t.Context(), store.Viewer{}, core.ToList, "l1")
		if err != nil {
			t.Fatal(err)
		}
		w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
		w.emit(t, store.Event{Topic: "l1", Kind: "list.deleted"}, "l1")
		for w.hub.Streams() > 0 {
			time.Sleep(time.Millisecond)
		}
		out := &flushes{ResponseRecorder: httptest.NewRecorder()}
		w.hub.Serve(out, httptest.NewRequest("GET", "/", nil), sub)
		if !out.contains(`"object":"i1"`) || !out.contains(`"object":"l1"`) {
			t.Fatalf("got only %s", out.Body)
		}
	}
}

// flushes is a response that counts them.
type flushes struct {
	*httptest.ResponseRecorder
	mu sync.Mutex
	n  int
}

func (f *flushes) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ResponseRecorder.Write(b)
}

func (f *flushes) FlushError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return nil
}

func (f *flushes) contains(s string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Contains(f.Body.Bytes(), []byte(s))
}

var _ http.ResponseWriter = (*flushes)(nil)

func TestListPresenceOverTheWire(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	w.names[p.Ada.ID] = "Ada"
	ada := w.connect(t, as(p.Ada)+"&list=l1", "")
	if e := ada.next(); e.name != "presence" || e.data != fmt.Sprintf(`{"viewers":1,"people":[{"id":%q,"name":"Ada"}],"typing":[]}`,
		p.Ada.ID) {
		t.Errorf("first event: %+v", e)
	}
	second := w.connect(t, as(p.Ada)+"&list=l1", "") // an account counts once
	second.expect("presence", "viewers")
	anonymous := w.connect(t, "list=l1", "")
	known := w.connect(t, as(p.Stranger)+"&list=l1", "") // signed in, but not known here
	want := fmt.Sprintf(`{"viewers":3,"people":[{"id":%q,"name":"Ada"}],"typing":[]}`, p.Ada.ID)
	for e := ada.next(); e.data != want; e = ada.next() {
		if e.name != "presence" {
			t.Fatalf("got %+v", e)
		}
	}
	w.hub.SetTyping("l1", list.Person{ID: p.Ada.ID, Name: "Ada"}, "i7", true)
	for e := anonymous.next(); !strings.Contains(e.data, fmt.Sprintf(`"typing":[{"id":%q,"name":"Ada","itemId":"i7"}]`,
		p.Ada.ID)); e = anonymous.next() {
		if e.name != "presence" {
			t.Fatalf("got %+v", e)
		}
	}
	known.close()
	anonymous.close()
	for w.hub.Presence("l1", list.Watcher{}).Viewers != 1 {
		time.Sleep(time.Millisecond)
	}
	ada.close()
	second.close()
	for w.hub.Presence("l1", list.Watcher{}).Viewers != 0 {
		time.Sleep(time.Millisecond)
	}
	if n := len(w.hub.Presence("l1", list.Watcher{}).Typing); n != 0 {
		t.Errorf("a person who left is still typing")
	}
}
