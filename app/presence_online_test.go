package app_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"hearth/app/core"
)

// sweep lets a time pass and runs the job that finds who has gone.
func (w *world) sweep(after time.Duration) {
	w.t.Helper()
	w.clock.Advance(after)
	if err := w.app.Account.SweepPresence(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// must sends a request that has to succeed.
func (w *world) must(who, method, path, body string) []byte {
	w.t.Helper()
	res := w.json(who, method, w.fillIDs(path), w.fillIDs(body))
	if res.status > 299 {
		w.t.Fatalf("%s: %s %s: %d %s", who, method, path, res.status, res.body)
	}
	return res.body
}

// A person is online with an open stream and for a minute after the last request.
// Those who share a conversation receive who comes and who goes.
func TestComingAndGoing(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.ids["$id:group"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"],"type":"group"}`))
	w.token("ada/read")
	ben, stranger := w.openStream(t, srv.URL, "ben", "/api/chat/events"), w.openStream(t, srv.URL, "stranger", "/api/chat/events")
	shows := func(status string) core.PublicUser {
		t.Helper()
		u := ben.person()
		if u.ID != w.cast.Ada.ID || u.PresenceStatus != status {
			t.Fatalf("Ben received %+v, want %s", u, status)
		}
		return u
	}
	w.must("ada", "GET", "/api/auth/me", "")
	last := w.clock.Now()
	w.sweep(59 * time.Second) // not yet
	w.sweep(2 * time.Second)
	if u := shows("offline"); u.LastSeenAt == nil || !u.LastSeenAt.Go().Equal(last) {
		t.Errorf("last seen %v, want %v", u.LastSeenAt, last)
	}
	w.must("ada/read", "GET", "/api/auth/me", "") // a key is not the person
	ada := w.openStream(t, srv.URL, "ada", "/api/chat/events")
	shows("available")
	for range 3 {
		w.sweep(5 * time.Minute) // her stream is open
	}
	ada.close()
	for w.app.Streams() > 2 {
		time.Sleep(time.Millisecond) // until the server has noticed
	}
	w.sweep(30 * time.Second)
	w.openStream(t, srv.URL, "ada", "/api/chat/events") // a reload
	w.sweep(5 * time.Minute)
	w.must("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"busy"}`)
	shows("busy")
	// The next event of the stranger is their own.
	w.must("stranger", "PUT", "/api/auth/me/status", `{"text":"Here"}`)
	if u := stranger.person(); u.ID != w.cast.Stranger.ID {
		t.Errorf("the stranger received %+v", u)
	}
}
