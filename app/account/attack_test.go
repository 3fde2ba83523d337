package account

import (
	"context"
	"runtime"
	"testing"

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
		"suspended": func(h *harness, by store.Viewer) error { return h.Act(ctx, h.cast.Ada.Email, Suspend) },
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

// Comparing passwords is expensive, so a request that would wait long for its turn fails.
func TestPasswordQueueIsBounded(t *testing.T) {
	h := open(t)
	leave, err := h.hashing.Enter(t.Context(), int64(runtime.NumCPU())) // all slots are taken
	if err != nil {
		t.Fatal(err)
	}
	login := func() error {
		_, err := h.Login.Call(t.Context(), store.Viewer{IP: "192.0.2.1"}, LoginIn{Email: h.cast.Ada.Email, Password: "guess"})
		return err
	}
	if err := login(); !core.IsKind(err, core.Unavailable) {
		t.Errorf("without a slot: %v", err)
	}
	leave()
	if err := login(); !core.IsKind(err, core.Unauthenticated) {
		t.Errorf("with one: %v", err)
	}
}
