package app_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// join opens an invitation and makes an account with it.
func (p *tab) join(link, name string) {
	p.t.Helper()
	p.open(link)
	p.fill("#name", name)
	p.send("Join")
	p.until(`document.title.startsWith("Everyone")`)
}

// Members may invite people once an administrator allows it. A link is copied with
// its button. Who joins and who leaves a group shows in it at once, and is not
// unread.
func testMembers(t *testing.T, browser context.Context) {
	inWays(t, func(t *testing.T, w way) {
		s := emptyBrowserServer(t)
		admin, ben, cleo := w.newTab(t, browser, s), w.newTab(t, browser, s), w.newTab(t, browser, s)
		setUp(admin, s)
		ben.join(admin.invitation(s), "Ben")
		ben.open("/people")
		ben.until(`!document.querySelector("main a[href='/invitations']")`)
		ben.open("/invitations")
		ben.shows("Only administrators can invite people here.")
		admin.open("/admin/settings")
		admin.click("[name=memberInvites]")
		admin.send("Save")
		link := ben.invitation(s)
		if w.scripts {
			ben.copies()
		}
		cleo.open(link)
		cleo.shows("Ben invites you to join.")
		admin.openOn("/home", w.scripts)
		cleo.join(link, "Cléo")
		comeAndGo(admin, cleo, w.scripts)
	})
}

// copies presses the button beside an invite link.
func (p *tab) copies() {
	p.t.Helper()
	eval[bool](p, `(navigator.clipboard.writeText = async text => { window.copied = text; }, true)`)
	p.press("Copy invite link")
	p.until(`window.copied === document.querySelector(".secret").textContent
		&& document.querySelector(".copy").textContent === "Copied"
		&& document.querySelector("#live").textContent === "Copied"`)
}

// comeAndGo has cleo, who has just joined the group that admin has open, leave it.
func comeAndGo(admin, cleo *tab, scripts bool) {
	admin.t.Helper()
	group := eval[string](admin, `location.pathname`)
	again := func() {
		if !scripts {
			admin.open(group)
		}
	}
	again()
	admin.shows("Cléo joined")
	cleo.open(group + "/people")
	cleo.click("[name=sure]")
	cleo.send("Leave group")
	cleo.shows("You left the group.")
	again()
	admin.shows("Cléo left")
	admin.until(`document.querySelector("#unread").hidden`)
	admin.open("/search?q=left")
	admin.shows("No messages found for “left”")
}

// A message is marked as unread: its conversation is unread, and opens there.
func testMarkUnread(t *testing.T, browser context.Context) {
	inWays(t, func(t *testing.T, w way) {
		s := newBrowserServer(t)
		conversation := s.converse("", "ben")
		s.lines(conversation, 3)
		ben := signedIn(t, browser, s, "ben", w.width)
		ben.use(w)
		ben.openOn("/chat/"+conversation, w.scripts)
		s.untilUnread(ben, "ben", 0)
		ben.follow(func() { ben.clickIn("line 2", "[form=mark-unread]") })
		ben.at("/chat.*")
		ben.until(`document.querySelector(".conversation-unread .badge").firstElementChild.textContent === "2"`)
		s.untilUnread(ben, "ben", 2)
		ben.open("/chat/" + conversation)
		ben.until(unreadLine("line 2"))
	})
}

// The field that edits a long message shows its end, where the caret is.
func testLongEdit(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.send("ada", conversation, strings.Repeat("a line of many\n", 40)+"the end")
	for _, width := range []int64{1280, 360} {
		ada := signedIn(t, browser, s, "ada", width)
		ada.openConversation(conversation)
		ada.click("#content")
		ada.follow(func() { ada.keys(kb.ArrowUp) })
		ada.until(`(f => document.activeElement === f && f.selectionStart === f.value.length
			&& f.scrollTop + f.clientHeight >= f.scrollHeight - 2 && f.clientHeight > 200)
			(document.querySelector("#edit-content"))`)
	}
}
