package account

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// httptestCookie returns the cookie of a browser in which Ben is signed in.
func httptestCookie(h *harness) *http.Cookie {
	b := &browser{h: h}
	b.signIn(h.cast.Ben.ID)
	return b.cookie
}

func TestSessionCookie(t *testing.T) {
	for base, want := range map[string]http.Cookie{
		"http://hearth.test":        {Name: "hearth"},
		"https://hearth.test/":      {Name: "__Host-hearth", Secure: true},
		"https://hearth.test:8443/": {Name: "__Host-hearth", Secure: true},
	} {
		h := open(t, func(c *Config) { c.BaseURL = base })
		b := &browser{h: h}
		b.signIn(h.cast.Ada.ID)
		c := b.cookie
		if c.Name != want.Name || c.Secure != want.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
			c.Domain != "" {
			t.Errorf("%s: the cookie is %+v", base, c)
		}
		if d := time.Duration(c.MaxAge) * time.Second; d < 30*24*time.Hour-time.Minute || d > 30*24*time.Hour+time.Minute {
			t.Errorf("the cookie's age is %v", d)
		}
		v := b.caller()
		if v.Kind != store.Human || v.UserID != h.cast.Ada.ID || v.SessionID == "" || v.Device != "Firefox[31m on a test" {
			t.Errorf("got %+v", v)
		}
	}
}

func TestSignInRenewsTheCookie(t *testing.T) {
	h := open(t)
	b := &browser{h: h}
	b.signIn(h.cast.Ada.ID)
	first, old := b.cookie, b.caller()
	b.signIn(h.cast.Ben.ID)
	if b.cookie.Value == first.Value {
		t.Error("the token has not changed")
	}
	if v := b.caller(); v.UserID != h.cast.Ben.ID || v.SessionID == old.SessionID {
		t.Errorf("got %+v", v)
	}
	if v := (&browser{h: h, cookie: first}).caller(); v.SignedIn() {
		t.Errorf("the old cookie is still %+v", v)
	}
	// A planted cookie must not be taken over either.
	planted := &browser{h: h, cookie: &http.Cookie{Name: "hearth", Value: strings.Repeat("A", 43)}}
	planted.signIn(h.cast.Ada.ID)
	if planted.cookie.Value == strings.Repeat("A", 43) {
		t.Error("a planted token is still valid")
	}
}

func TestSignOut(t *testing.T) {
	h := open(t)
	b := &browser{h: h}
	b.signIn(h.cast.Ada.ID)
	old, v := b.cookie, b.caller()
	for range 2 {
		w := httptest.NewRecorder()
		if err := h.SignOut(w, b.request()); err != nil {
			t.Fatal(err)
		}
		b.store(w)
		if b.cookie.MaxAge >= 0 || b.cookie.Value != "" {
			t.Errorf("the cookie is now %+v", b.cookie)
		}
	}
	if v := (&browser{h: h, cookie: old}).caller(); v.SignedIn() {
		t.Error("the old cookie still works")
	}
	if !contains(h.events(v.UserID), "auth.changed "+v.SessionID) {
		t.Error("no event for its streams")
	}
}

func TestSignInSuspended(t *testing.T) {
	h := open(t)
	if err := h.Act(context.Background(), "ada@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	err := h.SignIn(w, httptest.NewRequest("POST", "/", nil), h.cast.Ada.ID)
	wantCode(t, "sign in", err, "account_suspended")
	if len(w.Result().Cookies()) != 0 {
		t.Error("a cookie was set")
	}
}

func TestTokensEndWithTheirSession(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	b := &browser{h: h}
	b.signIn(h.cast.Ada.ID)
	asked := b.caller()
	token, err := h.CreateToken.Call(ctx, asked, CreateTokenIn{})
	if err != nil || token.ExpiresIn != 7*24*3600 {
		t.Fatalf("got %+v, %v", token, err)
	}
	v, err := h.bearer(token.Token)
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := h.CreateToken.Call(ctx, v, CreateTokenIn{})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := h.CreateToken.Call(ctx, v, CreateTokenIn{Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	inside, err := h.bearer(embedded.Token)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.CreateToken.Call(ctx, inside, CreateTokenIn{})
	wantCode(t, "a token created with an embedded one", err, "human_only")
	other := h.token("ada@example.org")

	if _, err := h.Logout.Call(ctx, asked, core.None{}); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"its token": token.Token, "the renewed one": renewed.Token, "the embedded one": embedded.Token} {
		_, err := h.bearer(text)
		wantCode(t, what, err, "unauthenticated")
	}
	for _, id := range []string{asked.SessionID, v.SessionID, inside.SessionID} {
		if !contains(h.events(asked.UserID), "auth.changed "+id) {
			t.Errorf("no event for the streams of %s", id)
		}
	}
	if _, err := h.bearer(other); err != nil {
		t.Errorf("another device: %v", err)
	}
	_, err = h.CreateToken.Call(ctx, asked, CreateTokenIn{})
	wantCode(t, "after the logout", err, "unauthenticated")
}

func TestOldestSessionsEnd(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	first := h.as("ada@example.org")
	var last store.Viewer
	for range maxSessions {
		h.db.Clock.Advance(16 * time.Minute) // the limits of mails and links
		last = h.as("ada@example.org")
	}
	wantCode(t, "the first", h.recheck(first), "unauthenticated")
	if out, err := h.ListSessions.Call(ctx, last, core.None{}); err != nil || len(out.Sessions) != maxSessions {
		t.Errorf("%d sessions, %v", len(out.Sessions), err)
	}
}

// A token never outlives the session or token that it was requested with, however
// long the chain, and ends with each before it.
func TestChainOfTokens(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	bridged := func(ttl string) store.Viewer {
		t.Helper()
		out, err := h.BridgeExchange.Call(ctx, store.Viewer{Kind: store.Bridge},
			BridgeExchangeRequest{App: "social", Email: "ada@example.org", TTL: &ttl})
		if err != nil {
			t.Fatal(err)
		}
		v, err := h.bearer(out.Token)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := bridged("60s")
	chain := []store.Viewer{first}
	for i := range 3 {
		h.db.Clock.Advance(time.Second)
		out, err := h.CreateToken.Call(ctx, chain[i], CreateTokenIn{Embedded: i == 2})
		if err != nil {
			t.Fatal(err)
		}
		if out.ExpiresIn > 59-i {
			t.Errorf("token %d of a chain that ends in %d s lives for %d s", i, 59-i, out.ExpiresIn)
		}
		v, err := h.bearer(out.Token)
		if err != nil {
			t.Fatal(err)
		}
		chain = append(chain, v)
	}
	_, err := h.CreateAgentKey.Call(ctx, chain[1], CreateAgentKeyIn{Name: "k"})
	wantCode(t, "a key made with a token of a minute", err, "short_lived_token")
	_, err = h.CreateListKey.Call(ctx, first, CreateListKeyIn{Name: "k"})
	wantCode(t, "a personal key", err, "short_lived_token")
	k, err := h.CreateAgentKey.Call(ctx, bridged("24h"), CreateAgentKeyIn{Name: "k", Scopes: []string{"write"}})
	wantCode(t, "a key to change", err, "")
	for scopes, want := range map[string]string{"read write": "short_lived_token", "read": "short_lived_token", "write": ""} {
		_, err = h.UpdateAgentKey.Call(ctx, bridged("60s"), UpdateAgentKeyIn{ID: k.ID, Scopes: core.Some(strings.Fields(scopes))})
		wantCode(t, "scopes "+scopes, err, want)
	}
	if _, err := h.Logout.Call(ctx, chain[1], core.None{}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "unauthenticated", "unauthenticated", "unauthenticated"} {
		wantCode(t, "after the second was signed out", h.recheck(chain[i]), want)
	}

	_, err = h.CreateAgentKey.Call(ctx, bridged("24h"), CreateAgentKeyIn{Name: "k"})
	wantCode(t, "a key made with a token of a day", err, "")
	_, err = h.CreateAgentKey.Call(ctx, bridged("86399s"), CreateAgentKeyIn{Name: "k"})
	wantCode(t, "of a second less", err, "short_lived_token")
}

// A browser session that is used after a day lasts as long as a new one from then on. One that is not used ends, and so
// does a token.
func TestRenewal(t *testing.T) {
	h := open(t)
	used, idle := &browser{h: h}, &browser{h: h}
	used.signIn(h.cast.Ada.ID)
	idle.signIn(h.cast.Ada.ID)
	renew := func() bool {
		t.Helper()
		w := httptest.NewRecorder()
		h.Renew(w, used.request(), used.caller())
		used.store(w)
		return len(w.Result().Cookies()) == 1
	}
	h.db.Clock.Advance(23 * time.Hour)
	if renew() {
		t.Error("renewed on the first day")
	}
	for range 3 {
		h.db.Clock.Advance(28 * 24 * time.Hour)
		if !renew() || used.cookie.MaxAge != int(browserLife.Seconds()) || !used.caller().SignedIn() {
			t.Fatalf("not renewed: %+v", used.cookie)
		}
		if renew() {
			t.Error("renewed twice")
		}
	}
	if idle.caller().SignedIn() {
		t.Error("a session that was not used is valid still")
	}
	h.db.Clock.Advance(30*24*time.Hour + time.Minute)
	if used.caller().SignedIn() {
		t.Error("the session does not end")
	}
	v := h.as("ben@example.org")
	h.db.Clock.Advance(5 * 24 * time.Hour)
	w := httptest.NewRecorder()
	if h.Renew(w, (&browser{h: h}).request(), v); len(w.Result().Cookies()) != 0 {
		t.Error("a token became a cookie")
	}
	h.db.Clock.Advance(3 * 24 * time.Hour)
	if err := h.recheck(v); err == nil {
		t.Error("a token was renewed")
	}
}
