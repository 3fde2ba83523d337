package app_test

import (
	"context"
	"testing"
)

// Requests to be friends and their answers appear on an open page of people, but
// nothing moves under the focus; the result of a test appears on the page of a
// webhook.
func testRefresh(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	act := func(who, path string) {
		t.Helper()
		if res := s.json(who, "POST", s.fillIDs(path), ""); res.status >= 300 {
			t.Fatalf("%s: %d %s", path, res.status, res.body)
		}
	}
	s.token("ben")
	p := newTab(t, browser, s.base())
	p.signIn(s, "ada@example.org")
	p.open("/people")
	p.stays()
	act("ben", "/api/friends/users/$id:ada/request")
	p.until(`document.querySelector("#incoming")?.parentElement.innerText.includes("Ben")`)
	eval[bool](p, `(document.querySelector("#connections button").focus(), true)`)
	act("ben", "/api/friends/users/$id:ada/cancel")
	act("cleo", "/api/friends/users/$id:ada/request")
	eval[bool](p, `(document.querySelector("#q").focus(), true)`)
	p.until(`(text => text.includes("Cléo") && !text.includes("Ben"))(document.querySelector("#connections").innerText)`)
	act("ada", "/api/friends/users/$id:cleo/accept")
	p.until(`!document.querySelector("#incoming") && document.querySelector("#connections").innerText.includes("Cléo")`)
	p.stayed()

	id := s.post("ada", "/api/webhooks", `{"url":"https://hooks.invalid/in"}`)
	p.open("/settings/webhooks/" + id)
	p.follow(func() { p.click(`form[action$="/test"] button`) })
	p.until(`location.pathname.endsWith("/` + id + `") && document.querySelector("#deliveries .row") !== null`)
	p.stays()
	p.until(`document.querySelector("#deliveries .tag").textContent === "failed"`)
	p.stayed()
}
