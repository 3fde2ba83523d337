package account

import (
	"context"
	"testing"
	"time"

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

func TestBridgeProvisionOnly(t *testing.T) {
	h := open(t)
	out, err := h.BridgeExchange.Call(context.Background(), store.Viewer{Kind: store.Bridge},
		BridgeExchangeRequest{App: "social", Email: "new@example.org", ProvisionOnly: true})
	if err != nil || out.Token != "" || out.User.Name != "New" {
		t.Fatalf("got %+v, %v", out, err)
	}
	err = h.db.Read(context.Background(), func(r *store.Reader) error {
		rows, err := r.Sessions(store.Viewer{UserID: out.User.ID})
		if len(rows) != 0 {
			t.Errorf("sessions: %+v", rows)
		}
		return err
	})
	if err != nil {
		t.Error(err)
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

func TestTTL(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"1s": time.Second, "90m": 90 * time.Minute, "24h": 24 * time.Hour, "1d": 24 * time.Hour, "6d": 6 * 24 * time.Hour,
		"7d": 7 * 24 * time.Hour, "007d": 7 * 24 * time.Hour,
		"8d": 7 * 24 * time.Hour, "169h": 7 * 24 * time.Hour, "604801s": 7 * 24 * time.Hour, "9999999999999999999d": 7 * 24 * time.Hour,
		"0s": 0, "00d": 0, "": 0, "h": 0, "24": 0, "24H": 0, "-1h": 0, "+1h": 0, "1.5h": 0, "1h30m": 0, "1w": 0, " 1h": 0, "1 h": 0, "1_0h": 0,
		"١h": 0, "0x1h": 0,
	} {
		got, err := parseTTL(in)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %v, %v; want %v", in, got, err, want)
		}
	}
	h := open(t)
	for ttl, want := range map[string]time.Duration{"": 24 * time.Hour, "30m": 30 * time.Minute, "30d": 7 * 24 * time.Hour} {
		in := BridgeExchangeRequest{App: "social", Email: "a@example.org", TTL: &ttl}
		if ttl == "" {
			in.TTL = nil
		}
		out, err := h.BridgeExchange.Call(context.Background(), store.Viewer{Kind: store.Bridge}, in)
		if err != nil {
			t.Fatal(err)
		}
		v, err := h.bearer(out.Token)
		if got := v.Until.Sub(h.db.Now()); err != nil || got < want || got > want+time.Second {
			t.Errorf("ttl %q: the token's lifetime is %v, %v", ttl, got, err)
		}
	}
}

func ptr[T any](v T) *T { return &v }
