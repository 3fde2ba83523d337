package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"
)

// Who watches a list is shown by name only as long as they have a part in it
// and wish to be seen: not until they happen to close their stream.
func TestWatchersAreNamedNoLongerThanTheyAreKnown(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	list := idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"Watched","visibility":"public"}`).body)
	member := "/api/lists/" + list + "/members/" + w.cast.Ben.ID
	named := func(name string) string {
		return fmt.Sprintf(`presence {"viewers":2,"people":[{"id":"%s","name":"%s"}],"typing":[]}`, w.cast.Ben.ID, name)
	}
	const unnamed = `presence {"viewers":2,"people":[],"typing":[]}`
	w.json("ada", "PUT", member, `{"role":"viewer"}`)
	ben := w.openStream(t, srv.URL, "ben", "/api/lists/"+list+"/events")
	ben.any()
	stranger := w.openStream(t, srv.URL, "nobody", "/api/lists/"+list+"/events")
	if got := stranger.any(); got != named("Ben") {
		t.Fatalf("at first %s", got)
	}
	for _, step := range []struct{ who, method, path, body, want string }{
		{"ben", "PATCH", "/api/auth/me", `{"name":"Benjamin"}`, named("Benjamin")},
		{"ben", "PUT", "/api/auth/me/status", `{"presenceStatus":"invisible"}`, unnamed},
		{"ben", "PUT", "/api/auth/me/status", `{"presenceStatus":"away"}`, named("Benjamin")},
		{"ada", "DELETE", member, ``, unnamed},
		{"ada", "PUT", member, `{"role":"editor"}`, named("Benjamin")},
	} {
		if res := w.json(step.who, step.method, step.path, step.body); res.status > 299 {
			t.Fatalf("%s %s: %s", step.method, step.path, res.body)
		}
		// What was on its way before comes first.
		for got := ""; got != step.want; {
			if got = stranger.any(); got == "" {
				t.Fatalf("after %s %s %s the stream ended without %s", step.method, step.path, step.body, step.want)
			}
		}
	}
}

// An invitation is good as long as who made it is: suspended, they bring
// nobody in any more, and it looks as if it had never been.
func TestInvitationsOfTheSuspended(t *testing.T) {
	w := newWorld(t)
	talk := idIn(t, w.json("ada", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ben.ID+`"],"type":"group"}`).body)
	var made struct{ Token string }
	w.read(w.json("ada", "POST", "/api/chat/conversations/"+talk+"/invites", `{}`), 201, &made)
	at := "/api/chat/invites/" + made.Token
	w.read(w.json("cleo", "GET", at, ""), 200, nil)
	if err := w.app.Account().Suspend(context.Background(), w.cast.Ada.Email); err != nil {
		t.Fatal(err)
	}
	never := w.json("cleo", "GET", "/api/chat/invites/never", "")
	for _, res := range []answer{w.json("cleo", "GET", at, ""), w.json("cleo", "POST", at+"/accept", "")} {
		if res.status != 404 || sameAnswer(res) != sameAnswer(never) {
			t.Errorf("got %d %s", res.status, res.raw)
		}
	}
	if err := w.app.Account().Unsuspend(context.Background(), w.cast.Ada.Email); err != nil {
		t.Fatal(err)
	}
	w.read(w.json("cleo", "POST", at+"/accept", ""), 200, nil)
}

// read fails the test unless the answer has the status, and decodes it into v.
func (w *world) read(res answer, status int, v any) {
	w.t.Helper()
	if res.status != status {
		w.t.Fatalf("got %d, want %d: %s", res.status, status, res.body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(res.body, v, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
}
