package app_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// A revoked key's stream ends within a second, and has nothing that was sent
// after the revocation; the account's other streams go on.
func TestRevocationEndsStreams(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	var conv struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(w.json("ben", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ada.ID+`"]}`).body, &conv); err != nil {
		t.Fatal(err)
	}
	session, key := w.openStream(t, srv.URL, "ada", "/api/chat/events"), w.openStream(t, srv.URL, "ada/rw", "/api/chat/events")
	w.json("ben", "POST", "/api/chat/conversations/"+conv.ID+"/messages", `{"content":"before"}`)
	for _, s := range []*stream{session, key} {
		s.expect("message.created", "before")
	}
	var keys []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(w.json("ada", "GET", "/api/agent-keys", "").body, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if res := w.json("ada", "DELETE", "/api/agent-keys/"+k.ID, ""); res.status != 204 {
			t.Fatalf("revoking: %d %s", res.status, res.body)
		}
	}
	revoked := time.Now()
	w.json("ben", "POST", "/api/chat/conversations/"+conv.ID+"/messages", `{"content":"after"}`)
	if ev := key.next(); ev != "" {
		t.Errorf("the revoked key received %s", ev)
	}
	if d := time.Since(revoked); d > time.Second {
		t.Errorf("the stream ended %v after the revocation", d)
	}
	session.expect("message.created", "after")
}
