package app_test

import (
	"context"
	"fmt"
	"testing"
)

// queue has the responses from addresses that match a pattern wait in the page until
// each is delivered.
func (p *tab) queue(pattern string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => {
		const real = window.fetch, waiting = window.waiting = [];
		window.fetch = async (address, options) => {
			const response = await real(address, options);
			if (!new RegExp(%q).test(address)) return response;
			const text = await response.text();
			const status = await new Promise(resolve => waiting.push(resolve));
			return new Response(text, { status });
		};
		return true;
	})()`, pattern))
}

// waiting waits until n responses wait.
func (p *tab) waiting(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf(`window.waiting.length === %d`, n))
}

// deliver lets the page have one of the responses that wait, with a status.
func (p *tab) deliver(at, status int) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(window.waiting.splice(%d, 1)[0](%d), true)`, at, status))
}

// missed has the page learn that it missed events, as when the browser keeps it
// while another page is shown.
func (p *tab) missed() {
	p.t.Helper()
	eval[bool](p, `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
}

// rename gives a group another title.
func (s *browserServer) rename(who, id, title string) {
	s.t.Helper()
	if res := s.json(who, "PATCH", "/api/chat/conversations/"+id, fmt.Sprintf(`{"title":%q}`, title)); res.status != 200 {
		s.t.Fatalf("%d %s", res.status, res.body)
	}
}

// A page that missed events is read again, as often as that happens, and what was
// read before does not replace what is newer.
func testMissedEvents(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	group, other := s.converse("Breakfast", "ben", "cleo"), s.converse("Garden", "ben", "cleo")
	ben := signedIn(t, browser, s, "ben", 1280)
	ben.openConversation(group)
	s.send("ada", group, "hello") // the stream is open
	ben.until(words + ` === "hello"`)
	rename := func(id, title string) { s.rename("ada", id, title) }
	head := `document.querySelector(".pane-head h1").textContent`
	rows := `[...document.querySelectorAll(".conversation-name")].map(e => e.textContent).sort().join()`

	// The head of the conversation is read with the page.
	eval[bool](ben, head+` = "old", true`)
	ben.missed()
	ben.until(head + ` === "Breakfast"`)

	ben.queue("/chat/updates|newest=1")
	rename(other, "Flowers")
	ben.waiting(1) // a row
	ben.missed()
	ben.waiting(2) // and a whole page
	ben.missed()
	ben.deliver(1, 200)
	ben.until(rows + ` === "Breakfast,Flowers"`)
	ben.waiting(2) // the page is read once more
	rename(other, "Trees")
	ben.deliver(1, 503)
	ben.waiting(2)
	ben.deliver(1, 200)
	ben.until(rows + ` === "Breakfast,Trees"`)
	rename(other, "Bees")
	ben.waiting(2)
	ben.deliver(1, 200)
	ben.until(rows + ` === "Bees,Breakfast"`)
	ben.deliver(0, 200) // the row with the name it had at first
	ben.settled()
	if got := eval[string](ben, rows); got != "Bees,Breakfast" {
		t.Errorf("an earlier response is shown: %s", got)
	}
	ben.stayed()
}

// The parts of a page that follow events show what was read last, and are read again
// after a failure.
func testLateParts(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	s.token("ben")
	p := signedIn(t, browser, s, "ada", 1280)
	p.open("/people")
	p.stays()
	act := func(who, path string) {
		t.Helper()
		if res := s.json(who, "POST", s.fillIDs(path), ""); res.status >= 300 {
			t.Fatalf("%s: %d %s", path, res.status, res.body)
		}
	}
	act("ben", "/api/friends/users/$id:ada/request")
	shown := func(who string, yes bool) string {
		return fmt.Sprintf(`(document.querySelector("#incoming")?.parentElement.innerText ?? "").includes(%q) === %v`, who, yes)
	}
	p.until(shown("Ben", true)) // the stream is open
	p.queue("/people$")
	act("ben", "/api/friends/users/$id:ada/cancel")
	p.waiting(1)
	act("cleo", "/api/friends/users/$id:ada/request")
	p.waiting(2)
	p.deliver(1, 200)
	p.until(shown("Cléo", true) + ` && ` + shown("Ben", false))
	p.deliver(0, 200)
	p.settled()
	if !eval[bool](p, shown("Cléo", true)) {
		t.Error("an earlier response is shown")
	}
	act("cleo", "/api/friends/users/$id:ada/cancel")
	p.waiting(1)
	p.deliver(0, 503)
	p.waiting(1)
	p.deliver(0, 200)
	p.until(shown("Cléo", false))
	p.stayed()
}

// After more missed messages than one update has, a page shows the newest ones instead
// of those it has, but not while a message is being edited.
func testEditMeanwhile(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.send("ada", conversation, "Soup")
	ada := signedIn(t, browser, s, "ada", 1280)
	ada.expect(`503`)
	ada.withoutStream(s.ids["$id:ada"])
	ada.openConversation(conversation)
	ada.edit("Soup")
	ada.stays()
	ada.keys(" and bread")
	for i := range 51 {
		s.send("ben", conversation, fmt.Sprint("missed ", i+1))
	}
	eval[bool](ada, `(document.querySelector("#conversations").dataset.before = "", true)`)
	ada.missed()
	ada.until(`!("before" in document.querySelector("#conversations").dataset)`)
	ada.until(`document.querySelector("#edit-content")?.value === "Soup and bread"
		&& document.querySelector("#pill").textContent === "51 new messages"`)
	ada.settled()
	if n := s.unread("ada"); n != 51 {
		t.Errorf("%d unread, want the 51 that are not on the page", n)
	}
	ada.stayed()
	ada.follow(func() { ada.press("Save") })
	ada.until(bubble("Soup and bread") + ` !== null`)
}

// withoutStream has the page of p, from the next one on, get no events until listen is called: a tab that
// listens to none holds the lock.
func (p *tab) withoutStream(me string) (listen func()) {
	p.t.Helper()
	holder := p.another()
	holder.open("/api/docs")
	eval[bool](holder, fmt.Sprintf(`(navigator.locks.request("hearth-live-%s",
		() => (window.held = true, new Promise(go => { window.letGo = go; }))), true)`, me))
	p.open("/api/docs")
	holder.until(`window.held`)
	return func() { eval[bool](holder, `(window.letGo(), true)`) }
}

// listens notes the events that the page gets from now on, and has what it reads wait
// as queue does.
func (p *tab) listens() {
	p.t.Helper()
	eval[bool](p, `(window.heard = [], window.channel = new BroadcastChannel("hearth-live-" + document.body.dataset.me),
		channel.onmessage = ({ data }) => heard.push(data.name), true)`)
	p.queue("/chat/updates|newest=1")
}

// hears waits for an event, and delivers what was read before.
func (p *tab) hears(name string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`heard.splice(0).includes(%q)`, name))
	p.deliver(0, 200)
}

// delivered waits until a condition holds, while everything is delivered.
func (p *tab) delivered(js string) {
	p.t.Helper()
	p.until(`(window.waiting.splice(0).forEach(answer => answer(200)), ` + js + `)`)
}

// An event about what is being read has it read again: the response may be from before.
func testEventsMeanwhile(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation, others := s.converse("", "ben"), []string{s.converse("Breakfast", "ben", "cleo"), s.converse("Garden", "ben", "cleo")}
	s.send("ada", others[0], "elsewhere")
	ben := signedIn(t, browser, s, "ben", 1280)
	ben.openConversation(conversation)
	s.send("ada", conversation, "hello") // the stream is open
	ben.until(words + ` === "hello"`)
	s.untilUnread(ben, "ben", 1)
	ben.until(unreadIs(1))
	ben.listens()

	s.rename("ada", others[1], "Trees")
	ben.waiting(1) // its row
	s.send("ada", others[1], "elsewhere, too")
	s.readAll("ben", others[0])
	ben.hears("read.updated")
	ben.delivered(unreadIs(1) + ` && document.querySelector("#conversations li").dataset.unread === "1"`)

	remove := func(who, path string) {
		t.Helper()
		if res := s.json(who, "DELETE", path, ""); res.status >= 300 {
			t.Fatalf("%d %s", res.status, res.body)
		}
	}
	id := s.send("ada", conversation, "regretted")
	ben.delivered(words + ` === "hello|regretted"`)
	ben.missed()
	ben.waiting(1) // a whole page
	s.send("ada", conversation, "meanwhile")
	remove("ada", "/api/chat/messages/"+id)
	ben.hears("message.deleted")
	ben.delivered(words + ` === "hello|Message deleted|meanwhile"`)
	ben.stayed()

	// Whoever deletes their account deletes all that they wrote.
	ben.openConversation(others[1])
	s.send("cleo", others[1], "before")
	ben.until(words + ` === "elsewhere, too|before"`)
	ben.listens()
	s.send("cleo", others[1], "goodbye")
	ben.until(words + ` === "elsewhere, too|before|goodbye"`)
	remove("cleo", "/api/auth/me")
	ben.until(`heard.includes("messages.redacted")`)
	ben.delivered(words + ` === "elsewhere, too|Message deleted|Message deleted"`)
	ben.stayed()
}
