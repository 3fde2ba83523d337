package app_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"hearth/app/api"
	"hearth/store"
)

// FuzzServer sends arbitrary bytes as body, query, last path segment and header
// to every route as a signed-in account. Nothing may fail, and refused requests
// must not change the database.
func FuzzServer(f *testing.F) {
	f.Add([]byte(`{"content":"x","id":"00000000-0000-7000-8000-000000000000","participantIds":["a"],"title":"\u0000"}`),
		"before=2026-01-01T00:00:00Z&limit=0", "x", "5")
	f.Add([]byte(`{"mutedUntil":"9999-12-31T23:59:59.9999999+14:00","items":[{"content":"\ud800"}]}`),
		"since=-1&limit=1e3&offset=99999999999999999999", "%2e%2e%2f", "-1")
	f.Add([]byte("{\"email\":\"a@b\",\"email\":\"c\"}\xff"), "limit=5;limit=6&q=%ff&public=maybe", "\x00", "18446744073709551616")
	f.Add([]byte(`[[[[[[[[`), "since=0000-00-00T00:00:00Z&before=2026-02-30T00:00:00Z&lastEventId=x", "", " 7")
	w := newWorld(f)
	routes := api.Described()
	w.token("ada")
	f.Fuzz(func(t *testing.T, body []byte, query, segment, event string) {
		w.t = t
		for _, r := range routes {
			if strings.HasSuffix(r.Path, "/events") && event == "" || strings.Contains(r.Path, "/auth/session") ||
				strings.HasSuffix(r.Path, "/logout") {
				continue // would stream forever, or sign Ada out
			}
			tryFuzzed(t, w, r, body, query, segment, event)
		}
	})
}

func tryFuzzed(t *testing.T, w *world, r api.Route, body []byte, query, segment, event string) {
	path := r.Path
	for strings.Contains(path, "{") {
		a, b := strings.Index(path, "{"), strings.Index(path, "}")
		path = path[:a] + segment + path[b+1:]
	}
	req := httptest.NewRequest(r.Method, "/", strings.NewReader(string(body)))
	req.URL = &url.URL{Path: path, RawQuery: query}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+w.token("ada"))
	if strings.HasSuffix(r.Path, "/events") {
		// A valid number opens a stream, which is not ended here.
		if _, err := store.ParseTime(event); err == nil || strings.Trim(event, "0123456789") == "" {
			return
		}
		req.Header["Last-Event-Id"] = []string{event}
	}
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, req)
	if rec.Code >= 500 {
		t.Fatalf("%s %q ?%q %q: %d %s", r.Method, path, query, body, rec.Code, rec.Body)
	}
	if rec.Code >= 400 && rec.Code != http.StatusNotFound && !strings.Contains(rec.Body.String(), `"error":"`) {
		t.Errorf("%s %q: %d without a sentence: %s", r.Method, path, rec.Code, rec.Body)
	}
}

// FuzzTime checks that a parsed time is formatted so that it parses as the same
// time.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2026-11-20T09:40:08.000123Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999Z",
		"2026-11-20t09:40:08+14:00", "0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := store.ParseTime(s)
		if err != nil {
			return
		}
		again, err := store.ParseTime(at.String())
		if err != nil || again != at || len(at.String()) != 27 || at < 0 {
			t.Errorf("%q is parsed as %v and that as %v, %v", s, at, again, err)
		}
	})
}
