package middleware

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearth/app/limit"
)

// A response has failed from 400 on, and begins with its final status.
func TestFailed(t *testing.T) {
	for status, want := range map[int]bool{100: false, 199: false, 200: false, 399: false, 400: true, 401: true} {
		rec := &Recorder{ResponseWriter: httptest.NewRecorder()}
		rec.WriteHeader(status)
		if rec.Failed() != want || rec.Answered() != (status >= 200) {
			t.Errorf("%d: failed: %v, answered: %v", status, rec.Failed(), rec.Answered())
		}
		rec.WriteHeader(500)
		if rec.Failed() != (want || status < 200) {
			t.Errorf("%d and then 500: failed: %v", status, rec.Failed())
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

// A request is in work until its response begins, however often it asks, except while
// its body arrives. It is refused when the address has its maximum in work.
func TestRequestsInWork(t *testing.T) {
	s := newStack(t, Config{})
	reading, during := -1, -1
	h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := RecorderOf(w)
		if err := errors.Join(rec.Enter(), rec.Enter()); err != nil {
			failPlain(w, r, err)
			return
		}
		if _, err := io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		during = s.InWork()
		if r.URL.Path == "/" {
			w.WriteHeader(200)
			during += 10 * s.InWork()
		}
	}), failPlain)
	for _, path := range []string{"/", "/silent"} {
		body := readerFunc(func([]byte) (int, error) { reading = s.InWork(); return 0, io.EOF })
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest("POST", path, body)); w.Code != 200 || reading != 0 || during != 1 || s.InWork() != 0 {
			t.Errorf("%s: %d: %d requests during the body, %d after, %d at the end", path, w.Code, reading, during, s.InWork())
		}
	}
	for range limit.AddressRequests {
		s.limits.Work.Take("192.0.2.1")
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)); w.Code != 503 || w.Header().Get("Retry-After") != "2" {
		t.Errorf("when all slots are taken: %d %v", w.Code, w.Header())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
