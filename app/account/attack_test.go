package account

import (
	"context"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A request may wait for its turn to write while the session it came with is
// ended. What it would leave behind outlives the session, and would be a way
// back in: for who registered with somebody else's address, too, when the
// owner signs in and everything of theirs is dropped.
func TestNothingIsMadeAfterTheSessionsEnd(t *testing.T) {
	ctx := context.Background()
	ends := map[string]func(h *house, by store.Viewer) error{
		"signed out": func(h *house, by store.Viewer) error { _, err := h.Logout.Call(ctx, by, core.None{}); return err },
		"signed out everywhere": func(h *house, by store.Viewer) error {
			_, err := h.EndAllSessions.Call(ctx, by, core.None{})
			return err
		},
		"suspended": func(h *house, by store.Viewer) error { return h.Suspend(ctx, h.cast.Ada.Email) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			by := h.as(h.cast.Ada.Email)
			reader, err := h.CreateAgentKey.Call(ctx, by, CreateAgentKeyIn{Name: "reader", Scopes: []string{"read"}})
			if err != nil {
				t.Fatal(err)
			}
			if err := end(h, by); err != nil {
				t.Fatal(err)
			}
			if made, err := h.CreateAgentKey.Call(ctx, by, CreateAgentKeyIn{Name: "back door"}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("an agent key: %+v, %v", made.AgentKey, err)
			}
			if made, err := h.CreateListKey.Call(ctx, by, CreateListKeyIn{Name: "back door"}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("a personal key: %+v, %v", made.AgentKey, err)
			}
			if k, err := h.UpdateAgentKey.Call(ctx, by, UpdateAgentKeyIn{ID: reader.ID, Scopes: core.Some([]string{"read", "write"})}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("a wider scope: %+v, %v", k, err)
			}
			if out, err := h.CreateToken.Call(ctx, by, CreateTokenIn{}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("a token: %+v, %v", out, err)
			}
		})
	}
}

// An end that is past is no end that never comes, however long past it is.
func TestKeysThatWouldHaveEndedAreNotMade(t *testing.T) {
	h := open(t)
	for _, text := range []string{"1970-01-01T00:00:00Z", "1970-01-01T02:00:00+02:00", "1999-12-31T23:59:59Z", h.db.Now().String()} {
		at, err := store.ParseTime(text)
		if err != nil {
			t.Fatal(err)
		}
		if made, err := h.CreateAgentKey.Call(context.Background(), storetest.Human(h.cast.Ada), CreateAgentKeyIn{Name: "k", ExpiresAt: &at}); !core.IsKind(err, core.Invalid) {
			t.Errorf("%s: made %+v, %v", text, made.AgentKey, err)
		}
	}
}

// Comparing a password costs a lot, so there is a line for it, and the line
// has an end: who comes then is told at once, and everybody else is served.
func TestTheLineForPasswordsHasAnEnd(t *testing.T) {
	h := open(t)
	for range cap(h.hashing) {
		h.hashing <- struct{}{} // all places are taken for as long as we like
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	for range cap(h.waiting) {
		go func() {
			_, err := h.Login.Call(ctx, store.Viewer{IP: randomText(8)}, LoginIn{Email: randomText(8) + "@example.org", Password: "guess"})
			ended <- err
		}()
	}
	for deadline := time.Now().Add(10 * time.Second); len(h.waiting) < cap(h.waiting) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	late, stop := context.WithTimeout(ctx, 10*time.Second) // only reached when it fails
	defer stop()
	_, err := h.Login.Call(late, store.Viewer{IP: "192.0.2.1"}, LoginIn{Email: h.cast.Ada.Email, Password: "guess"})
	if !core.IsKind(err, core.Unavailable) {
		t.Errorf("behind the end of the line: %v", err)
	}
	cancel()
	for range cap(h.waiting) {
		if err := <-ended; err != context.Canceled {
			t.Errorf("in the line: %v", err)
		}
	}
	if len(h.waiting) != 0 {
		t.Errorf("%d places in the line are kept by nobody", len(h.waiting))
	}
}
