package app_test

import (
	"context"
	"fmt"
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

	p.moves(s)
	p.answersForms(s)

	id := s.post("ada", "/api/webhooks", `{"url":"https://hooks.invalid/in"}`)
	p.open("/settings/webhooks/" + id)
	p.follow(func() { p.click(`form[action$="/test"] button`) })
	p.until(`location.pathname.endsWith("/` + id + `") && document.querySelector("#deliveries .row") !== null`)
	p.stays()
	p.until(`document.querySelector("#deliveries .tag").textContent === "failed"`)
	p.stayed()
}

// answersForms has the tab at pages that answer a form, whose address is of no page: one
// of them follows what happens, and another is itself after a reload.
func (p *tab) answersForms(s *browserServer) {
	p.t.Helper()
	p.expect(`422`)
	s.post("ada", "/api/intents", `{"kind":"ask","terms":"A tent for two","confirm":true}`)
	p.follow(func() {
		eval[bool](p, `(() => {
			const form = Object.assign(document.createElement("form"), { method: "post", action: "/matches/00000000-0000-4000-8000-000000000000" });
			document.body.append(form);
			form.submit();
			return true;
		})()`)
	})
	p.at(`/matches/.*`)
	s.post("ben", "/api/intents", `{"kind":"offer","terms":"A tent for two, green","confirm":true}`)
	p.until(`document.querySelector("#matches").parentElement.innerText.includes("A tent for two, green")`)

	p.open("/chat/" + s.converse("Garden", "ben", "cleo") + "/people")
	p.send("Create link")
	p.until(`document.querySelector(".secret") && location.pathname.endsWith("/people")`)
	p.follow(func() { eval[bool](p, `(location.reload(), true)`) })
	p.until(`!document.querySelector(".secret") && document.querySelector("#invite") !== null`)
}

// moves has matches arrive on the page of asks. A click does not press a button that
// has just taken the place of another button, and open parts stay open.
func (p *tab) moves(s *browserServer) {
	p.t.Helper()
	for _, who := range []string{"ben", "cleo"} {
		s.token(who)
	}
	match := func(who, terms string) {
		p.t.Helper()
		s.post(who, "/api/intents", fmt.Sprintf(`{"kind":"offer","terms":%q,"confirm":true}`, terms))
		p.until(fmt.Sprintf(`document.querySelector("#matches").parentElement.innerText.includes(%q)`, terms))
	}
	for _, terms := range []string{"A ladder to borrow", "Lemons from a tree"} {
		s.post("ada", "/api/intents", fmt.Sprintf(`{"kind":"ask","terms":%q,"confirm":true}`, terms))
	}
	p.open("/asks")
	p.stays()
	match("ben", "A ladder to borrow, three metres")
	p.follow(func() { p.press("Not for me: A ladder to borrow, three metres") })
	p.press("1 closed match")
	eval[bool](p, `(document.activeElement.blur(), new MutationObserver(() => {
		const r = document.querySelector("[value=decline]")?.getBoundingClientRect();
		if (r) window.under ??= document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2).localName;
	}).observe(document.querySelector("#all"), { childList: true }), true)`)
	match("cleo", "Lemons from a tree, many")
	if under := eval[string](p, `window.under`); under == "button" {
		p.t.Error("a button can be pressed as soon as it has appeared")
	}
	if !eval[bool](p, `document.querySelector("#all details").open`) {
		p.t.Error("what was opened is closed")
	}
	p.follow(func() { p.press("Not for me: Lemons from a tree, many") })
}
