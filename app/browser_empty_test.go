package app_test

import (
	"context"
	"fmt"
	"testing"
)

// emptyPage is a page that has nothing to show yet, and what can be done about it.
type emptyPage struct {
	path, says string
	press      string // the link to where it can be done; "" if it can be done on the page
	to         string // the path that it leads to; "" stays on the page
	field      string // the first field or link for it
}

// emptyPages returns the empty pages of somebody who is alone on a new server: list
// has no items, and notes no messages.
func emptyPages(list, notes string) []emptyPage {
	return []emptyPage{
		{"/", "No lists yet", "New list", "/list/new", "#title"},
		{"/", "No public lists yet", "New list", "/list/new", "#title"},
		{list, "No items yet", "Add an item", "", "#content"},
		{"/list/search?q=zzz", "No items found for “zzz”", "search messages", `/search\?q=zzz`, "#q"},
		{"/chat", "No conversations yet", "New message", "/chat/new", "#q"},
		{"/chat", "No conversations yet", "Rooms", "/chat/open", "#title"},
		{"/chat/open", "No rooms yet", "", "", "#title"},
		{"/chat/new?q=zzz", "No people found for “zzz”", "choose from all people", "/people", "#q"},
		{notes, "No messages yet", "", "", "#content"},
		{notes + "/stream", "No notes yet", "", "", "#text"},
		{"/search?q=zzz", "No messages found for “zzz”", "search lists and items", `/list/search\?q=zzz`, "#q"},
		{"/people", "No friends yet", "Your card", "/settings/card", "[name=enabled]"},
		{"/people", "Nobody else yet", "Invite people", "/invitations", "#expiresInDays"},
		{"/people?q=zzz", "No people found for “zzz”", "invite them", "/invitations", "#expiresInDays"},
		{"/asks", "Nothing open", "Write one sentence", "/asks/new", "#terms"},
		{"/stories", "You have no Story", "New Story", "/stories/new", "#text"},
		{"/drafts", "No drafts", "New ask or offer", "/asks/new", "#terms"},
		{"/inbox", "All done", "Asks & offers", "/asks", "main a[href='/asks/new']"},
		{"/thoughts", "No notes yet", "Write a note", "", "#text"},
		{"/thoughts?kind=fact", "Nothing here yet", "", "", "#text"},
		{"/settings/blocks", "Nobody is blocked", "People", "/people", "#q"},
		{"/settings/api-keys", "No keys yet", "", "", "#name"},
		{"/settings/webhooks", "No webhooks yet", "", "", "#url"},
		{"/settings/secretary", "No answers yet", "", "", "#question"},
	}
}

// A page that is empty says so, and has the form for what can be done about it, or
// leads there.
func testEmptyPages(t *testing.T, browser context.Context) {
	s := emptyBrowserServer(t)
	p := newTab(t, browser, s.base())
	p.claim(s, "Ada", "")
	for _, page := range emptyPages("", "") { // before there are a list and notes
		if page.path == "/" || page.path == "/chat" {
			p.check(page)
		}
	}
	p.open("/list/new")
	p.fill("#title", "Tools")
	p.send("Create list")
	list := eval[string](p, `location.pathname`)
	p.open("/thoughts")
	p.send("Files and voice notes")
	notes := eval[string](p, `location.pathname`)
	inWays(t, func(t *testing.T, w way) {
		defer p.in(t)()
		p.use(w)
		for _, page := range emptyPages(list, notes) {
			if page.path != "/chat" && page.path != "/" { // which has the list
				p.check(page)
			}
		}
	})
}

// check opens an empty page and follows its link.
func (p *tab) check(page emptyPage) {
	p.t.Helper()
	p.open(page.path)
	p.shows(page.says)
	if page.press == "" {
		p.ready(page)
		return
	}
	act := func() {
		p.clickOn(fmt.Sprintf(`[...document.querySelectorAll(".empty, .note")].filter(box => box.innerText.includes(%q))
			.flatMap(box => [...box.querySelectorAll("a")]).filter(a => a.textContent === %q)`, page.says, page.press))
	}
	if page.to == "" {
		act()
		p.until(fmt.Sprintf(`document.activeElement.matches(%q)`, page.field))
	} else {
		p.follow(act)
		p.at(page.to)
	}
	p.ready(page)
}

// ready checks that the field of a page can be seen and used.
func (p *tab) ready(page emptyPage) {
	p.t.Helper()
	if !eval[bool](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].some(el => el.checkVisibility() && !el.disabled)`, page.field)) {
		p.t.Errorf("%s (%s): there is no %s\n%s", page.path, page.says, page.field, p.state())
	}
}
