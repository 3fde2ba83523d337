package account

import (
	"context"
	"errors"
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

func TestKeyInputs(t *testing.T) {
	h := open(t)
	ada := storetest.Human(h.cast.Ada)
	for name, in := range map[string]CreateAgentKeyIn{
		"no name": {}, "a long name": {Name: strings.Repeat("x", 81)}, "an unknown scope": {Name: "k", Scopes: []string{"admin"}},
		"no scope": {Name: "k", Scopes: []string{}},
		"expired":  {Name: "k", ExpiresAt: h.db.Now().Ptr()}, "a long agent": {Name: "k", AgentName: strings.Repeat("x", 81)},
		"NUL": {Name: "k", AgentVersion: "\x00"},
	} {
		_, err := h.CreateAgentKey.Call(context.Background(), ada, in)
		wantCode(t, name, err, "invalid_input")
	}
}

func TestListKeys(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := storetest.Human(h.cast.Ada)
	made, err := h.CreateListKey.Call(ctx, ada, CreateListKeyIn{Name: "lists"})
	if err != nil || !strings.HasPrefix(made.Key, "cl_") || strings.Join(made.Scopes, " ") != "read" {
		t.Fatalf("created %+v, %v", made, err)
	}
	keys, err := h.ListListKeys.Call(ctx, ada, core.None{})
	if err != nil || len(keys) != 1 || keys[0].ID != made.ID {
		t.Errorf("got %+v, %v", keys, err)
	}
	if _, err := h.RevokeListKey.Call(ctx, ada, KeyIn{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	_, err = h.bearer(made.Key)
	wantCode(t, "revoked", err, "unauthenticated")
}

// Of an account's keys the 200 newest are listed.
func TestKeysShown(t *testing.T) {
	h := open(t)
	ada := storetest.Human(h.cast.Ada)
	err := h.db.Write(context.Background(), func(tx *store.Tx) error {
		for i := range 201 {
			id := store.NewID()
			if _, err := tx.InsertKey(store.Key{ID: id, UserID: ada.UserID, Kind: "list", Name: strconv.Itoa(i), Prefix: "cl_", Hash: id,
				CanRead: true}); err != nil {
				return err
			}
			if err := tx.RevokeKey(ada.UserID, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := h.ListListKeys.Call(context.Background(), ada, core.None{}); err != nil || len(keys) != 200 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
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

// The name and the version of the agent of a key are changed and removed; what is left
// out stays.
func TestAgentOfAKeyChanges(t *testing.T) {
	h := open(t)
	ada := storetest.Human(h.cast.Ada)
	made, err := h.CreateAgentKey.Call(t.Context(), ada, CreateAgentKeyIn{Name: "k", AgentName: "Clara", AgentVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	null := core.Opt[string]{Set: true, Null: true}
	for _, step := range []struct {
		in            UpdateAgentKeyIn
		name, version string
	}{
		{UpdateAgentKeyIn{AgentName: core.Some("Dora")}, "Dora", "1"}, {UpdateAgentKeyIn{AgentVersion: core.Some("2")}, "Dora", "2"},
		{UpdateAgentKeyIn{AgentName: null}, "", "2"}, {UpdateAgentKeyIn{AgentVersion: core.Some("")}, "", ""},
	} {
		step.in.ID = made.ID
		k, err := h.UpdateAgentKey.Call(t.Context(), ada, step.in)
		if err != nil || core.OrZero(k.AgentName) != step.name || core.OrZero(k.AgentVersion) != step.version {
			t.Errorf("%+v: got %+v, %v", step.in, k, err)
		}
		keys, err := h.ListAgentKeys.Call(t.Context(), ada, core.None{})
		if err != nil || core.OrZero(keys[0].AgentName) != step.name || core.OrZero(keys[0].AgentVersion) != step.version {
			t.Errorf("%+v: stored %+v, %v", step.in, keys, err)
		}
	}
}

// A key is changed within a session only, not after its end by a request that was
// authenticated before.
func TestKeyChangesWithinASession(t *testing.T) {
	h := open(t)
	ben := h.as("ben@example.org")
	made, err := h.CreateAgentKey.Call(t.Context(), ben, CreateAgentKeyIn{Name: "k", Scopes: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	in := UpdateAgentKeyIn{ID: made.ID, Scopes: core.Some([]string{"read", "write"})}
	h.changeOf(h.cast.Ben.ID, func(tx *store.Tx, u store.User) error { _, err := revokeSessions(tx, u); return err })
	if _, err := h.updateAgentKey(t.Context(), ben, in); !errors.Is(err, core.ErrUnauthenticated) {
		t.Errorf("after the end of the session: %v", err)
	}
	if k, err := h.updateAgentKey(t.Context(), h.as("ben@example.org"), in); err != nil || len(k.Scopes) != 2 {
		t.Errorf("within a session: %+v, %v", k, err)
	}
}

// A browser session makes keys however short it lasts: only a token tells for how long
// it was meant.
func TestShortSessionMakesKeys(t *testing.T) {
	h := open(t)
	for kind, code := range map[string]string{"browser": "", "token": "short_lived_token"} {
		by := storetest.Human(h.cast.Ben)
		h.changeOf(by.UserID, func(tx *store.Tx, u store.User) error {
			row, err := addToken(tx, u, kind, "d", time.Hour)
			by.SessionID = row.ID
			return err
		})
		_, err := h.CreateAgentKey.Call(t.Context(), by, CreateAgentKeyIn{Name: "k"})
		wantCode(t, kind, err, code)
	}
}

func botWithKey(userID, keyID string) store.Viewer {
	return store.Viewer{Kind: store.Agent, UserID: userID, KeyID: keyID, OwnerID: "o"}
}

// What a key or an account was used for before is kept if it could not be stored,
// beside what others were used for meanwhile.
func TestUsesOfOthersAreKept(t *testing.T) {
	acts := keyAct{keyID: "k", operation: "Send"}
	for _, first := range []struct {
		what string
		use  func(u *usage)
		want uses
	}{
		{"an account and a key", func(u *usage) { u.note(botWithKey("u", "k"), 1) },
			uses{users: map[string]store.Time{"u": 1}, keys: map[string]store.Time{"k": 1}}},
		{"an operation", func(u *usage) { u.noteAct(acts, 1) }, uses{acts: map[keyAct]acted{acts: {1, 1}}}},
	} {
		var u usage
		first.use(&u)
		u.begin()
		u.note(botWithKey("v", "l"), 2)
		u.noteAct(keyAct{keyID: "l", operation: "List"}, 2)
		u.end(false)
		got := u.begin()
		for id, at := range first.want.users {
			if got.users[id] != at {
				t.Errorf("%s: users %v", first.what, got.users)
			}
		}
		for id, at := range first.want.keys {
			if got.keys[id] != at {
				t.Errorf("%s: keys %v", first.what, got.keys)
			}
		}
		if got.users["v"] != 2 || got.keys["l"] != 2 || len(got.acts) != 1+len(first.want.acts) {
			t.Errorf("%s: kept %+v", first.what, got)
		}
	}
}
