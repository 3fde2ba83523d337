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
