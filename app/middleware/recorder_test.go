package middleware

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// watched is a connection that notes what is written to it, and what counts meanwhile.
type watched struct {
	deadlines
	rec   *Recorder
	parts []int   // bytes of each write
	moved []int64 // that the client had taken before
	waits []bool  // whether the request waited for its client
}

func (w *watched) Write(b []byte) (int, error) {
	w.parts = append(w.parts, len(b))
	w.moved = append(w.moved, w.rec.place.moved.Load())
	w.waits = append(w.waits, w.rec.waits())
	return w.deadlines.Write(b)
}

func (rec *Recorder) waits() bool {
	l := rec.place.l
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.waiting[&rec.place]
	return ok
}

// newWatched returns a request whose client has an hour for each part of the response.
func newWatched(t *testing.T) *watched {
	t.Helper()
	l, _ := testLoad(Bounds{})
	w := &watched{deadlines: deadlines{ResponseRecorder: httptest.NewRecorder()}}
	w.rec = &Recorder{ResponseWriter: w, sendTime: time.Hour, place: place{l: l, address: "a"}}
	return w
}

// A response is sent in parts, while the request waits for its client. A short one is not
// waited for unless the server reads the rest of a body first, nor is one of a request
// without a place, which limits its time itself.
func TestResponseWaitsForItsClient(t *testing.T) {
	for _, tc := range []struct {
		name     string
		bytes    int
		entered  bool
		unread   bool
		parts    []int
		waits    bool
		extended int // deadlines after that of the begin
	}{
		{"short", smallWrite - 1, true, false, []int{smallWrite - 1}, false, 1},
		{"short before the rest of a body", 1, true, true, []int{1}, true, 1},
		{"long", smallWrite, true, false, []int{smallWrite}, true, 1},
		{"parts", 2*sendPart + 1, true, false, []int{sendPart, sendPart, 1}, true, 1},
		{"without a place", 2 * sendPart, false, false, []int{2 * sendPart}, false, 0},
	} {
		w := newWatched(t)
		if tc.entered {
			if err := w.rec.Enter(); err != nil {
				t.Fatal(err)
			}
		}
		if tc.unread {
			w.rec.body = &body{}
		}
		w.rec.WriteHeader(http.StatusOK)
		w.rec.extended = w.rec.extended.Add(-time.Hour)
		n, err := w.rec.Write(make([]byte, tc.bytes))
		if n != tc.bytes || err != nil || !slices.Equal(w.parts, tc.parts) || w.rec.waits() {
			t.Errorf("%s: %d bytes, %v, in parts of %d; it waits: %v", tc.name, n, err, w.parts, w.rec.waits())
		}
		for i, waited := range w.waits {
			if waited != tc.waits || waited && w.moved[i] != int64(i*sendPart) {
				t.Errorf("%s: part %d waits: %v, and its client took %d bytes before", tc.name, i, waited, w.moved[i])
			}
		}
		if len(w.write) != 1+tc.extended {
			t.Errorf("%s: %d deadlines", tc.name, len(w.write))
		}
	}
}

// While a request awaits its body its client can be cut off, and not once it is there.
func TestBodyIsWaitedFor(t *testing.T) {
	w := newWatched(t)
	awaited := false
	w.rec.body = &body{rec: w.rec, ReadCloser: io.NopCloser(readerFunc(func(b []byte) (int, error) {
		awaited = w.rec.waits()
		w.rec.place.l.mu.Lock()
		defer w.rec.place.l.mu.Unlock()
		w.rec.place.cut()
		return copy(b, "x"), io.EOF
	}))}
	if b, err := io.ReadAll(w.rec.body); string(b) != "x" || err != nil || !awaited || w.rec.waits() {
		t.Errorf("%q, %v; it waits within: %v, after: %v", b, err, awaited, w.rec.waits())
	}
	if !slices.Equal(w.read, []time.Time{longAgo}) {
		t.Errorf("a client that is cut off has the deadlines %v", w.read)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// A response has failed from 400 on, and begins with its final status.
func TestFailed(t *testing.T) {
	for status, want := range map[int]bool{100: false, 199: false, 200: false, 399: false, 400: true, 401: true} {
		w := newWatched(t)
		w.rec.WriteHeader(status)
		if w.rec.Failed() != want || w.rec.Answered() != (status >= 200) {
			t.Errorf("%d: failed: %v, answered: %v", status, w.rec.Failed(), w.rec.Answered())
		}
		w.rec.WriteHeader(500)
		if w.rec.Failed() != (want || status < 200) {
			t.Errorf("%d and then 500: failed: %v", status, w.rec.Failed())
		}
	}
}

// Every response tells browsers to believe its type.
func TestHandlerOfAStack(t *testing.T) {
	s := newStack(t, Config{})
	w := httptest.NewRecorder()
	s.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat("x", 10))
	}), failPlain).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if got := w.Header().Get("X-Content-Type-Options"); got != "nosniff" || w.Code != 200 {
		t.Errorf("%d, X-Content-Type-Options: %q", w.Code, got)
	}
}
