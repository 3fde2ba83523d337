package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// contract has every endpoint of the two published APIs, and the fixed paths
// that are beside a parameter.
var contract = []string{
	"GET /health",
	"GET /api/auth/me",
	"DELETE /api/auth/me",
	"PUT /api/auth/me/status",
	"GET /api/auth/export",
	"POST /api/auth/bridge-exchange",
	"GET /api/friends",
	"GET /api/friends/users/{id}",
	"POST /api/friends/users/{id}/request",
	"POST /api/friends/users/{id}/accept",
	"POST /api/friends/users/{id}/decline",
	"POST /api/friends/users/{id}/cancel",
	"POST /api/friends/users/{id}/remove",
	"GET /api/card/{token}/friend-status",
	"POST /api/card/{token}/friend-request",
	"GET /api/chat/conversations",
	"POST /api/chat/conversations",
	"GET /api/chat/conversations/{id}",
	"GET /api/chat/unread-total",
	"GET /api/chat/conversations/{id}/messages",
	"POST /api/chat/conversations/{id}/messages",
	"GET /api/chat/messages/since",
	"PATCH /api/chat/messages/{id}",
	"DELETE /api/chat/messages/{id}",
	"GET /api/chat/conversations/{id}/content",
	"GET /api/chat/conversations/{id}/context",
	"POST /api/chat/conversations/{id}/context",
	"PATCH /api/chat/conversations/{id}/context/{postId}",
	"DELETE /api/chat/conversations/{id}/context/{postId}",
	"POST /api/chat/conversations/{id}/context/{postId}/report",
	"POST /api/chat/conversations/{id}/context/{postId}/ask-agents",
	"GET /api/chat/context-agent/preferences",
	"PUT /api/chat/context-agent/preferences",
	"GET /api/chat/context-agent/requests",
	"POST /api/chat/context-agent/requests/{requestId}/respond",
	"GET /api/intents",
	"POST /api/intents",
	"PATCH /api/intents/{id}",
	"GET /api/matches",
	"POST /api/matches/{id}/respond",
	"GET /api/intent-drafts",
	"POST /api/intent-drafts",
	"PATCH /api/intent-drafts/{id}",
	"POST /api/intent-drafts/{id}/activate",
	"GET /api/stories/feed",
	"GET /api/stories/mine",
	"POST /api/stories",
	"PATCH /api/stories/{id}",
	"POST /api/stories/{id}/respond",
	"GET /api/social/preferences",
	"PATCH /api/social/preferences",
	"GET /api/review",
	"GET /api/inbox",
	"POST /api/stories/seen",
	"GET /api/lists",
	"POST /api/lists",
	"GET /api/lists/{id}",
	"GET /api/lists/{id}/items",
	"POST /api/lists/{id}/items",
	"GET /api/list/{id}/events",
	"GET /api/list/{id}/presence",
	"GET /api/link-preview",
	"POST /api/frontend-log",
	"POST /api/register-agent",
	"GET /api/card/me",
	"PATCH /api/card/me",
	"POST /api/card/me/rotate",
	"GET /api/card/{token}",
	"GET /list/new",
	"GET /list/{id}",
	"GET /list/{list_id}/item/{item_id}",
	"GET /api/chat/messages/{id}",
	"DELETE /api/chat/messages/{messageId}/reactions/{emoji}",
	"PATCH /api/chat/conversations/{id}/participants/me",
	"PATCH /api/chat/conversations/{id}/participants/{userId}",
	"GET /api/chat/attachments/{attachmentId}",
}

// Every endpoint is found by its own path, and by no other.
func TestContractRoutes(t *testing.T) {
	var routes []Route
	for _, row := range contract {
		method, path, _ := strings.Cut(row, " ")
		// Each has its own route.
		answer := func(w http.ResponseWriter, r *http.Request, _ store.Viewer) {
			_, _ = w.Write([]byte(row + "|" + r.PathValue("id") + r.PathValue("token")))
		}
		spec := op.Spec{Summary: row, Guard: op.Public}
		if safe(method) {
			spec.Hints = op.ReadOnly
		}
		routes = append(routes, Route{method, path, 200, Stream(answer, spec, Response{Type: "text/plain"})})
	}
	stack, err := middleware.New(middleware.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(Config{Auth: keyring{}, Stack: stack}, routes)
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("{emoji}", "👍", "{token}", "tok", "{attachmentId}", someID, "{id}", someID, "{userId}", someID, "{postId}",
		someID,
		"{requestId}", someID, "{messageId}", someID, "{item_id}", someID, "{list_id}", someID)
	for _, row := range contract {
		method, path, _ := strings.Cut(row, " ")
		r := httptest.NewRequest(method, fill.Replace(path), nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want := row + "|"
		if strings.Contains(path, "{id}") {
			want += someID
		}
		if strings.Contains(path, "{token}") {
			want += "tok"
		}
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s", row, w.Code, w.Body)
		}
	}
}

func TestInvalidRoutes(t *testing.T) {
	s := &shelf{}
	read := op.Spec{Summary: "Get a book", Guard: op.ListRead, Hints: op.ReadOnly}
	good := Route{"GET", "/api/books/{id}", 200, op.New(nil, s.GetBook, read).Op}
	stack, err := middleware.New(middleware.Config{})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, rows ...Route) {
		t.Helper()
		defer func() {
			if p := recover(); p != nil {
				t.Logf("%s: %v", what, p)
			}
		}()
		if _, err := newHandler(Config{Auth: keyring{}, Stack: stack}, rows); err == nil {
			t.Errorf("%s: the table was accepted", what)
		}
	}
	for name, change := range map[string]func(*Route){
		"no status":        func(r *Route) { r.Status = 0 },
		"half a parameter": func(r *Route) { r.Path = "/api/x{id}" },
		"reading by POST":  func(r *Route) { r.Method = "POST" },
		"writing by GET":   func(r *Route) { r.Op = op.New(nil, s.GetBook, op.Spec{Summary: "x", Guard: op.ListRead}).Op },
	} {
		row := good
		change(&row)
		refused(name, row)
	}
	put := op.New(nil, s.PutBook, op.Spec{Summary: "Put a book", Guard: op.Member}).Op
	refused("what may make something, with another status than 201", Route{"POST", "/x", 202, put})
	refused("the same row twice", good, good)
}

func TestOwns(t *testing.T) {
	y := newToy(t, nil)
	for target, want := range map[string]bool{
		"/api/books/best": true, "/api/none": true, "/api": true, "/api/": true, "/files/x": true,
		"/": false, "/list/x": false, "/apiary": false, "/files": false,
	} {
		if got := y.Owns(httptest.NewRequest("GET", target, nil)); got != want {
			t.Errorf("%s: %v", target, got)
		}
	}
	if !y.Owns(httptest.NewRequest("DELETE", "/files/x", nil)) {
		t.Error("a path of the table with another method is not owned, so it would be 404 instead of 405")
	}
}

func TestPlainPath(t *testing.T) {
	for path, want := range map[string]bool{
		"/": true, "/a b": true, "/~": true, "/\u0080": true, "/é/ß": true,
		"//": false, "/a//b": false, "/a/../b": false, "/a/": false, "/a\x1fb": false, "/\x7f": false, "/\x00": false, "/\xff": false,
	} {
		if got := plainPath(&http.Request{URL: &url.URL{Path: path}}); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
