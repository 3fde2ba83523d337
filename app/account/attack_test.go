package account

import (
	"context"
	"runtime"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// A request can wait to write while its session is ended. What it creates would
// outlive the session and give access again, also to a person who registered
// with an address that they do not own.
func TestNothingCreatedAfterSessionEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ends := map[string]func(h *harness, by store.Viewer) error{
		"signed out": func(h *harness, by store.Viewer) error { _, err := h.Logout.Call(ctx, by, core.None{}); return err },
		"signed out everywhere": func(h *harness, by store.Viewer) error {
			_, err := h.EndAllSessions.Call(ctx, by, core.None{})
			return err
		},
		"suspended": func(h *harness, by store.Viewer) error { return h.Suspend(ctx, h.cast.Ada.Email) },
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
			if made, err := h.CreateAgentKey.Call(ctx, by, CreateAgentKeyIn{Name: "late"}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("an agent key: %+v, %v", made.AgentKey, err)
			}
			if made, err := h.CreateListKey.Call(ctx, by, CreateListKeyIn{Name: "late"}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("a personal key: %+v, %v", made.AgentKey, err)
			}
			if k, err := h.UpdateAgentKey.Call(ctx, by, UpdateAgentKeyIn{ID: reader.ID,
				Scopes: core.Some([]string{"read", "write"})}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("a wider scope: %+v, %v", k, err)
			}
			if out, err := h.CreateToken.Call(ctx, by, CreateTokenIn{}); !core.IsKind(err, core.Unauthenticated) {
				t.Errorf("a token: %+v, %v", out, err)
			}
		})
	}
}

// Comparing passwords is expensive, so the number of those that wait is bounded:
// a request over it fails at once.
func TestPasswordQueueIsBounded(t *testing.T) {
	h := open(t)
	if cpus := runtime.NumCPU(); cap(h.hashing) != cpus || cap(h.waiting) != 25*cpus {
		t.Errorf("of %d processors, %d compare and %d wait", cpus, cap(h.hashing), cap(h.waiting))
	}
	for range cap(h.hashing) {
		h.hashing <- struct{}{} // all slots are taken
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
	late, stop := context.WithTimeout(ctx, 10*time.Second) // only reached on failure
	defer stop()
	_, err := h.Login.Call(late, store.Viewer{IP: "192.0.2.1"}, LoginIn{Email: h.cast.Ada.Email, Password: "guess"})
	if !core.IsKind(err, core.Unavailable) {
		t.Errorf("over the bound: %v", err)
	}
	cancel()
	for range cap(h.waiting) {
		if err := <-ended; err != context.Canceled {
			t.Errorf("waiting: %v", err)
		}
	}
	if len(h.waiting) != 0 {
		t.Errorf("%d slots are not released", len(h.waiting))
	}
}
