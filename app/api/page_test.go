package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

type pageIn struct {
	Last bool `query:"last" json:"-"`
}

// A page is the bare array of its items; the next one is announced in a header
// that is built from the server's own address.
func TestPages(t *testing.T) {
	pages := func(_ context.Context, _ store.Viewer, in pageIn) (p core.Page[string], err error) {
		if !in.Last {
			p.Items, p.Next = []string{"a", "b"}, url.Values{"before": {"2026-01-01T00:00:00.000000Z"}, "last": {"true"}}
		}
		return p, nil
	}
	stack, err := middleware.New(middleware.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	list := op.New(nil, pages, op.Spec{Summary: "List things", Guard: op.Public, Hints: op.ReadOnly}).Op
	h, err := newHandler(Config{Auth: keyring{}, Stack: stack, Site: Site{BaseURL: "https://hearth.example/"}},
		[]Route{{"GET", "/api/things", 200, list}})
	if err != nil {
		t.Fatal(err)
	}
	get := func(target string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Host = "elsewhere.example"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const next = "https://hearth.example/api/things?before=2026-01-01T00%3A00%3A00.000000Z&last=true"
	if w := get("/api/things"); w.Body.String() != `["a","b"]`+"\n" || w.Header().Get("Link") != "<"+next+`>; rel="next"` {
		t.Errorf("got %s, Link: %s", w.Body, w.Header().Get("Link"))
	}
	if w := get("/api/things?last=true"); w.Body.String() != "[]\n" || len(w.Header().Values("Link")) != 0 {
		t.Errorf("last: got %s, Link: %s", w.Body, w.Header().Get("Link"))
	}
}
