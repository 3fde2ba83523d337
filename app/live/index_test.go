package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// What is counted by account, list, lane and address leaves nothing behind.
func TestIndexIsEmptyInTheEnd(t *testing.T) {
	index := map[string]map[*Subscription]struct{}{}
	var all []*Subscription
	for _, user := range []string{"a", "a", "b", ""} {
		s := &Subscription{viewer: store.Viewer{UserID: user}}
		all = append(all, s)
		addTo(index, user, s)
	}
	if len(index) != 2 || len(index["a"]) != 2 || len(index["b"]) != 1 {
		t.Errorf("added: %v", index)
	}
	for n, want := range []int{2, 1, 0, 0} {
		for range 2 { // once more makes no difference
			removeFrom(index, all[n].viewer.UserID, all[n])
		}
		if len(index) != want {
			t.Errorf("%d removed: %v", n+1, index)
		}
	}
}

// A stream too many of an address or of an account and its bots is told when to try again. One that
// ends leaves nothing in memory.
func TestRegister(t *testing.T) {
	h := &Hub{
		cfg: Config{MaxStreams: 10, PerIP: 2, PerAccount: 1, Watching: func(store.Viewer, int) {}}, presence: newPresence(),
		all: map[*Subscription]struct{}{}, users: map[string]map[*Subscription]struct{}{},
		lists: map[string]map[*Subscription]struct{}{}, lanes: map[string]map[*Subscription]struct{}{}, ips: map[string]int{}, people: map[string]int{},
	}
	open := func(user, ip string) *Subscription {
		bot, owner, _ := strings.Cut(user, " of ")
		return &Subscription{hub: h, viewer: store.Viewer{Kind: store.Human, UserID: bot, OwnerID: owner, IP: ip}, list: "l", lane: "c", done: make(chan struct{})}
	}
	var all []*Subscription
	for _, tc := range []struct {
		user, ip string
		wait     time.Duration // 0 if it opens
	}{{"a", "1", 0}, {"a", "2", 10 * time.Second}, {"b", "1", 0}, {"bot of a", "2", 10 * time.Second}, {"c", "1", 10 * time.Second}, {"bot of c", "2", 0}, {"c", "3", 10 * time.Second}} {
		s := open(tc.user, tc.ip)
		err := h.register(s)
		if (err != nil) != (tc.wait > 0) || err != nil && (core.As(err).Kind != core.TooMany || core.As(err).RetryAfter != tc.wait) {
			t.Errorf("%+v: %v", tc, err)
		}
		if err == nil {
			all = append(all, s)
		}
	}
	for _, s := range all {
		s.Close()
		s.Close() // once more makes no difference
		if <-s.done; s.reason != errClosed {
			t.Errorf("ended with %v", s.reason)
		}
	}
	if n := len(h.all) + len(h.users) + len(h.lists) + len(h.lanes) + len(h.ips) + len(h.people); n > 0 {
		t.Errorf("left in memory: %v %v %v %v", h.users, h.lists, h.lanes, h.ips)
	}
	h.closed = true
	s := open("a", "1")
	if err := h.register(s); err != nil || s.reason != errShutdown {
		t.Errorf("while it shuts down: %v, %v", err, s.reason)
	}
	<-s.done
}

// timedWriter records the deadline that is set when something is written.
type timedWriter struct {
	httptest.ResponseRecorder
	set  time.Time
	seen []time.Time
}

func (w *timedWriter) SetWriteDeadline(at time.Time) error { w.set = at; return nil }

func (w *timedWriter) Write(b []byte) (int, error) {
	w.seen = append(w.seen, w.set)
	return w.ResponseRecorder.Write(b)
}

// A client has a while for each part of a stream.
func TestStreamsHaveDeadlines(t *testing.T) {
	w := &timedWriter{ResponseRecorder: *httptest.NewRecorder()}
	s := &stream{w: w, rc: http.NewResponseController(w), hub: &Hub{cfg: Config{WriteTimeout: time.Hour}}}
	for range 2 {
		before := time.Now()
		if err := s.send([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if at := w.seen[len(w.seen)-1]; at.Before(before.Add(time.Hour)) || at.After(time.Now().Add(time.Hour)) {
			t.Errorf("written with the deadline %v", at.Sub(before))
		}
	}
}
