package account

import (
	"context"
	"testing"

	"hearth/store"
)

func TestBridgeExchange(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	bridge := store.Viewer{Kind: store.Bridge}
	in := BridgeExchangeRequest{App: "social", Email: "New@Example.org", Name: "No\u202eva", AvatarURL: "https://pictures.example/n.png"}
	made, err := h.BridgeExchange.Call(ctx, bridge, in)
	if err != nil {
		t.Fatal(err)
	}
	if made.User.Email != "New@Example.org" || made.User.Name != "Nova" || made.Token == "" {
		t.Errorf("created %+v", made)
	}
	if u := h.user("new@example.org"); u.SignupProvider != "social-bridge" || u.VerifiedAt == 0 || u.AvatarURL != in.AvatarURL {
		t.Errorf("created %+v", u)
	}
	if v, err := h.bearer(made.Token); err != nil || v.UserID != made.User.ID || v.Kind != store.Human {
		t.Errorf("the token is %+v, %v", v, err)
	}

	in.Email, in.Name, in.AvatarURL = "NEW@example.org", "Other", ""
	again, err := h.BridgeExchange.Call(ctx, bridge, in)
	if err != nil || again.User != made.User || again.Token == made.Token {
		t.Errorf("got %+v, %v; want %+v", again, err, made)
	}
	in.Email = "ada@example.org"
	merged, err := h.BridgeExchange.Call(ctx, bridge, in)
	if err != nil || merged.User.ID != h.cast.Ada.ID || merged.User.Name != "Ada" {
		t.Errorf("got %+v, %v", merged, err)
	}
	if u := h.user("ada@example.org"); u.SignupProvider != "magic-link" {
		t.Errorf("Ada's signup provider is now %q", u.SignupProvider)
	}
	if text := h.out.take(); text != "" {
		t.Errorf("mailed or logged: %s", text)
	}
	for _, id := range []string{made.User.ID, h.cast.Ada.ID} {
		if len(h.events(id)) != 0 {
			t.Errorf("events: %q", h.events(id))
		}
	}
}

func TestBridgeExchangeErrors(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	if err := h.Suspend(ctx, "ben@example.org"); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		in   BridgeExchangeRequest
		code string
	}{
		"no app":              {BridgeExchangeRequest{Email: "a@example.org"}, "invalid_input"},
		"another app":         {BridgeExchangeRequest{App: "other", Email: "a@example.org"}, "invalid_input"},
		"no address":          {BridgeExchangeRequest{App: "social"}, "invalid_input"},
		"no real address":     {BridgeExchangeRequest{App: "social", Email: "a"}, "invalid_input"},
		"a script as picture": {BridgeExchangeRequest{App: "social", Email: "a@example.org", AvatarURL: "javascript:x"}, "invalid_input"},
		"ttl of zero":         {BridgeExchangeRequest{App: "social", Email: "a@example.org", TTL: ptr("0h")}, "invalid_input"},
		"empty ttl":           {BridgeExchangeRequest{App: "social", Email: "a@example.org", TTL: ptr("")}, "invalid_input"},
		"suspended":           {BridgeExchangeRequest{App: "social", Email: "ben@example.org"}, "account_suspended"},
	} {
		_, err := h.BridgeExchange.Call(ctx, store.Viewer{Kind: store.Bridge}, tc.in)
		wantCode(t, name, err, tc.code)
		if h.hasUser("a@example.org") {
			t.Fatalf("%s created an account", name)
		}
	}
	for _, k := range []store.Kind{store.Anonymous, store.Human, store.Agent} {
		_, err := h.BridgeExchange.Call(ctx, store.Viewer{Kind: k}, BridgeExchangeRequest{App: "social", Email: "a@example.org"})
		wantCode(t, k.String(), err, "unauthenticated")
	}
}

func ptr[T any](v T) *T { return &v }
