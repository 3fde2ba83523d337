package app_test

import (
	"net/http"
	"testing"
	"time"

	"hearth/store"
)

// What expires works until a microsecond before, and not at the moment itself: also
// if the server has seen it valid before.
func TestExactlyAtExpiry(t *testing.T) {
	staged := matrixStage(t)
	link, err := staged.app.Account.LinkFor(t.Context(), "cleo@example.org", false)
	if err != nil {
		t.Fatal(err)
	}
	token := link[len(link)-43:]
	db := staged.snapshot()
	for name, tc := range map[string]struct {
		table, who, method, path, body string
		valid, over                    int
		once                           bool // it is used up when it is valid
	}{
		"link to join a group":        {"invite", "stranger", "GET", "/api/chat/invites/$token", "", 200, 404, false},
		"joining a group":             {"invite", "stranger", "POST", "/api/chat/invites/$token/accept", "", 200, 404, true},
		"revoking a link":             {"invite", "ada", "DELETE", "/api/chat/conversations/$id:group/invites/$id:invite", "", 204, 404, true},
		"invitation to the community": {"community_invite", "anonymous", "GET", "/api/invitations/$text:invitation", "", 200, 404, false},
		"receipt of an item":          {"item_receipt", "anonymous", "GET", "/api/receipts/$text:receipt", "", 200, 404, false},
		"change with a receipt": {"item_receipt", "anonymous", "PATCH", "/api/receipts/$text:receipt", `{"content":"y"}`, 200, 404,
			false},
		"agent key":                    {"api_key", "ada/rw", "GET", "/api/auth/me", "", 200, 401, false},
		"list key":                     {"api_key", "ada/list", "GET", "/api/lists?mine=true", "", 200, 401, false},
		"session of a token":           {"session", "ada", "GET", "/api/auth/me", "", 200, 401, false},
		"session of an embedded token": {"session", "ada/embedded", "GET", "/api/auth/me", "", 200, 401, false},
		"sign-in link": {"login_link", "anonymous", "POST", "/api/auth/magic-link/verify", `{"token":"` + token + `"}`, 200,
			400, true},
		"list of sessions": {"session", "ada", "GET", "/api/auth/sessions", "", 200, 401, false},
		"request to the agents of a key": {"context_request", "ada/rw", "POST", "/api/chat/context-agent/requests/$id:request/respond",
			`{"text":"I do"}`, 200, 404, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := store.TimeOf(staged.clock.Now().Add(time.Minute))
			start := func() *world {
				w := staged.copy(t, db)
				clear(w.canaries) // who joins may read them
				w.sql(`UPDATE "`+tc.table+`" SET expires_at = ?`, int64(at))
				w.clock.Advance(at.Go().Sub(w.clock.Now()) - time.Microsecond)
				return w
			}
			w := start()
			if res := w.json(tc.who, tc.method, w.fillIDs(tc.path), w.fillIDs(tc.body)); res.status != tc.valid {
				t.Errorf("a microsecond before: got %d, want %d: %s", res.status, tc.valid, res.body)
			}
			if tc.once {
				w = start()
			}
			w.clock.Advance(time.Microsecond)
			if res := w.json(tc.who, tc.method, w.fillIDs(tc.path), w.fillIDs(tc.body)); res.status != tc.over {
				t.Errorf("at the moment: got %d, want %d: %s", res.status, tc.over, res.body)
			}
		})
	}
}

// An idempotency key is remembered for exactly a day.
func TestIdempotencyKeyExpires(t *testing.T) {
	w := newWorld(t)
	send := func() response {
		return w.do("ada", "POST", "/api/lists", http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {"the key"}},
			`{"title":"L","visibility":"private"}`)
	}
	w.token("ada")
	first := idIn(t, send().body)
	var expires int64
	w.rows(func(table string, row []any) {
		if table == "idempotency" {
			for _, v := range row {
				if n, ok := v.(int64); ok {
					expires = max(expires, n)
				}
			}
		}
	})
	w.clock.Advance(store.Time(expires).Go().Sub(w.clock.Now()) - time.Microsecond)
	if again := send(); again.header.Get("Idempotency-Replayed") != "true" || idIn(t, again.body) != first {
		t.Errorf("a microsecond before: %s", again.raw)
	}
	w.clock.Advance(time.Microsecond)
	if again := send(); again.status != 201 || again.header.Get("Idempotency-Replayed") != "" || idIn(t, again.body) == first {
		t.Errorf("at the moment: %s", again.raw)
	}
}
