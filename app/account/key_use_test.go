package account

import (
	"errors"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

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

// What a key or an account was used for before is kept if it could not be stored,
// beside what others were used for meanwhile.
func TestUsesOfOthersAreKept(t *testing.T) {
	acts := keyAct{keyID: "k", operation: "Send"}
	for _, first := range []struct {
		what string
		use  func(u *usage)
		want uses
	}{
		{"an account and a key", func(u *usage) { u.note("u", "k", 1) }, uses{users: map[string]store.Time{"u": 1}, keys: map[string]store.Time{"k": 1}}},
		{"an operation", func(u *usage) { u.noteAct(acts, 1) }, uses{acts: map[keyAct]acted{acts: {1, 1}}}},
	} {
		var u usage
		first.use(&u)
		u.begin()
		u.note("v", "l", 2)
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
