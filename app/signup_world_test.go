package app_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/store"
)

// ownOfWorld matches what differs between any two worlds: the end of the event log
// in its sealed form, and with it the length and the digest of a page.
var ownOfWorld = regexp.MustCompile(`(?m)^(Content-Length: \d+|Etag: "[0-9a-f]{16}")\r?\n|data-position="[^"]*"`)

// ownOfAccount matches what differs between any two new accounts: id, token, cookie and time.
var ownOfAccount = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|eyJ[\w.-]+|hearth=[\w-]+|"createdAt":"[^"]+"`)

// In a community of invited people, nobody learns who has an account: whatever is
// requested for an address, with an invitation and without, has the same response in
// a world where it has an account and in one where it has none.
func TestInviteOnlyTellsNothing(t *testing.T) {
	const address = "zelda@example.org"
	var worlds [2][]string
	for n := range worlds {
		w := newWorld(t)
		if res := w.json("root", "PATCH", "/api/admin/settings", `{"signup":"invite"}`); res.status != 200 {
			t.Fatalf("%d %s", res.status, res.body)
		}
		if n == 1 {
			err := w.app.DB().Write(context.Background(), func(tx *store.Tx) error {
				_, err := tx.InsertUser(store.User{Email: address, Name: "Zelda", VerifiedAt: tx.Now, SignupProvider: "magic-link"})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var made struct{ Token string }
		if err := json.Unmarshal(w.json("root", "POST", "/api/community/invitations", `{}`).body, &made,
			json.MatchCaseInsensitiveNames(true)); err != nil || made.Token == "" {
			t.Fatalf("no invitation: %v", err)
		}
		plain := func(res response) string {
			text := ownOfWorld.ReplaceAllString(strings.ReplaceAll(res.raw, made.Token, "<token>"), "")
			return ownOfAccount.ReplaceAllString(text, "<own>")
		}
		send := func(method, path, body string) {
			res := w.json("anonymous", method, path, body)
			worlds[n] = append(worlds[n], method+" "+strings.ReplaceAll(path, made.Token, "<token>")+": "+plain(res))
		}
		form := func(path, body string) {
			res := w.do("anonymous", "POST", path, map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}, body)
			worlds[n] = append(worlds[n], "form "+strings.ReplaceAll(path, made.Token, "<token>")+": "+plain(res))
		}
		send("POST", "/api/auth/magic-link", `{"email":"`+address+`"}`)
		send("POST", "/api/auth/magic-link", `{"email":"`+address+`","invitation":"nothing"}`)
		send("POST", "/api/auth/magic-link", `{"email":"`+address+`","invitation":"`+made.Token+`"}`)
		send("POST", "/api/auth/magic-link/verify", `{"email":"`+address+`","code":"123"}`)
		send("POST", "/api/auth/login", `{"email":"`+address+`","password":"wrong wrong wrong"}`)
		send("POST", "/api/register-agent", `{"email":"`+address+`","password":"a long password","purpose":"p"}`)
		form("/login", "email=zelda%40example.org")
		send("POST", "/api/invitations/"+made.Token+"/accept", `{"name":"Zed","email":"`+address+`"}`)
		send("POST", "/api/invitations/nothing/accept", `{"name":"Zed","email":"`+address+`"}`)
		form("/join/"+made.Token, "name=Zed&email=zelda%40example.org")
		form("/join/nothing", "name=Zed&email=zelda%40example.org")
	}
	for i := range worlds[0] {
		if worlds[0][i] != worlds[1][i] {
			t.Errorf("the worlds differ:\n%s\n%s", worlds[0][i], worlds[1][i])
		}
	}
}
