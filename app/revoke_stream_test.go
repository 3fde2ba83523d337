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
	if err := json.Unmarshal(w.json("ben", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ada.ID+`"]}`).body,
		&conv); err != nil {
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

// The stream of a Context lane ends when its reader is removed from the conversation.
// Streams of other readers, and of other lanes, go on.
func TestLaneStreamsEndWithTheMembership(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	group, other := w.group("ben"), w.group("ben")
	removed, stays := w.openStream(t, srv.URL, "ben", group+"/context/events"), w.openStream(t, srv.URL, "ben", other+"/context/events")
	owner := w.openStream(t, srv.URL, "ada", group+"/context/events")
	w.want("ada", "DELETE", group+"/participants/$id:ben", "", 204, "")
	if ev := removed.next(); ev != "" {
		t.Errorf("who was removed received %s", ev)
	}
	for at, s := range map[string]*stream{group: owner, other: stays} {
		id := idIn(t, w.want("ada", "POST", at+"/context", `{"text":"A note","clientRequestId":"n"}`, 201, "").body)
		s.expect("context.updated", id)
	}
}
