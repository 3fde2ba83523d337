package account

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func TestKeyIsNotStored(t *testing.T) {
	h := open(t)
	made, err := h.CreateAgentKey.Call(context.Background(), storetest.Human(h.cast.Ada), CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	err = h.db.Read(context.Background(), func(r *store.Reader) error {
		k, err := r.Key(storetest.Human(h.cast.Ada), "agent", made.ID)
		if strings.Contains(k.Hash, made.Key[11:]) || k.Hash != core.Digest(made.Key) || k.Prefix != made.Key[:11] {
			t.Errorf("stored as %+v", k)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if log := h.out.take(); strings.Contains(log, made.Key) {
		t.Errorf("logged: %s", log)
	}
}

func TestMaxKeys(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := storetest.Human(h.cast.Ada)
	expires := h.db.Now().Add(time.Hour)
	var last NewAgentKey
	var err error
	for i := range 50 {
		in := CreateAgentKeyIn{Name: "k"}
		if i == 0 {
			in.ExpiresAt = &expires
		}
		if last, err = h.CreateAgentKey.Call(ctx, ada, in); err != nil {
			t.Fatal(err)
		}
	}
	_, err = h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	wantCode(t, "the 51st", err, "too_many_keys")
	if _, err := h.CreateListKey.Call(ctx, ada, CreateListKeyIn{Name: "k"}); err != nil {
		t.Errorf("a key of another kind: %v", err)
	}
	if _, err := h.RevokeAgentKey.Call(ctx, ada, core.ByID{ID: last.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"}); err != nil {
		t.Errorf("in place of a revoked one: %v", err)
	}
	h.db.Clock.Advance(2 * time.Hour)
	if _, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"}); err != nil {
		t.Errorf("in place of an expired one: %v", err)
	}
	_, err = h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	wantCode(t, "the 51st again", err, "too_many_keys")
}

// An agent that registers gets a key, which its first characters identify; the sixth
// within an hour from one network does not.
func TestRegisterAgent(t *testing.T) {
	t.Parallel()
	h := open(t)
	by := store.Viewer{IP: "192.0.2.7"}
	register := func(in RegisterAgentIn) (RegisterAgentOut, error) {
		in.Password = "long enough for this"
		return h.RegisterAgent.Call(context.Background(), by, in)
	}
	for n := range 5 {
		in := RegisterAgentIn{Email: strconv.Itoa(n) + "@example.net"}
		name := "first key"
		if n == 1 {
			in.Name, in.Purpose, in.AgentKind = "Robot", "soups", "Crawler"
			name = in.Purpose
		}
		out, err := register(in)
		if err != nil || !strings.HasPrefix(out.APIKey, "cl_") || out.Prefix != out.APIKey[:11] {
			t.Fatalf("%d: %+v, %v", n, out, err)
		}
		v, err := h.bearer(out.APIKey)
		if err != nil || v.UserID != out.UserID || (n == 1) != (v.Name == "Robot") || n != 1 && len(v.Name) != len("agent-")+6 {
			t.Errorf("%d: %+v, %v", n, v, err)
		}
		keys, err := h.ListListKeys.Call(context.Background(), store.Viewer{Kind: store.Human, UserID: out.UserID, CanRead: true, CanWrite: true},
			core.None{})
		if err != nil || len(keys) != 1 || keys[0].Name != name || keys[0].KeyPrefix != out.Prefix ||
			(n == 1) != (core.OrZero(keys[0].AgentName) == "Crawler") {
			t.Errorf("%d: %+v, %v", n, keys, err)
		}
	}
	_, err := register(RegisterAgentIn{Email: "another@example.net"})
	wantCode(t, "the sixth", err, "too_many_registrations")
	by.IP = "192.0.2.8"
	if _, err := register(RegisterAgentIn{Email: "another@example.net"}); err != nil {
		t.Errorf("from another network: %v", err)
	}
	by.IP = "192.0.2.7"
	h.db.Clock.Advance(2 * time.Hour)
	_, err = register(RegisterAgentIn{Email: "1@example.net"})
	wantCode(t, "an address that has an account", err, "address_taken")
}
