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
