package middleware

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A caller has so many lines in a window, and then one with the number of the others.
// Those of other callers, and faults of the server, stay.
func TestLinesOfACallerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &storetest.Buffer{}
		s := newStack(t, Config{Log: slog.New(slog.NewTextHandler(log, nil))})
		h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			RecorderOf(w).Viewer.UserID = r.Header.Get("User")
			status := http.StatusNotFound
			if r.URL.Path == "/fault" {
				status = http.StatusInternalServerError
				RecorderOf(w).Err = errors.New("lost")
			}
			w.WriteHeader(status)
		}), failPlain)
		ask := func(path, address, user string) {
			r := httptest.NewRequest("GET", path, nil)
			r.RemoteAddr = address + ":1"
			r.Header.Set("User", user)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		for range 10 * maxLines {
			ask("/", "192.0.2.1", "")
		}
		ask("/", "192.0.2.2", "")
		ask("/fault", "192.0.2.1", "")
		if got := strings.Count(log.String(), "msg=request "); got != maxLines+2 {
			t.Errorf("%d lines, want %d", got, maxLines+2)
		}
		time.Sleep(logWindow)
		synctest.Wait()
		if want := fmt.Sprintf("requests=%d refused=%d kind=anonymous", 9*maxLines, 9*maxLines); strings.Count(log.String(), want) != 1 {
			t.Errorf("want one line with %s: %s", want, log.String())
		}
		log.Reset()
		ask("/", "192.0.2.1", "")
		if !strings.Contains(log.String(), "msg=request ") {
			t.Error("no line in the next window")
		}
	})
}

// Who reads a lot hides neither what they change nor what others do, also with many bots.
func TestLinesOfAPersonHideNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &storetest.Buffer{}
		s := newStack(t, Config{Log: slog.New(slog.NewTextHandler(log, nil))})
		h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			v := &RecorderOf(w).Viewer
			v.UserID, v.OwnerID, _ = strings.Cut(r.Header.Get("User"), " of ")
		}), failPlain)
		ask := func(method, user string) {
			r := httptest.NewRequest(method, "/", nil)
			r.Header.Set("User", user)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		for i := range 20 * maxLines {
			ask("GET", fmt.Sprintf("reader%d of ada", i%20))
			ask("POST", fmt.Sprintf("writer%d of eve", i%20))
		}
		log.Reset()
		for method, user := range map[string]string{"POST": "ada", "GET": "eve", "PUT": "ben"} {
			if ask(method, user); !strings.Contains(log.String(), "user="+user) {
				t.Errorf("no line of %s by %s", method, user)
			}
		}
	})
}

// All callers together have a budget for each sort of lines.
func TestLinesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &storetest.Buffer{}
		l := newLines(slog.New(slog.NewTextHandler(log, nil)))
		n := 0
		for i := range 3 * maxPaces {
			if l.take(payer{key: fmt.Sprint(i)}, store.Viewer{}, slog.LevelInfo, "GET", 404) {
				n++
			}
		}
		if n != linesBurst {
			t.Errorf("%d lines at once, want %d", n, linesBurst)
		}
		for i, take := range []bool{
			l.take(payer{key: "ada", account: true}, store.Viewer{}, slog.LevelInfo, "GET", 404),
			l.take(payer{key: "ada", account: true}, store.Viewer{}, slog.LevelInfo, "POST", 200),
			l.take(payer{key: "x"}, store.Viewer{}, slog.LevelInfo, "POST", 200),
			l.take(payer{key: "x"}, store.Viewer{}, slog.LevelWarn, "GET", 503),
			l.take(payer{key: "x"}, store.Viewer{}, slog.LevelError, "GET", 500),
		} {
			if !take {
				t.Errorf("line %d of another sort is not logged", i)
			}
		}
		time.Sleep(logWindow)
		synctest.Wait()
		if got := strings.Count(log.String(), "of one caller"); got != maxSummaries || strings.Count(log.String(), "of other callers") != 1 || len(l.callers) != 0 {
			t.Errorf("%d callers are told of: %s", got, log)
		}
	})
}

// Refusals for want of places, which callers cause, are bounded as other lines are.
func TestRefusalsAreBoundedInTheLog(t *testing.T) {
	log := &bytes.Buffer{}
	s := newStack(t, Config{Log: slog.New(slog.NewTextHandler(log, nil)), Bounds: Bounds{Unpaced: true}})
	h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failPlain(w, r, core.New(core.Unavailable, "busy", "Busy."))
	}), failPlain)
	for range 3 * maxLines {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	if got := strings.Count(log.String(), "level=WARN"); got != maxLines {
		t.Errorf("%d lines, want %d", got, maxLines)
	}
}
