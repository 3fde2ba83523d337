package middleware

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearth/app/core"
)

// failPlain answers with the error's code as plain text.
func failPlain(w http.ResponseWriter, _ *http.Request, err error) {
	e := ErrorOf(w, err)
	http.Error(w, e.Code, Status(e.Kind))
}

func newStack(t *testing.T, cfg Config) *Stack {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s, err := New(cfg)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	return s
}

func TestNewChecksOrigins(t *testing.T) {
	if _, err := New(Config{BaseURLs: []string{"://"}}); err == nil {
		t.Error("a base URL that is none was accepted")
	}
}

// A handler that panics is answered with an internal error, and the server
// goes on. After the first byte the connection breaks.
func TestPanic(t *testing.T) {
	s := newStack(t, Config{})
	srv := httptest.NewServer(s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			fmt.Fprint(w, "half a response")
			http.NewResponseController(w).Flush()
		}
		panic("on purpose")
	}), failPlain))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusInternalServerError || strings.Contains(string(body), "on purpose") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	late, err := http.Get(srv.URL + "/late")
	if err != nil {
		t.Fatal(err)
	}
	defer late.Body.Close()
	if _, err := io.ReadAll(bufio.NewReader(late.Body)); err == nil {
		t.Error("half a response looks like a whole one")
	}
}

// Requests of other sites do not reach the handler.
func TestCrossOrigin(t *testing.T) {
	s := newStack(t, Config{BaseURLs: []string{"https://hearth.example", ""}})
	reached := false
	h := s.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }), failPlain)
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if h := w.Header().Get("X-Content-Type-Options"); h != "nosniff" {
		t.Errorf("X-Content-Type-Options: %q", h)
	}
	if w.Code != 403 || !strings.Contains(w.Body.String(), "cross_origin") || reached {
		t.Errorf("%d %s, reached %v", w.Code, w.Body, reached)
	}
}

// A page whose name was made to point to the server has the server's origin, as far
// as a browser can tell. Its requests are refused: the server only has the names of
// the base URLs, its addresses and this machine's own name.
func TestForeignNames(t *testing.T) {
	s := newStack(t, Config{BaseURLs: []string{"https://hearth.example", "https://old.example:8443"}})
	for _, tc := range []struct {
		host, origin string
		status       int
	}{
		{"hearth.example", "https://hearth.example", 200},
		{"HEARTH.example", "https://hearth.EXAMPLE", 200},
		{"backend:8080", "https://hearth.example", 200},
		{"old.example:8443", "https://old.example:8443", 200},
		{"old.example", "https://old.example", 403},
		{"127.0.0.1:8080", "http://127.0.0.1:8080", 200},
		{"192.168.1.5", "http://192.168.1.5", 200},
		{"[fd00::1]:8080", "http://[fd00::1]:8080", 200},
		{"localhost:8080", "http://localhost:8080", 200},
		{"a.localhost", "http://a.localhost", 200},
		{"evil.example", "http://evil.example", 403},
		{"evil.example:8080", "http://evil.example:8080", 403},
		{"127.0.0.1.evil.example", "http://127.0.0.1.evil.example", 403},
		{"evil.example", "", 200}, // no browser
		{"hearth.example", "null", 403},
		{"192.168.1.5", "null", 403},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = tc.host
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		w := httptest.NewRecorder()
		s.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), failPlain).ServeHTTP(w, r)
		if w.Code != tc.status {
			t.Errorf("%s from %q: %d %s, want %d", tc.host, tc.origin, w.Code, w.Body, tc.status)
		}
	}
}

// Browsers that reach the server by https are told to stay with it.
func TestStrictTransport(t *testing.T) {
	for base, want := range map[string]string{"https://hearth.example": "max-age=31536000", "http://hearth.example": ""} {
		s := newStack(t, Config{BaseURLs: []string{base, "https://old.example"}})
		h := s.Handler(http.NotFoundHandler(), failPlain)
		for _, method := range []string{"GET", "POST"} {
			r, w := httptest.NewRequest(method, "/", nil), httptest.NewRecorder()
			r.Header.Set("Sec-Fetch-Site", "cross-site") // refused if it is a POST
			if h.ServeHTTP(w, r); w.Header().Get("Strict-Transport-Security") != want {
				t.Errorf("%s %s: %v", method, base, w.Header())
			}
		}
	}
}

// Every kind of error has a status of its own, but for unknown ones.
func TestStatus(t *testing.T) {
	seen := map[int]core.Kind{}
	for k := core.Internal; k <= core.BadGateway; k++ {
		status := Status(k)
		if other, ok := seen[status]; ok || status < 400 {
			t.Errorf("%d and %d are both answered %d", k, other, status)
		}
		seen[status] = k
	}
}

// A request gives its place back even if answering its error panics, too.
func TestPanicInFail(t *testing.T) {
	s := newStack(t, Config{})
	h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := RecorderOf(w).Enter(); err != nil {
			t.Error(err)
		}
		panic("on purpose")
	}), func(http.ResponseWriter, *http.Request, error) { panic("again") })
	func() {
		defer func() { recover() }()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	if n := s.InWork(); n != 0 {
		t.Errorf("%d requests in flight", n)
	}
}
