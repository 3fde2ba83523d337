package app_test

import (
	"slices"
	"strings"
	"testing"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/op"
)

// storing are the routes that add content, or people to groups. Everything
// else must work on a server without storage: reading, deleting, signing in, who may do
// what, and what protects people, such as blocks and reports, and to make a list private.
var storing = []string{
	"POST /api/auth/me/avatar", "POST /api/feedback",
	"POST /api/chat/attachments", "POST /api/chat/conversations", "POST /api/chat/conversations/{id}/picture",
	"POST /api/chat/conversations/{id}/messages", "PATCH /api/chat/messages/{id}", "POST /api/chat/messages/{id}/reactions",
	"POST /api/secretary/answers", "PATCH /api/secretary/answers/{id}",
	"POST /api/thoughts", "PATCH /api/thoughts/{id}", "POST /api/thoughts/{id}/pin", "POST /api/webhooks", "POST /api/push/subscriptions",
	"POST /api/intents", "POST /api/intent-drafts", "POST /api/intent-drafts/{id}/activate",
	"POST /api/chat/conversations/{id}/context", "PATCH /api/chat/conversations/{id}/context/{postId}",
	"POST /api/chat/conversations/{id}/context/{postId}/intention", "POST /api/chat/context-agent/requests/{requestId}/respond",
	"POST /api/stories", "POST /api/stories/{id}/respond",
	"POST /api/admin/settings/picture", "POST /api/community/invitations",
	"POST /api/register-agent", "POST /api/agent-keys",
	"POST /api/chat/conversations/{id}/join", "POST /api/chat/conversations/{id}/participants",
	"POST /api/chat/conversations/{id}/invites", "POST /api/chat/invites/{token}/accept", "POST /api/chat/conversations/{id}/unread",
	"POST /api/friends/users/{id}/request", "POST /api/card/{token}/friend-request",
	"POST /api/chat/conversations/{id}/context/{postId}/ask-agents",
	"PUT /api/lists/{id}/items/{item_id}/star",
	"POST /api/lists", "POST /api/lists/import", "POST /api/lists/{id}/items", "POST /api/lists/{id}/items/batch",
	"PATCH /api/lists/{id}/items/{item_id}",
	"POST /api/lists/{id}/items/{item_id}/comments", "POST /api/lists/{id}/queue/{item_id}/approve", "PATCH /api/receipts/{receipt}",
}

// fullServer calls every route of a server whose database takes more than its
// quota: those that store are refused and change no row, the others succeed.
func fullServer(t *testing.T, w *world, cases map[string]matrixCase) {
	routes := api.Described()
	call := func(r api.Route) response {
		who := map[op.Guard]string{op.AdminOnly: "root", op.Bridge: "bridge"}[r.Op.Info().Guard]
		if who == "" {
			who = "ada"
		}
		c := cases[r.Method+" "+r.Path]
		return w.json(who, r.Method, w.fillIDs(c.path), w.fillIDs(c.body))
	}
	delete(w.canaries, "ada@example.org") // she signs in again
	before, refused := w.state(), 0
	for _, r := range routes {
		if !slices.Contains(storing, r.Method+" "+r.Path) {
			continue
		}
		refused++
		if res := call(r); res.status != 507 || !strings.Contains(string(res.body), `"code":"storage_full"`) {
			t.Errorf("%s %s: got %d, want 507: %s", r.Method, r.Path, res.status, res.body)
		}
		if w.state() != before {
			t.Fatalf("%s %s was refused but changed the database", r.Method, r.Path)
		}
	}
	if refused != len(storing) {
		t.Errorf("%d of %d routes exist", refused, len(storing))
	}
	slices.SortStableFunc(routes, func(a, b api.Route) int { return endsWhat(a) - endsWhat(b) })
	for _, r := range routes {
		key := r.Method + " " + r.Path
		if slices.Contains(storing, key) || strings.HasSuffix(r.Path, "/events") || strings.HasSuffix(r.Path, "/decline") ||
			strings.HasSuffix(r.Path, "/owner") {
			continue // a request is declined or accepted, and a list handed over or deleted
		}
		if endsWhat(r) >= signsOut {
			delete(w.tokens, "ada") // and sign in again
		}
		if res := call(r); res.status != cases[key].own {
			t.Errorf("%s on a full server: got %d, want %d: %s", key, res.status, cases[key].own, res.body)
		}
	}
}

const signsOut = 4

// endsWhat orders calls so that none needs what an earlier one has ended.
func endsWhat(r api.Route) int {
	switch {
	case r.Path == "/api/auth/me" && r.Method == "DELETE":
		return signsOut + 1
	case r.Path == "/api/auth/logout", r.Path == "/api/auth/sessions" && r.Method == "DELETE":
		return signsOut
	case r.Op.Info().Guard == op.AdminOnly:
		return 3
	case r.Method == "DELETE" && strings.Count(r.Path, "{") < 2:
		return 2
	case strings.HasSuffix(r.Path, "/star"), strings.HasSuffix(r.Path, "{comment_id}"):
		return 0
	case r.Method == "DELETE", strings.HasSuffix(r.Path, "/block"):
		return 1
	}
	return 0
}

// On a full server people still hide themselves and what is theirs.
func TestHidingOnFullServer(t *testing.T) {
	w := newWorld(t)
	list := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"L","visibility":"public"}`, 201, "").body)
	full := w.copy(t, w.snapshot(), func(c *app.Config) { c.QuotaServer = 1 })
	for path, body := range map[string]string{
		"/api/lists/" + list: `{"visibility":"private"}`,
		"/api/auth/me":       `{"discoveryMode":"hidden"}`,
		"/api/card/me":       `{"enabled":false,"headline":null}`,
	} {
		if res := full.json("ada", "PATCH", path, body); res.status != 200 {
			t.Errorf("%s %s: got %d %s", path, body, res.status, res.body)
		}
	}
}
