package app_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
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
		if got := stranger.any(); got != step.want {
			t.Fatalf("after %s %s %s:\n%s, want\n%s", step.method, step.path, step.body, got, step.want)
		}
	}
}
