package account

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

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
	for name, tc := range map[string]struct {
		claims claims
		ok     bool
	}{
		"its session":                {claims{ID: ada.SessionID, UserID: ada.UserID, Epoch: epoch}, true},
		"an embedded one":            {claims{ID: inside.SessionID, UserID: ada.UserID, Epoch: epoch, Embedded: true}, true},
		"another account":            {claims{ID: ada.SessionID, UserID: h.cast.Ben.ID, Epoch: epoch}, false},
		"a later epoch":              {claims{ID: ada.SessionID, UserID: ada.UserID, Epoch: epoch + 1}, false},
		"an earlier epoch":           {claims{ID: ada.SessionID, UserID: ada.UserID, Epoch: epoch - 1}, false},
		"the session of a browser":   {claims{ID: b.caller().SessionID, UserID: ada.UserID, Epoch: epoch}, false},
		"embedded, but not the row":  {claims{ID: ada.SessionID, UserID: ada.UserID, Epoch: epoch, Embedded: true}, false},
		"an embedded row, not it":    {claims{ID: inside.SessionID, UserID: ada.UserID, Epoch: epoch}, false},
		"a session that is not here": {claims{ID: store.NewID(), UserID: ada.UserID, Epoch: epoch}, false},
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

// A bearer token is read up to exactly the longest length, in a header and elsewhere.
// The spaces around a token count.
func TestBearerLength(t *testing.T) {
	h := open(t)
	made, err := h.CreateAgentKey.Call(t.Context(), h.as("ada@example.org"), CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	for length, want := range map[int]string{maxBearer - 1: "", maxBearer: "", maxBearer + 1: "unauthenticated"} {
		token := strings.Repeat(" ", length-len(made.Key)) + made.Key
		v, err := h.bearer(token)
		wantCode(t, "in a header", err, want)
		w, err := h.TokenCaller(t.Context(), token)
		wantCode(t, "elsewhere", err, want)
		if signedIn := want == ""; v.SignedIn() != signedIn || w.SignedIn() != signedIn {
			t.Errorf("%d bytes: got %+v and %+v", length, v, w)
		}
	}
}

// The device of a caller is the beginning of the User-Agent header, whoever the caller
// is and also if the credential is refused.
func TestCallerDevice(t *testing.T) {
	h := open(t)
	token := h.token("ada@example.org")
	for name, header := range map[string]string{"a token": "Bearer " + token, "the public key": "Bearer " + testPublicKey, "a wrong token": "Bearer x", "nobody": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("User-Agent", "A browser\x00\ufffd of the tests")
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		v, err := h.Caller(r)
		if v.Device != "A browser of the tests" || (err != nil) != (name == "a wrong token") {
			t.Errorf("%s: got %+v, %v", name, v, err)
		}
	}
	for length, want := range map[int]int{0: 0, 1: 1, 199: 199, 200: 200, 201: 200, 1000: 200} {
		if got := device(strings.Repeat("\n", 300) + strings.Repeat("é", length)); got != strings.Repeat("é", want) {
			t.Errorf("of %d characters: got %q", length, got)
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
		if got := h.user(tc.email).Online; got != tc.online {
			t.Errorf("%s: online is %v", tc.name, got)
		}
		if got := strings.Join(p.take(h), ", "); got != tc.told {
			t.Errorf("%s: told %q, want %q", tc.name, got, tc.told)
		}
	}
}
