package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
)

// requests returns how many requests for pages the server has answered, by
// their pattern, from its log.
func (s *browserServer) requests(pattern string) int {
	return strings.Count(s.log.String(), fmt.Sprintf("op=%q", pattern))
}

// A message that arrives costs a tab that shows the conversation no request, and
// no page is rendered again: the stream brings it.
func testUpdates(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation, other := s.converse("", "ben"), s.converse("Supper", "ben", "cleo")
	ben := newTab(t, browser, s.base())
	ben.signIn(s, "ben@example.org")
	ben.openConversation(conversation)
	s.send("ada", conversation, "hello")
	ben.until(words + ` === "hello"`) // the stream is open
	s.untilRead("ben")
	ben.until(unreadIs(0))

	const page, update = "GET /chat/{id}", "GET /chat/updates"
	pages, updates := s.requests(page), s.requests(update)
	if pages != 1 || updates != 0 {
		t.Errorf("%d pages and %d updates for one page and one message, want 1 and 0", pages, updates)
	}
	// The second message comes after everything that the first one causes. Nothing
	// else on the page is made again.
	eval[bool](ben, `(window.changed = [], new MutationObserver(list => {
		for (const { addedNodes, removedNodes } of list) for (const el of [...addedNodes, ...removedNodes])
			if (el.matches?.("li")) changed.push(el.className.split(" ")[0]);
	}).observe(document.querySelector("#messages"), { childList: true }), true)`)
	for i, text := range []string{"one", "two", "three"} {
		s.send("ada", conversation, text)
		ben.until(bubble(text) + ` !== null`)
		s.untilRead("ben")
		ben.until(unreadIs(0))
		if n := s.requests(update); n != 0 {
			t.Errorf("%d requests for %d messages", n, i+1)
		}
	}
	if got := eval[string](ben, `changed.join(" ")`); got != "msg msg msg" {
		t.Errorf("three messages added and removed the lines %q", got)
	}
	// A message elsewhere changes the row and the count, and so does reading it.
	s.send("ada", other, "elsewhere")
	ben.until(unreadIs(1) + ` && document.title.startsWith("(1) ") && document.querySelector("#conversations li").dataset.conversation === "` +
		other + `"`)
	ben.until(`document.querySelector(".conversation-unread .conversation-preview").textContent === "Ada: elsewhere"`)
	s.readAll("ben", other)
	ben.until(unreadIs(0) + ` && !document.querySelector(".conversation-unread") && !document.title.startsWith("(")`)
	if n := s.requests(update); n != 0 {
		t.Errorf("%d requests after 4 messages, one of them read elsewhere", n)
	}
	testBurst(ben, s, conversation)
	testRename(ben, s, other)
	if n := s.requests(page); n != pages+1 { // the second tab's
		t.Errorf("%d pages were rendered again", n-pages-1)
	}
	ben.stayed()
}

func unreadIs(n int) string {
	return fmt.Sprintf(`document.querySelector("#unread").dataset.count === "%d" && document.querySelector("#unread").hidden === %v`, n,
		n == 0)
}

// A new name shows in the column, and at the head of an open conversation.
func testRename(ben *tab, s *browserServer, group string) {
	rename := func(title string) { s.rename("ada", group, title) }
	rename("Breakfast")
	ben.until(`[...document.querySelectorAll(".conversation-name")].some(e => e.textContent === "Breakfast")`)
	second := ben.another()
	second.openConversation(group)
	rename("Lunch")
	second.until(`document.querySelector(".pane-head h1").textContent === "Lunch"
		&& document.querySelector("[aria-current] .conversation-name").textContent === "Lunch"`)
	second.stayed()
}

// Messages that come close together need no request either, and neither do edits, reactions and deletions.
func testBurst(ben *tab, s *browserServer, conversation string) {
	before := s.requests("GET /chat/updates")
	var want []string
	var last string
	for i := range 30 {
		want = append(want, fmt.Sprint("burst ", i+1))
		last = s.send("ada", conversation, want[i])
	}
	ben.until(words + fmt.Sprintf(`.endsWith(%q)`, strings.Join(want, "|")))
	s.untilRead("ben")
	ben.until(unreadIs(0))
	for _, act := range []struct{ method, path, body, shown string }{
		{"PATCH", "", `{"content":"edited"}`, `.querySelector(".bubble > .text").textContent === "edited"`},
		{"POST", "/reactions", `{"emoji":"👍"}`, `.querySelector(".reacts input[name=me]").value === document.body.dataset.me`},
		{"DELETE", "", "", `.matches(".deleted")`},
	} {
		if res := s.json("ada", act.method, "/api/chat/messages/"+last+act.path, act.body); res.status >= 300 {
			ben.t.Fatalf("%s: %d %s", act.method, res.status, res.body)
		}
		ben.until(fmt.Sprintf(`document.getElementById("m-%s")%s`, last, act.shown))
	}
	ben.until(`document.querySelector("[aria-current] .conversation-preview").textContent === "Message deleted"`)
	if n := s.requests("GET /chat/updates") - before; n > 0 {
		ben.t.Errorf("%d requests for 30 messages sent at once, one of them changed", n)
	}
}

// Ten messages cost a second tab no requests except to mark them as read, whether it shows the conversation or
// another page.
func testSecondTab(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	shown, other := s.converse("", "ben"), s.converse("Supper", "ben", "cleo")
	first := newTab(t, browser, s.base())
	first.signIn(s, "ben@example.org")
	first.openConversation(shown)
	second, elsewhere := first.another(), first.another()
	second.openConversation(shown)
	elsewhere.open("/people")
	for _, c := range []struct {
		tab          *tab
		page         string
		conversation string
		there        string
	}{
		{second, "the conversation", shown, words + `.endsWith("message %d")`},
		{elsewhere, "another page", other, `document.querySelector("#unread").dataset.count === "%d"`},
	} {
		const requests = `performance.getEntriesByType("resource").filter(r => !r.name.endsWith("/read")).length`
		before := 0
		for i := range 11 { // the first one shows that the stream is open
			s.send("ada", c.conversation, fmt.Sprint("message ", i+1))
			c.tab.until(fmt.Sprintf(c.there, i+1))
			if i == 0 {
				c.tab.settled()
				before = eval[int](c.tab, requests)
			}
		}
		c.tab.settled()
		n := eval[int](c.tab, requests) - before
		t.Logf("a tab that shows %s made %d requests for 10 messages", c.page, n)
		if n > 0 {
			t.Error("the stream should bring them")
		}
		s.readAll("ben", c.conversation)
		elsewhere.until(unreadIs(0))
	}
}

// A tab that opens beside one that has the stream misses nothing, and neither
// does the one that takes the stream over when that is closed.
func testTabs(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	first := newTab(t, browser, s.base())
	first.signIn(s, "ben@example.org")
	first.openConversation(conversation)
	s.send("ada", conversation, "one")
	first.until(words + ` === "one"`)
	second := first.another()
	second.openConversation(conversation)
	s.send("ada", conversation, "two")
	for _, p := range []*tab{first, second} {
		p.until(words + ` === "one|two"`)
	}
	first.open("/api/docs") // it closes its stream
	s.send("ada", conversation, "three")
	second.until(words + ` === "one|two|three"`)
	second.stayed()
	if n := s.requests("GET /chat/{id}"); n != 2 {
		t.Errorf("%d pages were rendered for two tabs", n)
	}

	// One that opens while no tab has the stream gets what happened before from that
	// which takes it over.
	eval[bool](first, fmt.Sprintf(`(navigator.locks.request("hearth-live-%s", () => new Promise(go => { window.letGo = go; })), true)`,
		s.ids["$id:ben"]))
	third, fourth := first.another(), first.another()
	third.openConversation(conversation)
	run := fourth.openWithout("app.js", "/chat/"+conversation)
	s.send("ada", conversation, "four")
	third.until(words + ` === "one|two|three|four"`)
	second.open("/api/docs")
	first.until(`!!window.letGo`)
	run()
	fourth.until(`!document.querySelector("#send-hint").hidden`)
	eval[bool](first, `(window.letGo(), true)`)
	s.send("ada", conversation, "five")
	for _, p := range []*tab{third, fourth} {
		p.until(words + ` === "one|two|three|four|five"`)
	}
}

// Pages of a session that is ended elsewhere lead to the sign-in page.
func testSignedOut(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	p := newTab(t, browser, s.base())
	p.expect(`401`)
	p.signIn(s, "ben@example.org")
	p.openConversation(conversation)
	if res := s.json("ben", "DELETE", "/api/auth/sessions", ""); res.status >= 300 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	p.until(`location.pathname === "/login"`)
}

// A list whose stream the server refuses for a while catches up afterwards.
func testListStream(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	id := s.post("ada", "/api/lists", `{"title":"Finds","visibility":"public","items":[{"content":"first"}]}`)
	p := newTab(t, browser, s.base())
	p.expect(`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|503|/items`)
	p.open("/list/" + id)
	p.stays()
	s.post("ada", "/api/lists/"+id+"/items", `{"content":"live"}`)
	p.until(`document.querySelectorAll(".item").length === 2`)

	refused, stop := refuse(p, "*/api/list/*/events*")
	s.reopen()
	s.post("ada", "/api/lists/"+id+"/items", `{"content":"missed"}`)
	s.listen()
	<-refused
	stop()
	p.until(`[...document.querySelectorAll(".item .text")].map(e => e.textContent).join("|") === "first|live|missed"`)
	s.post("ada", "/api/lists/"+id+"/items", `{"content":"live again"}`)
	p.until(`document.querySelectorAll(".item").length === 4 && document.querySelector("#count").textContent === "4 items"`)
	p.stayed()
	if n := s.requests("GET /list/{id}"); n != 1 {
		t.Errorf("the whole page was rendered %d times", n)
	}
}

// refuse answers requests of p for a pattern with 503. The channel gets a
// value when the first one was refused.
func refuse(p *tab, pattern string) (refused <-chan struct{}, stop func()) {
	p.t.Helper()
	first := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(p.ctx)
	paused := chromedp.Events(ctx, fetch.RequestPaused)
	call(p, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: pattern,
		RequestStage: fetch.RequestStageRequest}}})
	go func() {
		for ev, err := range paused {
			if err != nil {
				return
			}
			if _, err := chromedp.Call(ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: ev.RequestID,
				ResponseCode: 503}); err != nil {
				return // no longer requested
			}
			select {
			case first <- struct{}{}:
			default:
			}
		}
	}()
	return first, func() {
		cancel()
		call(p, fetch.Disable, cdp.Empty{})
	}
}
