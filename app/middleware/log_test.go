package middleware

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/limit"
)

// What fails after its response has begun is in the log like what fails before, unless
// the client went away.
func TestFailuresAfterTheFirstByteAreLogged(t *testing.T) {
	for _, tc := range []struct {
		err    error
		gone   bool
		status int
		want   string
	}{
		{nil, false, 200, "level=INFO"},
		{errors.New("lost"), false, 200, "level=ERROR"},
		{errors.New("lost"), true, 200, "level=INFO"},
		{core.New(core.Unavailable, "busy", "Busy."), false, 200, "level=WARN"},
		{core.New(core.StorageFull, "quota_exceeded", "Full."), false, 507, "level=WARN"},
		{core.New(core.BadGateway, "unreachable_page", "Not there."), false, 502, "level=INFO"},
		{core.ErrNotFound, false, 200, "level=INFO"},
		{errors.New("lost"), false, 404, "level=INFO"},
	} {
		log := &bytes.Buffer{}
		s := newStack(t, Config{Log: slog.New(slog.NewTextHandler(log, nil))})
		ctx, leave := context.WithCancel(t.Context())
		h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tc.status)
			if tc.gone {
				leave()
			}
			RecorderOf(w).Err = tc.err
		}), failPlain)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		leave()
		if has := strings.Contains(log.String(), "error="); !strings.Contains(log.String(), tc.want) || has != (tc.want != "level=INFO") {
			t.Errorf("%v, gone: %v: want %s: %s", tc.err, tc.gone, tc.want, log)
		}
	}
}

// A method is as long as its client likes, and is cut.
func TestLongMethodsAreCutInTheLog(t *testing.T) {
	log := &bytes.Buffer{}
	s := newStack(t, Config{Log: slog.New(slog.NewTextHandler(log, nil))})
	h := s.Handler(http.NotFoundHandler(), failPlain)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(strings.Repeat("A", 10_000), "/", nil))
	if log.Len() > 300 || !strings.Contains(log.String(), "method="+strings.Repeat("A", maxMethod)+" ") {
		t.Errorf("the line has %d bytes", log.Len())
	}
}

// A line has the status of the response, the account that the request signed in, and
// whether the client went away and the request failed for it. Quiet requests that
// succeed have no line.
func TestLineOfARequest(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, leave func())
		want   []string // nil: no line
		not    []string
	}{
		"nothing sent": {func(http.ResponseWriter, *http.Request, func()) {}, []string{"status=200", "level=INFO"},
			[]string{"signed_in=", "canceled=", "user="}},
		"signed in": {func(w http.ResponseWriter, _ *http.Request, _ func()) {
			RecorderOf(w).SignedIn = "ada"
		}, []string{"signed_in=ada"}, nil},
		"canceled": {func(w http.ResponseWriter, r *http.Request, leave func()) {
			leave()
			failPlain(w, r, context.Canceled)
		}, []string{"canceled=true", "status=499", "level=INFO"}, []string{"error="}},
		"canceled by another": {func(w http.ResponseWriter, r *http.Request, _ func()) {
			failPlain(w, r, context.Canceled)
		}, []string{"status=503", "level=WARN", "error="}, []string{"canceled="}},
		"busy for who went away": {func(w http.ResponseWriter, r *http.Request, leave func()) {
			leave()
			failPlain(w, r, limit.ErrBusy)
		}, []string{"status=503", "level=WARN", "error="}, []string{"canceled="}},
		"refused with a fault": {func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.WriteHeader(400)
			RecorderOf(w).Err = errors.New("lost")
		}, []string{"status=400", "level=INFO"}, nil},
		"quiet": {func(w http.ResponseWriter, _ *http.Request, _ func()) {
			RecorderOf(w).Quiet = true
			w.WriteHeader(304)
		}, nil, nil},
		"quiet that is refused": {func(w http.ResponseWriter, _ *http.Request, _ func()) {
			RecorderOf(w).Quiet = true
			w.WriteHeader(400)
		}, []string{"status=400"}, nil},
	} {
		log := &bytes.Buffer{}
		ctx, leave := context.WithCancel(t.Context())
		newStack(t, Config{Log: slog.New(slog.NewTextHandler(log, nil))}).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tc.answer(w, r, leave)
		}), failPlain).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		leave()
		if (log.Len() == 0) != (tc.want == nil) {
			t.Errorf("%s: %s", name, log)
		}
		for _, part := range tc.want {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%s: there is no %s in %s", name, part, log)
			}
		}
		for _, part := range tc.not {
			if strings.Contains(log.String(), part) {
				t.Errorf("%s: there is %s in %s", name, part, log)
			}
		}
	}
}

// The id of a request that a proxy set is in the log if it is short and plain.
func TestUpstreamID(t *testing.T) {
	for id, want := range map[string]bool{
		"azAZ09-_.:": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "": false,
		"`": false, "{": false, "@": false, "[": false, "/": false, ";": false, "a b": false, "ä": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Request-Id", id)
		if got := upstreamID(r); got != "" != want || want && got != id {
			t.Errorf("%q: got %q, want it: %v", id, got, want)
		}
	}
}
