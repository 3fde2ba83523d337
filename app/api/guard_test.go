package api

import "testing"

// A credential that is not valid is refused by a guard and ignored by public
// routes: clients that sign in again often still send the expired one.
func TestBadCredential(t *testing.T) {
	y := newToy(t, nil)
	for target, want := range map[string]int{"/api/books/best": 200, "/files/x": 200, "/api/books/" + someID: 401} {
		w := y.do("forged", "GET", target, "")
		if w.Code != want || want == 401 && w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestBridgeErrorOrder(t *testing.T) {
	const bad = `{"title":`
	off := newToy(t, func(c *toyConfig) { c.Auth = keyring{bridgeOff: true} })
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

// Who may not call an operation gets the same whether or not the path names anything.
func TestGuardComesBeforeThePath(t *testing.T) {
	y := newToy(t, nil)
	for who, want := range map[string][2]int{"": {401, 401}, "forged": {401, 401}, "agent": {403, 403}, "listkey": {401, 401},
		"human": {204, 404}} {
		for n, id := range []string{someID, "x"} {
			if w := y.do(who, "DELETE", "/api/books/"+id, ""); w.Code != want[n] {
				t.Errorf("%q, %s: %d, want %d", who, id, w.Code, want[n])
			}
		}
	}
}
