package account

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func TestCaller(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := h.as("ada@example.org")
	read, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "reader", Scopes: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	both, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "both", AgentName: "Clara",
		ExpiresAt: h.db.Now().Add(time.Hour).Ptr()})
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.CreateListKey.Call(ctx, ada, CreateListKeyIn{Name: "lists"})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := h.CreateToken.Call(ctx, ada, CreateTokenIn{Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		token string
		want  store.Viewer
	}{
		"reader": {read.Key, store.Viewer{Kind: store.Agent, UserID: ada.UserID, Name: ada.Name, Email: ada.Email, KeyID: read.ID,
			AgentName: "reader", CanRead: true}},
		"both": {both.Key, store.Viewer{Kind: store.Agent, UserID: ada.UserID, Name: ada.Name, Email: ada.Email, KeyID: both.ID,
			AgentName: "Clara", CanRead: true, CanWrite: true, Until: *both.ExpiresAt}},
		"list key": {list.Key, store.Viewer{Kind: store.ListKey, UserID: ada.UserID, Name: ada.Name, Email: ada.Email, KeyID: list.ID,
			CanRead: true}},
		"public": {testPublicKey, store.Viewer{Kind: store.PublicKey, CanRead: true, CanWrite: true}},
	} {
		v, err := h.bearer(tc.token)
		v.Generation = 0
		if err != nil || v != tc.want {
			t.Errorf("%s: got %+v, %v; want %+v", name, v, err, tc.want)
		}
	}
	v, err := h.bearer(embedded.Token)
	if err != nil || v.Kind != store.Embedded || v.UserID != ada.UserID || v.Direct() {
		t.Errorf("embedded: got %+v, %v", v, err)
	}
	if v, err := h.Caller(httptest.NewRequest("GET", "/", nil)); err != nil || v.Kind != store.Anonymous {
		t.Errorf("no credential: got %+v, %v", v, err)
	}
}

func TestCallerBadCredentials(t *testing.T) {
	h := open(t)
	ada := h.as("ada@example.org")
	key, err := h.CreateAgentKey.Call(context.Background(), ada, CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	token := h.token("ada@example.org")
	for name, headers := range map[string][]string{
		"empty":                {""},
		"no token":             {"Bearer"},
		"blank token":          {"Bearer  "},
		"basic":                {"Basic " + token},
		"the token alone":      {token},
		"two headers":          {"Bearer " + token, "Bearer " + token},
		"a truncated key":      {"Bearer " + key.Key[:len(key.Key)-1]},
		"a changed key":        {"Bearer " + key.Key[:20] + "_" + key.Key[21:]},
		"a key as list key":    {"Bearer cl_" + key.Key[3:]},
		"a well-formed key":    {"Bearer " + newKey(agentPrefix)},
		"the key's prefix":     {"Bearer " + key.KeyPrefix},
		"a word":               {"Bearer hello"},
		"the bridge's secret":  {"Bearer " + testBridgeSecret},
		"a megabyte":           {"Bearer " + strings.Repeat("a.", 1<<19)},
		"binary":               {"Bearer \xff\x00\xfe"},
		"the public key and x": {"Bearer " + testPublicKey + "x"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Authorization"] = headers
		r.AddCookie(httptestCookie(h))
		if v, err := h.Caller(r); !core.IsKind(err, core.Unauthenticated) || v != (store.Viewer{}) {
			t.Errorf("%s: got %+v, %v", name, v, err)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Authorization", "bEARER "+token)
	if _, err := h.Caller(r); err != nil {
		t.Errorf("the scheme in another case: %v", err)
	}
}

// TestCredentialEnd ends each kind of credential in each possible way.
func TestCredentialEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tc := range map[string]struct {
		end        func(h *harness, ada, key store.Viewer) error
		token, key string // error code of the next request with it
		browser    bool   // whether the cookie remains valid
		event      func(ada, key store.Viewer) string
	}{
		"everywhere": {
			end: func(h *harness, ada, _ store.Viewer) error {
				_, err := h.EndAllSessions.Call(ctx, ada, core.None{})
				return err
			},
			token: "unauthenticated", event: func(ada, _ store.Viewer) string { return ada.UserID },
		},
		"logout": {
			end: func(h *harness, ada, _ store.Viewer) error {
				_, err := h.Logout.Call(ctx, ada, core.None{})
				return err
			},
			token: "unauthenticated", browser: true, event: func(ada, _ store.Viewer) string { return ada.SessionID },
		},
		"one device": {
			end: func(h *harness, ada, _ store.Viewer) error {
				_, err := h.EndSession.Call(ctx, ada, core.ByID{ID: ada.SessionID})
				return err
			},
			token: "unauthenticated", browser: true, event: func(ada, _ store.Viewer) string { return ada.SessionID },
		},
		"suspension": {
			end:   func(h *harness, _, _ store.Viewer) error { return h.Act(ctx, "ada@example.org", Suspend) },
			token: "unauthenticated", key: "unauthenticated", event: func(ada, _ store.Viewer) string { return ada.UserID },
		},
		"revocation": {
			end: func(h *harness, ada, key store.Viewer) error {
				_, err := h.RevokeAgentKey.Call(ctx, ada, core.ByID{ID: key.KeyID})
				return err
			},
			key: "unauthenticated", browser: true, event: func(_, key store.Viewer) string { return key.KeyID },
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			token := h.token("ada@example.org")
			ada, err := h.bearer(token)
			if err != nil {
				t.Fatal(err)
			}
			made, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
			if err != nil {
				t.Fatal(err)
			}
			key, err := h.bearer(made.Key)
			if err != nil {
				t.Fatal(err)
			}
			b := &browser{h: h}
			b.signIn(ada.UserID)
			ben := h.as("ben@example.org")
			if err := tc.end(h, ada, key); err != nil {
				t.Fatal(err)
			}
			_, err = h.bearer(token)
			wantCode(t, "the token", err, tc.token)
			wantCode(t, "a stream with the token", h.recheck(ada), tc.token)
			_, err = h.bearer(made.Key)
			wantCode(t, "the key", err, tc.key)
			wantCode(t, "a stream with the key", h.recheck(key), tc.key)
			if got := b.caller().SignedIn(); got != tc.browser {
				t.Errorf("the browser is signed in: %v", got)
			}
			if want := "auth.changed " + tc.event(ada, key); !contains(h.events(ada.UserID), want) {
				t.Errorf("no event %q among %q", want, h.events(ada.UserID))
			}
			wantCode(t, "another account", h.recheck(ben), "")
		})
	}
}

func TestCredentialsExpire(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	token := h.token("ada@example.org")
	ada, _ := h.bearer(token)
	key, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k", ExpiresAt: h.db.Now().Add(time.Hour).Ptr()})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := h.CreateToken.Call(ctx, ada, CreateTokenIn{Embedded: true})
	if err != nil || embedded.ExpiresIn != 600 {
		t.Fatalf("got %+v, %v", embedded, err)
	}
	b := &browser{h: h}
	b.signIn(ada.UserID)
	for _, step := range []struct {
		by                            time.Duration
		embedded, key, token, browser bool
	}{
		{10*time.Minute - time.Second, true, true, true, true},
		{2 * time.Second, false, true, true, true},
		{50*time.Minute - 2*time.Second, false, true, true, true},
		{2 * time.Second, false, false, true, true},
		{7*24*time.Hour - time.Hour - 3*time.Second, false, false, true, true},
		{4 * time.Second, false, false, false, true},
		{23*24*time.Hour - 10*time.Second, false, false, false, true},
		{11 * time.Second, false, false, false, false},
	} {
		h.db.Clock.Advance(step.by)
		for what, tc := range map[string]struct {
			text string
			want bool
		}{"embedded": {embedded.Token, step.embedded}, "key": {key.Key, step.key}, "token": {token, step.token}} {
			if _, err := h.bearer(tc.text); (err == nil) != tc.want {
				t.Errorf("%v: %s: %v", h.db.Now(), what, err)
			}
		}
		if got := b.caller().SignedIn(); got != step.browser {
			t.Errorf("%v: the browser is signed in: %v", h.db.Now(), got)
		}
	}
}

func TestFlushKeyUse(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := h.as("ada@example.org")
	key, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	h.db.Clock.Advance(time.Hour)
	used := h.db.Now()
	if _, err := h.bearer(key.Key); err != nil {
		t.Fatal(err)
	}
	lastUsed := func() *store.Time {
		keys, err := h.ListAgentKeys.Call(ctx, ada, core.None{})
		if err != nil || len(keys) != 1 {
			t.Fatalf("got %+v, %v", keys, err)
		}
		return keys[0].LastUsedAt
	}
	if at := storedUse(t, h, key.ID); at != 0 {
		t.Errorf("a request wrote %v", at)
	}
	// What is not stored yet is known already.
	if at := lastUsed(); at == nil || *at != used {
		t.Errorf("got %v, want %v", at, used)
	}
	h.db.Clock.Advance(time.Minute)
	for range 2 {
		if err := h.FlushKeyUse(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if at := storedUse(t, h, key.ID); at != used {
		t.Errorf("stored %v, want %v", at, used)
	}
	if u := h.user("ada@example.org"); u.LastSeenAt == 0 || u.LastSeenAt >= used {
		t.Errorf("last seen %v; her key was used at %v", u.LastSeenAt, used)
	}
	if u := h.user("ben@example.org"); u.LastSeenAt != 0 {
		t.Errorf("an account that made no request was seen at %v", u.LastSeenAt)
	}
}

// storedUse returns when a key of ada was last used, as it is in the database.
func storedUse(t *testing.T, h *harness, id string) store.Time {
	t.Helper()
	var k store.Key
	err := h.db.Read(context.Background(), func(r *store.Reader) (err error) {
		k, err = r.Key(storetest.Human(h.cast.Ada), "agent", id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return k.LastUsedAt
}

func TestBridgeCaller(t *testing.T) {
	h := open(t)
	if v, err := h.BridgeCaller(testBridgeSecret); err != nil || v.Kind != store.Bridge {
		t.Errorf("got %+v, %v", v, err)
	}
	for _, secret := range []string{"", "x", testBridgeSecret + "x", testPublicKey} {
		_, err := h.BridgeCaller(secret)
		wantCode(t, "a wrong secret", err, "invalid_bridge_credentials")
	}
	none := open(t, func(c *Config) { c.BridgeSecret = "" })
	for _, secret := range []string{"", testBridgeSecret} {
		_, err := none.BridgeCaller(secret)
		wantCode(t, "no bridge", err, "bridge_not_configured")
		if !core.IsKind(err, core.Unavailable) {
			t.Errorf("got %v", err)
		}
	}
}

// A token that this server signed is accepted only for the session that it names, with
// the account, the epoch and the kind of that session.
func TestTokenMatchesItsSession(t *testing.T) {
	h := open(t)
	ada, epoch := h.as("ada@example.org"), h.user("ada@example.org").Epoch
	embedded, err := h.CreateToken.Call(t.Context(), ada, CreateTokenIn{Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	inside, err := h.bearer(embedded.Token)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{h: h}
	b.signIn(ada.UserID)
	claimsOf := func(session, user string, epoch int64, embedded bool) claims {
		return claims{RegisteredClaims: jwt.RegisteredClaims{ID: session, Subject: user}, Epoch: &epoch, Embedded: embedded}
	}
	for name, tc := range map[string]struct {
		claims claims
		ok     bool
	}{
		"its session":                {claimsOf(ada.SessionID, ada.UserID, epoch, false), true},
		"an embedded one":            {claimsOf(inside.SessionID, ada.UserID, epoch, true), true},
		"another account":            {claimsOf(ada.SessionID, h.cast.Ben.ID, epoch, false), false},
		"a later epoch":              {claimsOf(ada.SessionID, ada.UserID, epoch+1, false), false},
		"an earlier epoch":           {claimsOf(ada.SessionID, ada.UserID, epoch-1, false), false},
		"the session of a browser":   {claimsOf(b.caller().SessionID, ada.UserID, epoch, false), false},
		"embedded, but not the row":  {claimsOf(ada.SessionID, ada.UserID, epoch, true), false},
		"an embedded row, not it":    {claimsOf(inside.SessionID, ada.UserID, epoch, false), false},
		"a session that is not here": {claimsOf(store.NewID(), ada.UserID, epoch, false), false},
	} {
		token, err := h.jwt.sign(tc.claims, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		v, err := h.bearer(token)
		if tc.ok != (err == nil) || !tc.ok && (!core.IsKind(err, core.Unauthenticated) || v.SignedIn()) {
			t.Errorf("%s: got %+v, %v", name, v, err)
		}
	}
}

// A person is online from the first request on, with whatever token and wherever it was
// sent, and those who share a conversation with them are told once. A key does not bring
// its owner online.
func TestRequestBringsOnline(t *testing.T) {
	var p publications
	h := open(t, p.record)
	h.group(h.cast.Ada.ID, h.cast.Cleo.ID)
	h.group(h.cast.Ben.ID, h.cast.Cleo.ID)
	ada, ben := h.token("ada@example.org"), h.token("ben@example.org")
	made, err := h.CreateAgentKey.Call(t.Context(), h.as("stranger@example.org"), CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	h.db.Clock.Advance(time.Hour)
	if err := h.SweepPresence(t.Context()); err != nil {
		t.Fatal(err)
	}
	elsewhere := func(token string) (store.Viewer, error) { return h.TokenCaller(t.Context(), token) }
	for _, tc := range []struct {
		name, email, token string
		request            func(token string) (store.Viewer, error)
		online             bool
		told               string
	}{
		{"in a header", "ada@example.org", ada, h.bearer, true, "Cléo 🌿: Ada available"},
		{"elsewhere", "ben@example.org", ben, elsewhere, true, "Cléo 🌿: Ben available"},
		{"a key in a header", "stranger@example.org", made.Key, h.bearer, false, ""},
		{"a key elsewhere", "stranger@example.org", made.Key, elsewhere, false, ""},
	} {
		if h.user(tc.email).Online {
			t.Fatalf("%s: online before", tc.name)
		}
		p.take(h)
		for range 2 {
			if _, err := tc.request(tc.token); err != nil {
				t.Fatal(err)
			}
		}
		h.AwaitPresence()
		if got := h.user(tc.email).Online; got != tc.online {
			t.Errorf("%s: online is %v", tc.name, got)
		}
		if got := strings.Join(p.take(h), ", "); got != tc.told {
			t.Errorf("%s: told %q, want %q", tc.name, got, tc.told)
		}
	}
}

// A cookie counts for the account for which the page was made that sent it, and for
// no other; a request that does not say so, or has no cookie, is as before.
func TestCallerOfAPage(t *testing.T) {
	h := open(t)
	ada, ben := h.as("ada@example.org"), h.as("ben@example.org")
	key, err := h.CreateAgentKey.Call(t.Context(), ben, CreateAgentKeyIn{Name: "reader"})
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{h: h}
	b.signIn(ben.UserID)
	from := func(r *http.Request, page string) (store.Viewer, error) {
		r.Header.Set(PageHeader, page)
		return h.Caller(r)
	}
	if v, err := from(b.request(), ada.UserID); core.As(err).Code != "other_account" || v.UserID != "" {
		t.Errorf("a page of Ada: got %+v, %v", v, err)
	}
	if v, err := from(b.request(), ben.UserID); err != nil || v.UserID != ben.UserID {
		t.Errorf("a page of Ben: got %+v, %v", v, err)
	}
	if v := b.caller(); v.UserID != ben.UserID {
		t.Errorf("no page: got %+v", v)
	}
	if v, err := from((&browser{h: h}).request(), ada.UserID); err != nil || v.Kind != store.Anonymous {
		t.Errorf("signed out: got %+v, %v", v, err)
	}
	program := httptest.NewRequest("GET", "/", nil)
	program.Header.Set("Authorization", "Bearer "+key.Key)
	if v, err := from(program, ada.UserID); err != nil || v.UserID != ben.UserID {
		t.Errorf("a key: got %+v, %v", v, err)
	}
}
