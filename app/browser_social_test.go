package app_test

import "fmt"

// socialLooks returns the pages of asks, offers and Stories of the demo
// community.
func socialLooks(me *tab) []look {
	me.expect(`422 .*/asks/preview$`)
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
		at("asks", me, "/asks"), {"asks-ended", me, func(p *tab) { p.open("/asks"); p.press("1 closed match"); p.clickOn(`[...document.querySelectorAll("summary")].slice(-1)`) }},
		{"ask-new", me, func(p *tab) {
			ask(p)
			p.clickOn(`document.querySelectorAll("[name=who][value=chosen]")`)
		}},
		{"ask-new-wrong", me, func(p *tab) { ask(p); p.fill("#terms", " "); p.send("Preview") }},
		{"ask-preview", me, func(p *tab) { ask(p); p.send("Preview") }},
		at("drafts", me, "/drafts"), {"draft", me, func(p *tab) { link(p, "/drafts", "main li .btn:not(.btn-main)") }},
		{"draft-publish", me, func(p *tab) { link(p, "/drafts", "main li .btn-main") }},
		{"draft-preview", me, func(p *tab) { link(p, "/drafts", "main li .btn-main"); p.send("Preview") }},
		at("stories", me, "/stories"), at("story-new", me, "/stories/new"),
		{"story-preview", me, func(p *tab) {
			p.open("/stories/new")
			p.fill("#text", "Flour is here. Come and fetch it until six.")
			p.clickOn(`document.querySelectorAll("[name=in]")`)
			p.send("Preview")
		}},
		{"story-reply", me, reply}, {"story-reply-preview", me, func(p *tab) { reply(p); p.send("Preview") }},
		at("review", me, "/review"), at("matching", me, "/settings/matching"),
		{"conversation-matched", me, func(p *tab) { p.open(p.find("/chat", ".conversation", "You were matched")) }},
	}
}
