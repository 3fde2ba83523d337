package app_test

import (
	"context"
	"fmt"
	"testing"
)

// socialLooks returns the pages of asks, offers and Stories of the demo
// community.
func socialLooks(me *tab) []look {
	me.expect(`422 .*/(asks/preview|inbox/requests/[0-9a-f]+)$`)
	ask := func(p *tab) {
		p.open("/asks/new")
		p.fill("#terms", "A ladder to borrow on Saturday, to clean the gutters")
		p.fill("#details", "Three metres are enough")
	}
	link := func(p *tab, path, css string) {
		p.open(path)
		p.follow(func() { p.clickOn(fmt.Sprintf(`document.querySelectorAll(%q)`, css)) })
	}
	reply := func(p *tab) {
		link(p, "/stories", "a[href$='/reply']")
		p.fill("#message", "We come, with two bowls.")
	}
	return []look{
		at("asks", me, "/asks"), {"asks-ended", me, func(p *tab) {
			p.open("/asks")
			p.press("1 closed match")
			p.clickOn(`[...document.querySelectorAll("summary")].slice(-1)`)
		}},
		{"ask-new", me, func(p *tab) {
			ask(p)
			p.clickOn(`document.querySelectorAll("[name=who][value=chosen]")`)
		}},
		{"ask-new-wrong", me, func(p *tab) { ask(p); p.fill("#terms", " "); p.send("Preview") }},
		{"ask-preview", me, func(p *tab) { ask(p); p.send("Preview") }},
		at("drafts", me, "/drafts"), {"draft", me, func(p *tab) { link(p, "/drafts", "main li .btn:not(.btn-main)") }},
		{"draft-publish", me, func(p *tab) { link(p, "/drafts", "main li .btn-main") }},
		{"draft-preview", me, func(p *tab) { link(p, "/drafts", "main li .btn-main"); p.send("Preview") }},
		{"draft-undo", me, func(p *tab) {
			p.open("/drafts")
			p.follow(func() { p.click("main li form button") })
			p.shows("Undo")
		}},
		{"draft-back", me, func(p *tab) { p.send("Undo") }},
		at("stories", me, "/stories"), at("story-new", me, "/stories/new"),
		{"story-picked", me, func(p *tab) {
			p.open("/stories/new")
			p.clickOn(`document.querySelectorAll("[name=in]")`)
			p.clickOn(`document.querySelectorAll("[name=to]")`)
			p.until(`/people:/.test(document.querySelector("#picked").innerText)`)
		}},
		{"story-end", me, func(p *tab) { p.open("/stories"); p.press("End it…") }},
		{"story-preview", me, func(p *tab) {
			p.open("/stories/new")
			p.fill("#text", "Flour is here. Come and fetch it until six.")
			p.clickOn(`document.querySelectorAll("[name=in]")`)
			p.send("Preview")
		}},
		{"story-search", me, func(p *tab) {
			p.open("/stories/new")
			p.fill("#text", "Flour is here. Come and fetch it until six.")
			p.clickOn(`document.querySelectorAll("[name=in]")`)
			p.press("Also look for a match")
			eval[bool](p, `(document.querySelector("#match").value = "offer", true)`)
			p.fill("#terms", "Flour of the old mill")
		}},
		{"story-search-preview", me, func(p *tab) { p.send("Preview") }},
		{"asks-chosen", me, func(p *tab) {
			ask(p)
			p.clickOn(`document.querySelectorAll("[name=who][value=chosen]")`)
			p.clickOn(`document.querySelectorAll("[name=to]")`)
			p.clickOn(`document.querySelectorAll("[name=in]")`)
			p.send("Preview")
			p.send("Publish this ask")
		}},
		{"ask-again", me, func(p *tab) {
			p.send("Withdraw: A ladder to borrow on Saturday, to clean the gutters")
			p.send("Publish it again")
		}},
		{"draft-kept", me, func(p *tab) { p.send("Keep as a draft") }},
		{"story-reply", me, reply}, {"story-reply-preview", me, func(p *tab) { reply(p); p.send("Preview") }},
		at("inbox", me, "/inbox"), {"inbox-gone", me, func(p *tab) {
			p.open("/inbox")
			eval[bool](p, `(document.querySelector(".inbox-item form").action = "/inbox/requests/" + "0".repeat(64), true)`)
			p.follow(func() { p.click(".inbox-item [value=approve]") })
		}},
		{"inbox-next", me, func(p *tab) {
			p.open("/inbox")
			p.follow(func() { p.click(".inbox-item [value=extend]") })
			p.shows("Undo")
		}},
		{"inbox-back", me, func(p *tab) { p.send("Undo") }}, at("matching", me, "/settings/matching"),
		{"matching-paused", me, func(p *tab) { p.send("Pause") }}, at("asks-paused", me, "/asks"), at("inbox-paused", me, "/inbox"),
		{"matching-resumed", me, func(p *tab) { p.open("/settings/matching"); p.send("Resume") }},
		{"conversation-matched", me, func(p *tab) { p.open(p.find("/chat", ".conversation", "You were matched")) }},
	}
}

// keysWork is whether the keys of the inbox do something.
const keysWork = `!!document.querySelector("main[aria-keyshortcuts]")`

// testInbox decides with the keyboard, while the counts and the card of a match
// follow without a reload.
func testInbox(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	ben, other := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ben.signIn(s, "ben@example.org")
	other.signIn(s, "ada@example.org")
	ben.open("/people")
	ben.stays()
	other.open("/chat")
	publish := func(who, kind, terms string) {
		s.post(who, "/api/intents", fmt.Sprintf(`{"kind":%q,"terms":%q,"confirm":true}`, kind, terms))
	}
	publish("ada", "ask", "a ladder to borrow")
	publish("ben", "offer", "a ladder to borrow")
	publish("ada", "ask", "a bicycle pump")
	publish("ben", "offer", "a bicycle pump")
	counts := func(p *tab, n int) {
		t.Helper()
		p.until(fmt.Sprintf(`document.querySelector("#inbox-count").dataset.count === "%d"
			&& document.querySelector("#inbox-count").hidden === %v`, n, n == 0))
	}
	counts(ben, 2)
	counts(other, 2)
	ben.stayed()

	ben.open("/inbox")
	ben.until(keysWork)
	ben.keys("jj")
	ben.until(`document.activeElement === document.querySelectorAll(".inbox-item")[1]`)
	ben.keys("k")
	ben.until(`document.activeElement === document.querySelectorAll(".inbox-item")[0]`)
	ben.follow(func() { ben.keys("d") })
	ben.shows("The match is closed")
	counts(ben, 1)
	counts(other, 1)
	ben.until(keysWork + ` && document.activeElement === document.querySelector(".inbox-item")`)
	ben.follow(func() { ben.keys("a") })
	ben.shows("they see your sentence, and neither your name nor your answer", "All done")
	counts(other, 1)

	publish("ben", "offer", "three jars of honey")
	ben.stays()
	publish("ada", "ask", "three jars of honey")
	ben.shows("three jars of honey")
	ben.stayed()
	s.json("ben", "PATCH", "/api/social/preferences", `{"networkPaused":true}`)
	ben.open("/inbox")
	ben.until(keysWork)
	ben.shows("Matching is paused. Resume it to connect.")
	ben.keys("ja") // which does not approve: another key still decides
	ben.follow(func() { ben.keys("d") })
	ben.shows("The match is closed")
	s.json("ben", "PATCH", "/api/social/preferences", `{"networkPaused":false}`)

	ben.open("/chat")
	ben.stays()
	other.open("/asks")
	other.clickOn(`[...document.querySelectorAll("article")].filter(a => a.textContent.includes("ladder"))
		.map(a => a.querySelector("[value=approve]"))`)
	other.shows("You were matched", "One of you asks", "a ladder to borrow")
	ben.shows("You were matched")
	ben.stayed()
}
