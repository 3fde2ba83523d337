package account

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func TestAgentKeys(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := storetest.Human(h.cast.Ada)
	made, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: " My\tagent ", AgentName: "Clara", AgentVersion: "2.1"})
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "My agent" || !strings.HasPrefix(made.Key, "oc_") || made.KeyPrefix != made.Key[:11] || *made.AgentName != "Clara" ||
		*made.AgentVersion != "2.1" ||
		strings.Join(made.Scopes, " ") != "read write" || made.ExpiresAt != nil || made.RevokedAt != nil || made.LastUsedAt != nil {
		t.Errorf("created %+v", made)
	}
	second, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "reader", Scopes: []string{"read", "read"}})
	if err != nil || strings.Join(second.Scopes, " ") != "read" || second.AgentName != nil {
		t.Fatalf("created %+v, %v", second, err)
	}
	if _, err := h.RevokeAgentKey.Call(ctx, ada, KeyIn{ID: second.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.RevokeAgentKey.Call(ctx, ada, KeyIn{ID: second.ID}); err != nil {
		t.Errorf("revoked again: %v", err)
	}
	if _, err := h.CreateListKey.Call(ctx, ada, CreateListKeyIn{Name: "lists"}); err != nil {
		t.Fatal(err)
	}
	keys, err := h.ListAgentKeys.Call(ctx, ada, core.None{})
	if err != nil || len(keys) != 2 || keys[1].ID != second.ID || keys[1].RevokedAt == nil {
		t.Fatalf("got %+v, %v", keys, err)
	}
	if d := cmp.Diff(made.AgentKey, keys[0]); d != "" {
		t.Error(d)
	}
}

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

func TestUpdateAgentKey(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada, ben := storetest.Human(h.cast.Ada), storetest.Human(h.cast.Ben)
	made, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := h.bearer(made.Key)
	if err != nil {
		t.Fatal(err)
	}
	if k, err := h.UpdateAgentKey.Call(ctx, ada, UpdateAgentKeyIn{ID: made.ID, Name: core.Some("other")}); err != nil || k.Name != "other" ||
		len(k.Scopes) != 2 {
		t.Errorf("renamed: %+v, %v", k, err)
	}
	wantCode(t, "a stream after the rename", h.recheck(before), "")
	if len(h.events(ada.UserID)) != 0 {
		t.Errorf("events: %q", h.events(ada.UserID))
	}
	if k, err := h.UpdateAgentKey.Call(ctx, ada, UpdateAgentKeyIn{ID: made.ID, Scopes: core.Some([]string{"write"})}); err != nil ||
		k.Name != "other" || strings.Join(k.Scopes, " ") != "write" {
		t.Errorf("scopes: %+v, %v", k, err)
	}
	if v, err := h.bearer(made.Key); err != nil || v.CanRead || !v.CanWrite {
		t.Errorf("the next request: %+v, %v", v, err)
	}
	wantCode(t, "a stream after the new scopes", h.recheck(before), "unauthenticated")
	if !contains(h.events(ada.UserID), "auth.changed "+made.ID) {
		t.Errorf("events: %q", h.events(ada.UserID))
	}
	for name, in := range map[string]UpdateAgentKeyIn{
		"no scopes": {Scopes: core.Some([]string{})}, "an unknown scope": {Scopes: core.Some([]string{"admin"})},
		"null scopes": {Scopes: core.Opt[[]string]{Set: true, Null: true}}, "null name": {Name: core.Opt[string]{Set: true, Null: true}},
		"blank name": {Name: core.Some(" ")},
	} {
		in.ID = made.ID
		_, err := h.UpdateAgentKey.Call(ctx, ada, in)
		wantCode(t, name, err, "invalid_input")
	}
	for who, id := range map[string]string{"another account": made.ID, "unknown": store.NewID()} {
		_, err := h.UpdateAgentKey.Call(ctx, ben, UpdateAgentKeyIn{ID: id, Name: core.Some("mine")})
		wantCode(t, "edited by "+who, err, "not_found")
		_, err = h.RevokeAgentKey.Call(ctx, ben, KeyIn{ID: id})
		wantCode(t, "revoked by "+who, err, "not_found")
		_, err = h.RevokeListKey.Call(ctx, ben, KeyIn{ID: id})
		wantCode(t, "revoked as a list key by "+who, err, "not_found")
	}
	_, err = h.RevokeListKey.Call(ctx, ada, KeyIn{ID: made.ID})
	wantCode(t, "revoked as a list key", err, "not_found")
	if _, err := h.bearer(made.Key); err != nil {
		t.Errorf("another account revoked it: %v", err)
	}
	if _, err := h.RevokeAgentKey.Call(ctx, ada, KeyIn{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	_, err = h.UpdateAgentKey.Call(ctx, ada, UpdateAgentKeyIn{ID: made.ID, Name: core.Some("back")})
	wantCode(t, "a revoked key", err, "key_revoked")
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
	if _, err := h.RevokeAgentKey.Call(ctx, ada, KeyIn{ID: last.ID}); err != nil {
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

// The list of keys shows what each was last used for, once that is stored, too.
func TestKeysShowTheirLastUse(t *testing.T) {
	h := open(t)
	ada := storetest.Human(h.cast.Ada)
	var made [3]NewAgentKey
	for n, use := range []string{"Send", "", "List"} {
		var err error
		if made[n], err = h.CreateAgentKey.Call(t.Context(), ada, CreateAgentKeyIn{Name: "k"}); err != nil {
			t.Fatal(err)
		}
		v, err := h.bearer(made[n].Key)
		if err != nil {
			t.Fatal(err)
		}
		if use != "" {
			h.Used(v, use, false)
		}
	}
	for _, flush := range []bool{false, true} {
		if flush {
			if err := h.FlushKeyUse(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := h.ListAgentKeys.Call(t.Context(), ada, core.None{})
		if err != nil || len(keys) != 3 {
			t.Fatalf("%d keys, %v", len(keys), err)
		}
		for n, want := range []string{"List", "", "Send"} { // the newest first
			if got := core.OrZero(keys[n].LastUse); got.Operation != want || (got.Uses == 1) != (want != "") {
				t.Errorf("stored %v: key %d was last used for %+v, want %q", flush, n, got, want)
			}
		}
	}
}
