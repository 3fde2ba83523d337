package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// clickIn clicks on the part of a message that a selector finds.
func (p *tab) clickIn(words, css string) {
	p.t.Helper()
	p.clickOn(fmt.Sprintf(`[%s?.querySelector(%q)].filter(Boolean)`, bubble(words), css))
}

// hide makes the page as if another tab were in front, or shows it again. The
// browser of the tests always shows its tabs.
func (p *tab) hide(hidden bool) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(Object.defineProperty(document, "hidden", { configurable: true, value: %v }),
		document.dispatchEvent(new Event("visibilitychange")))`, hidden))
}

// untilUnread waits until a person has so many unread messages.
func (s *browserServer) untilUnread(p *tab, who string, n int) {
	s.t.Helper()
	p.until(fmt.Sprintf(`fetch("/api/chat/unread-total").then(r => r.json()).then(r => r.unreadTotal === %d)`, n))
}

// shownLines is how many messages have been on the screen, from the first one on.
const shownLines = `[...document.querySelectorAll("#messages > .msg")].filter(li =>
	li.getBoundingClientRect().bottom <= document.querySelector(".scroll").getBoundingClientRect().bottom + 28).length`

// onScreen is whether a message is within what is shown of the conversation.
func onScreen(css string) string {
	return fmt.Sprintf(`((el, box) => el
		&& el.getBoundingClientRect().top >= box.top - 2 && el.getBoundingClientRect().top <= box.bottom)
		(document.querySelector(%q), document.querySelector(".scroll").getBoundingClientRect())`, css)
}

// unreadLine is whether the line is before a message.
func unreadLine(words string) string {
	return fmt.Sprintf(`document.querySelector("#unread-line")?.nextElementSibling.querySelector(".text").textContent === %q`, words)
}

// A conversation opens at the first unread message, wherever it is, and only
// what was on the screen of a visible page is read.
func testFirstUnread(t *testing.T, browser context.Context) {
	for _, width := range []int64{1280, 360} {
		s := newBrowserServer(t)
		conversation := s.converse("", "ben")
		s.lines(conversation, 130)
		ben := signedIn(t, browser, s, "ben", width)
		ben.open("/people")
		// on one line
		ben.until(`(r => { r.selectNodeContents(document.querySelector(".nav a[href='/chat'] .badge").firstElementChild);
			return r.toString() === "99+" && r.getClientRects().length === 1; })(document.createRange())`)
		ben.openConversation(conversation)
		// to read what it is for
		ben.until(`(f => f.scrollWidth <= f.clientWidth && f.clientWidth - parseFloat(getComputedStyle(f).paddingLeft) * 2 >= 100)
			(document.querySelector("#content"))`)
		ben.until(onScreen("#unread-line") + ` && ` + unreadLine("line 1"))
		ben.until(`/^1\d\d new messages$/.test(document.querySelector("#pill").textContent) && document.querySelector("#pill").checkVisibility()`)
		s.untilUnread(ben, "ben", 130-eval[int](ben, shownLines))

		// Later messages load by themselves, and are read as they are seen.
		for range 8 {
			eval[bool](ben, `(document.querySelector(".scroll").scrollTop = 0, true)`)
			ben.until(`(el => el.scrollTop === 0 || el.scrollTop < -100)(document.querySelector(".scroll"))`)
		}
		ben.until(`(document.querySelector(".scroll").scrollTop = 0, ` + bubble("line 130") + ` !== null)`)
		s.untilUnread(ben, "ben", 0)
		ben.until(`!document.querySelector("#pill").checkVisibility() && document.querySelector("#unread").hidden`)
		ben.stayed()

		// The page is live now, and has a line where one left it.
		ben.hide(true)
		for i := range 30 {
			s.send("ada", conversation, fmt.Sprint("while away ", i+1))
		}
		ben.until(bubble("while away 30") + ` !== null`)
		ben.settled()
		if n := s.unread("ben"); n != 30 {
			t.Errorf("%d unread in a hidden tab, want 30", n)
		}
		ben.until(unreadLine("while away 1"))
		ben.hide(false)
		ben.until(onScreen("#unread-line"))
		s.untilUnread(ben, "ben", 160-eval[int](ben, shownLines))
		ben.stayed()

		// Without scripts it opens there, too.
		ben.open("/people")
		ben.noScripts()
		ben.open("/chat/" + conversation)
		ben.until(onScreen("#unread-line"))
	}
}

// late has the page get what it reads from addresses with part in them only once
// window.deliver is called.
func (p *tab) late(part string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => {
		const real = window.fetch, late = new Promise(resolve => { window.delivered = resolve; });
		window.fetch = async (address, options) => {
			const response = await real(address, options);
			if (!String(address).includes(%q)) return response;
			const text = await response.text();
			window.deliver = window.delivered;
			await late;
			return new Response(text);
		};
		return true;
	})()`, part))
}

// A page that was read before the last messages were does not bring their number
// back.
func testStalePage(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.lines(conversation, 60)
	ben := signedIn(t, browser, s, "ben", 1280)
	ben.openConversation(conversation)
	ben.until(onScreen("#unread-line"))
	ben.late("newest=1") // which is read once the newest message is there
	ben.until(`(document.querySelector(".scroll").scrollTop = 0, !!window.deliver)`)
	s.untilUnread(ben, "ben", 0)
	eval[bool](ben, `(document.querySelector("#conversations").dataset.before = "", window.deliver(), true)`)
	ben.until(`!("before" in document.querySelector("#conversations").dataset)`)
	ben.until(`document.querySelector("#unread").hidden && !document.querySelector(".conversation-unread")`)
	ben.hide(true)
	s.send("ada", conversation, "while away")
	ben.until(unreadLine("while away"))
	// What was read in another tab was not missed in this one.
	other := ben.another()
	other.openConversation(conversation)
	s.untilUnread(other, "ben", 0)
	s.send("ada", conversation, "later")
	ben.until(unreadLine("later"))
	ben.stayed()
}

// The newest part is a click away; what is between stays unread until the reader
// says otherwise.
func testNewest(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.lines(conversation, 120)
	ben := signedIn(t, browser, s, "ben", 360)
	ben.openConversation(conversation)
	s.untilUnread(ben, "ben", 120-eval[int](ben, shownLines))
	left := s.unread("ben")
	ben.follow(func() { ben.click("#pill") })
	ben.until(bubble("line 120") + ` !== null && !document.querySelector("#send-hint").hidden`)
	ben.shows(fmt.Sprintf("%d new messages above", left))
	ben.settled()
	if n := s.unread("ben"); n != left {
		t.Errorf("%d unread after a look at the newest, want %d", n, left)
	}
	ben.follow(func() { ben.press("Mark all as read") })
	ben.until(`!document.querySelector("#gap").checkVisibility()`)
	s.untilUnread(ben, "ben", 0)
}

// The address of a message opens the conversation around it, also without
// scripts; both ends load by themselves, and quotes lead there.
func testMessageAddress(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	ids := s.lines(conversation, 160)
	s.post("ada", "/api/chat/conversations/"+conversation+"/messages", fmt.Sprintf(`{"content":"an answer","replyToId":%q}`, ids[79]))
	for _, width := range []int64{1280, 360} {
		ada := signedIn(t, browser, s, "ada", width)
		ada.openConversation(conversation)
		ada.follow(func() { ada.clickIn("an answer", ".quote") })
		ada.at("/chat/" + conversation + `\?at=` + ids[79])
		ada.until(onScreen(".marked") + ` && document.querySelector(".marked .text").textContent === "line 80"
			&& !document.querySelector("#send-hint").hidden`)
		ada.stays()
		ada.until(`(document.activeElement.blur(), getComputedStyle(document.querySelector(".marked .bubble")).outlineStyle === "solid")`)
		eval[bool](ada, `(document.querySelector(".scroll").scrollTop = -99999, true)`)
		ada.until(bubble("line 30") + ` !== null`)
		ada.until(`(document.querySelector(".scroll").scrollTop = 0, ` + bubble("line 160") +
			` !== null && document.querySelector(".pane").dataset.latest === "")`)
		text := fmt.Sprint("live at ", width)
		s.send("ben", conversation, text)
		ada.until(bubble(text) + ` !== null`)
		all := eval[string](ada, words)
		if n := strings.Count(all, "|"); n < 130 || strings.Count(all, "line 100|") != 1 {
			t.Errorf("the page has %d messages: %s", n, all)
		}
		ada.clickIn("an answer", ".quote")
		ada.until(onScreen(".marked"))
		ada.stayed()

		call(ada, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		ada.open("/chat/" + conversation + "?at=" + ids[79])
		ada.until(onScreen(".marked"))
		ada.follow(func() { ada.press("Earlier messages") })
		ada.until(bubble("line 30") + ` !== null`)
	}
}

// What was typed and not sent is there again after a reload, and after a restart
// of the browser's page; it is gone after signing out.
func testDrafts(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.send("ada", conversation, "Soup?")
	ben := signedIn(t, browser, s, "ben", 1280)
	ben.expect(`ERR_FAILED|net::ERR_CONNECTION_RESET|503`)
	ben.openConversation(conversation)
	ben.clickIn("Soup?", "a.reply")
	ben.keys("not sent yet")
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value === "not sent yet" && document.querySelector("#replying").innerText.includes("Soup?")`)
	ben.keys(kb.Escape)
	ben.until(`document.querySelector("#replying").hidden && document.querySelector("#content").value === "not sent yet"`)

	// A message that is not sent yet survives, too, and is sent once.
	refused, stop := refuse(ben, "*/messages")
	ben.click("#content")
	ben.keys(kb.Enter)
	<-refused
	ben.until(bubble("not sent yet") + `?.matches(".waiting")`)
	ben.openConversation(conversation)
	ben.until(bubble("not sent yet") + `?.matches(".sending, .waiting") && document.querySelector("#content").value.trim() === ""`)

	stop()
	ben.until(bubble("not sent yet") + `?.matches("[data-id]:not(.sending):not(.waiting)")`)
	ben.openConversation(conversation)
	ben.until(words + ` === "Soup?|not sent yet"`)

	// Another page of the server sends what waits, too.
	refused, stop = refuse(ben, "*/messages")
	ben.write("from elsewhere")
	<-refused
	ben.until(bubble("from elsewhere") + `?.matches(".waiting")`)
	ben.click("#content")
	ben.keys("a draft")
	stop()
	ben.open("/people")
	ben.until(`Object.keys(localStorage).filter(key => key.includes("-out-")).length === 0
		&& Object.keys(localStorage).some(key => key.includes("-draft-"))`)

	// Others who use this browser do not get it, also when ben does not sign out.
	ben.signIn(s, "ada@example.org")
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value.trim() === ""`)
	ben.signIn(s, "ben@example.org")
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value === "a draft"`)
	refused, stop = refuse(ben, "*/messages")
	ben.keys(" and a message" + kb.Enter)
	<-refused
	ben.keys("another draft")
	ben.until(`["-out-", "-draft-"].every(kind => Object.keys(localStorage).some(key => key.includes(kind)))`)
	// It stays while ben is signed in: a deletion that is refused drops nothing.
	ben.expect(`422`)
	ben.open("/settings/delete")
	ben.fill("#address", "not-me@example.org")
	ben.send("Delete my account")
	ben.until(`document.querySelector("#address-error")
		&& ["-out-", "-draft-"].every(kind => Object.keys(localStorage).some(key => key.includes(kind)))`)
	ben.open("/people")
	ben.follow(func() { ben.click(`.foot form[action="/logout"] button`) })
	ben.until(`Object.keys(localStorage).every(key => !key.startsWith("hearth-"))`)
	stop()
	ben.signIn(s, "ben@example.org")
	ben.openConversation(conversation)
	ben.until(words + ` === "Soup?|not sent yet|from elsewhere" && document.querySelector("#content").value.trim() === ""`)
}

// testReadingLooks looks at what a conversation shows while something is missing.
func testReadingLooks(t *testing.T, browser context.Context) {
	for _, width := range []int64{1280, 360} {
		s := newBrowserServer(t)
		conversation := s.converse("", "ben")
		s.lines(conversation, 70)
		ben := signedIn(t, browser, s, "ben", width)
		ben.expect(`ERR_FAILED|503`)
		ben.openConversation(conversation)
		ben.look(fmt.Sprint("first-unread-", width))
		ben.open("/chat/" + conversation + "?newest=1")
		ben.until(`!document.querySelector("#send-hint").hidden`)
		text := fmt.Sprint("waits for the server, at ", width)
		refused, stop := refuse(ben, "*/messages")
		ben.write(text)
		<-refused
		ben.until(bubble(text) + `?.matches(".waiting")`)
		ben.look(fmt.Sprint("waiting-", width))
		stop()
		ben.until(bubble(text) + `?.matches("[data-id]:not([data-local])")`)
		ben.follow(func() { ben.press("Mark all as read") })
		ben.until(`!document.querySelector("#gap").checkVisibility()`)
		ben.until(`!document.querySelector("#send-hint").hidden`)
		ben.follow(func() { ben.clickIn("line 69", ".msg-acts button") })
		ben.shows("Marked as unread.")
		ben.until(unreadIs(2))
		ben.openConversation(conversation)
		ben.until(unreadLine("line 69"))
		s.untilUnread(ben, "ben", 0)
		ben.look(fmt.Sprint("read-", width))
	}
}
