package live

import (
	"context"
	"crypto/aes"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// bareHub returns a hub without a database, whose clock is that of the caller's
// bubble. It has no goroutines.
func bareHub(t testing.TB, cfg Config) *Hub {
	t.Helper()
	cfg.fill()
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{
		cfg: cfg, ids: eventIDs{block}, presence: newPresence(), cancel: func() {},
		all: map[*Subscription]struct{}{}, users: map[string]map[*Subscription]struct{}{},
		lists: map[string]map[*Subscription]struct{}{}, lanes: map[string]map[*Subscription]struct{}{}, ips: map[string]int{}, people: map[string]int{},
	}
	h.events, err = newTable([]core.Event{
		{Kind: "presence", Ephemeral: true, Presence: true},
		{Kind: "list.shared", Effects: core.CheckList},
		{Kind: "auth.changed", Effects: core.CheckCredentials},
		{Kind: "user.updated", Effects: core.CheckNames},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// bare registers a stream of the account, of the list or, without one, its feed.
func (h *Hub) bare(t testing.TB, v store.Viewer, listID string) *Subscription {
	t.Helper()
	s, err := h.tryBare(v, listID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *Hub) tryBare(v store.Viewer, listID string) (*Subscription, error) {
	if v.UserID != "" {
		v.Kind = store.Human
	}
	s := &Subscription{hub: h, viewer: v, list: listID, frames: make(chan *frame, queueLength), done: make(chan struct{})}
	return s, h.register(s)
}

// callsWriter records the order of what is called, and the deadlines that are set.
type callsWriter struct {
	*httptest.ResponseRecorder
	calls       []string
	read, write time.Time
	hold        <-chan struct{} // writes wait until it is closed, unless it is nil
}

func (w *callsWriter) SetReadDeadline(at time.Time) error {
	w.read = at
	return nil
}

func (w *callsWriter) SetWriteDeadline(at time.Time) error {
	w.write = at
	w.calls = append(w.calls, "limit")
	return nil
}

func (w *callsWriter) WriteHeader(status int) {
	w.calls = append(w.calls, "header")
	w.ResponseRecorder.WriteHeader(status)
}

func (w *callsWriter) Write(b []byte) (int, error) {
	if w.hold != nil {
		<-w.hold
	}
	w.calls = append(w.calls, "write")
	return w.ResponseRecorder.Write(b)
}

// Close returns after the last stream has been written.
func TestCloseWaitsForStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release := bareHub(t, Config{}), make(chan struct{})
		sub := h.bare(t, store.Viewer{UserID: "a"}, "")
		w := &callsWriter{ResponseRecorder: httptest.NewRecorder(), hold: release}
		served, closed := make(chan struct{}), make(chan error, 1)
		go func() {
			defer close(served)
			h.Serve(w, httptest.NewRequest("GET", "/", nil), sub, NoResume)
		}()
		synctest.Wait()
		go func() { closed <- h.Close(context.Background()) }()
		synctest.Wait()
		if len(closed) > 0 {
			t.Error("the hub is closed while a stream is written")
		}
		close(release)
		<-served
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

// A stream lasts longer than a request may be read for. The limit for its first
// write is set after the response has begun, when middleware sets another, and the
// end of the body has one of its own.
func TestLimitsOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 7 * time.Second
		h := bareHub(t, Config{WriteTimeout: limit, Heartbeat: 24 * time.Hour})
		sub := h.bare(t, store.Viewer{UserID: "a"}, "")
		w := &callsWriter{ResponseRecorder: httptest.NewRecorder(), read: time.Now().Add(time.Second)}
		served := make(chan struct{})
		go func() {
			defer close(served)
			h.Serve(w, httptest.NewRequest("GET", "/", nil), sub, NoResume)
		}()
		synctest.Wait()
		if !w.read.IsZero() {
			t.Errorf("the time for reading the request ends at %v, want no end", w.read)
		}
		if want := []string{"header", "limit", "write"}; !slices.Equal(w.calls, want) {
			t.Errorf("got the calls %q, want %q", w.calls, want)
		}
		time.Sleep(time.Hour)
		sub.Close()
		<-served
		if got, want := w.write, time.Now().Add(limit); !got.Equal(want) {
			t.Errorf("the end of the body has the deadline %v, want %v", got, want)
		}
	})
}

// Who watches a list is sent when it differs from what was sent last; other events
// are sent also when they are equal.
func TestEqualPresenceIsSentOnce(t *testing.T) {
	w := httptest.NewRecorder()
	s := &stream{w: w, presence: []byte("a")}
	for _, f := range []frame{
		{presence: true, wire: []byte("a")},
		{presence: true, wire: []byte("b")},
		{presence: true, wire: []byte("b")},
		{wire: []byte("x")},
		{wire: []byte("x")},
		{presence: true, wire: []byte("b")},
		{presence: true, wire: []byte("a")},
	} {
		if err := s.put(&f); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := w.Body.String(), "bxxa"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}
