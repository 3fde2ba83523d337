package api

import (
	"testing"

	"hearth/app/core"
	"hearth/store"
)

func TestGuards(t *testing.T) {
	callers := []struct {
		name string
		v    store.Viewer
	}{
		{"nobody", store.Viewer{}},
		{"human", store.Viewer{Kind: store.Human, UserID: "u"}},
		{"embedded", store.Viewer{Kind: store.Embedded, UserID: "u"}},
		{"agent", store.Viewer{Kind: store.Agent, UserID: "u", CanRead: true, CanWrite: true}},
		{"reader", store.Viewer{Kind: store.Agent, UserID: "u", CanRead: true}},
		{"writer", store.Viewer{Kind: store.Agent, UserID: "u", CanWrite: true}},
		{"listkey", store.Viewer{Kind: store.ListKey, UserID: "u"}},
		{"public", store.Viewer{Kind: store.PublicKey}},
		{"bridge", store.Viewer{Kind: store.Bridge}},
	}
	const no, scope, human, ronly, pub = "unauthenticated", "missing_scope", "human_only", "read_only_key", "public_key"
	for _, tc := range []struct {
		guard  Guard
		method string
		want   [9]string // in the order of callers; "" passes
	}{
		{closed, "GET", [9]string{no, no, no, no, no, no, no, no, no}},
		{Public, "POST", [9]string{}},
		{Member, "GET", [9]string{no, "", "", "", "", scope, no, no, no}},
		{Member, "HEAD", [9]string{no, "", "", "", "", scope, no, no, no}},
		{Member, "POST", [9]string{no, "", "", "", scope, "", no, no, no}},
		{HumanOnly, "GET", [9]string{no, "", human, human, human, human, no, no, no}},
		{ListRead, "GET", [9]string{"", "", "", "", "", scope, "", "", no}},
		{ListOwnRead, "GET", [9]string{no, "", "", "", "", scope, "", pub, no}},
		{ListWrite, "POST", [9]string{no, "", "", "", scope, "", ronly, pub, no}},
		{ListAdd, "POST", [9]string{no, "", "", "", scope, "", ronly, "", no}},
		{Bridge, "POST", [9]string{no, no, no, no, no, no, no, no, ""}},
	} {
		for i, c := range callers {
			err := tc.guard.Check(c.v, tc.method)
			got := ""
			if err != nil {
				got = core.As(err).Code
			}
			if got != tc.want[i] {
				t.Errorf("guard %d, %s by %s: got %q, want %q", tc.guard, tc.method, c.name, got, tc.want[i])
			}
		}
	}
}

// A credential that is not valid is refused where one counts, and is as none
// where everybody may call: who signs in anew often still sends the old one.
func TestBadCredential(t *testing.T) {
	y := newToy(t, nil)
	for target, want := range map[string]int{"/api/books/best": 200, "/files/x": 200, "/api/books/" + someID: 401} {
		w := y.do("forged", "GET", target, "")
		if w.Code != want || want == 401 && w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestBridgeAnswersInOrder(t *testing.T) {
	const bad = `{"title":`
	off := newToy(t, func(c *Config) { c.Auth = keyring{bridgeOff: true} })
	on := newToy(t, nil)
	for _, tc := range []struct {
		y         *toy
		who, body string
		want      int
	}{
		{off, "", bad, 503},
		{off, "bridge", `{"title":"x"}`, 503},
		{on, "", bad, 401},
		{on, "human", `{"title":"x"}`, 401},
		{on, "bridge", bad, 400},
		{on, "bridge", `{}`, 400},
		{on, "bridge", `{"title":"new"}`, 201},
	} {
		if w := tc.y.do(tc.who, "POST", "/api/peer", tc.body); w.Code != tc.want {
			t.Errorf("%q with %s: %d, want %d", tc.who, tc.body, w.Code, tc.want)
		}
	}
}
