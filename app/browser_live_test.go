package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-json-experiment/json"
)

// An item that an agent without an account adds to an open list appears for
// everyone who has the list open. They also see how many they are.
func testOpenList(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	id := s.post("ada", "/api/lists", `{"title":"Finds","visibility":"public-edit"}`)
	ada, guest := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ada.open("/list/" + id)
	guest.open("/list/" + id)
	ada.stays()
	guest.stays()
	ada.until(`document.querySelector("#watching").innerText === "2 viewing"`)
	guest.until(`document.querySelector("#watching").innerText === "2 viewing, with Ada"`)
	var first string
	for i, words := range []string{"A heron", "An <b>otter</b>"} {
		first = addAsAgent(t, s, id, words)
		for _, p := range []*tab{ada, guest} {
			p.until(fmt.Sprintf(`document.querySelectorAll(".item").length === %d && document.querySelector("#item-%s .text").textContent === %q`,
				i+1, first, words))
			p.until(fmt.Sprintf(`document.querySelector("#item-%s .item-meta").textContent.startsWith("Anonymous (scout)")`, first))
		}
		ada.until(fmt.Sprintf(`document.querySelector("#count").textContent === "%d item%s"`, i+1, strings.Repeat("s", i)))
	}
	ada.until(`document.querySelector("#live").textContent === "One new item"`)
	if res := s.json("ada", "DELETE", "/api/lists/"+id+"/items/"+first, ""); res.status >= 300 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	guest.until(`document.querySelectorAll(".item").length === 1 && document.querySelector("#count").textContent === "1 item"`)
	guest.stayed()
	guest.fill("#content", "A pike")
	guest.follow(func() { guest.keys(kb.Enter) })
	guest.at(`/receipt/rc_.*`)
	ada.items("A heron", "A pike")
	ada.until(`document.querySelector(".item:last-child .item-meta bdi").textContent === "Anonymous"`)
	guest.open("/")
	ada.until(`!document.querySelector("#watching").checkVisibility()`)
	ada.stayed()
}

// addAsAgent adds an item over the network with the public key.
func addAsAgent(t *testing.T, s *browserServer, list, words string) (itemID string) {
	t.Helper()
	req, err := http.NewRequest("POST", s.base()+"/api/lists/"+list+"/items",
		strings.NewReader(fmt.Sprintf(`{"content":%q,"reporter":"scout"}`, words)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testPublicKey)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("adding: %s", res.Status)
	}
	var out struct {
		Item struct{ ID string } `json:"item"`
	}
	if err := json.UnmarshalRead(res.Body, &out, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	return out.Item.ID
}

// words is a JavaScript expression for the texts of the messages, in order.
const words = `[...document.querySelectorAll("#messages > .msg .bubble > .text")].map(p => p.textContent).join("|")`

// After a restart of the server, messages sent meanwhile appear, none appears
// twice, and those typed while it was down are sent by themselves, unless they
// were cancelled. Meanwhile a note says that there is no connection.
func testResume(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.send("ada", conversation, "before")
	ben := newTab(t, browser, s.base())
	ben.expect(`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET`)
	ben.signIn(s, "ben@example.org")
	ben.openConversation(conversation)
	s.send("ada", conversation, "live") // the stream is open
	ben.until(words + ` === "before|live"`)

	// The timers that try again do nothing, so that it is the stream that shows that
	// the server is back; that of the note is called here.
	eval[bool](ben, `(() => {
		const later = window.setTimeout;
		window.setTimeout = (act, ms, ...args) => ms < 1400 ? later(act, ms, ...args) : (ms === 3000 && (window.patience = act), -1);
		return true;
	})()`)
	s.reopen()
	ben.until(`!!window.patience && !document.querySelector("#connection")`)
	eval[bool](ben, `(window.patience(), true)`)
	for i := range 5 {
		s.send("ada", conversation, fmt.Sprint("missed ", i+1))
	}
	waits := func(text string) {
		ben.until(bubble(text) + `?.querySelector(".state").textContent.startsWith("Waiting for a connection")`)
	}
	for _, text := range []string{"typed offline", "regretted", "misspelt"} {
		ben.write(text)
		waits(text)
	}
	ben.shows("Reconnecting…")
	ben.clickIn("regretted", ".cancel")
	ben.clickIn("misspelt", ".rewrite")
	ben.until(`document.activeElement.value === "misspelt"`)
	ben.keys(" no more" + kb.Enter)
	waits("misspelt no more")
	s.listen()
	all := "before|live|missed 1|missed 2|missed 3|missed 4|missed 5"
	ben.until(words + ` === "` + all + `|typed offline|misspelt no more"`)
	ben.until(bubble("misspelt no more") + `?.matches(".own[data-id]:not(.sending):not(.waiting)") && !document.querySelector("#connection")`)
	all += "|typed offline|misspelt no more"
	s.send("ada", conversation, "live again")
	ben.until(words + ` === "` + all + `|live again"`)
	ben.stayed()
}

// A message whose response is lost exists once, whether or not it is sent again.
func testLostResponse(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.expect(`ERR_FAILED|net::ERR_CONNECTION_RESET`)
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	ada.openConversation(conversation)
	ben.openConversation(conversation)
	lost, stop := loseResponses(ada, 1)
	ada.write("once")
	ben.until(words + ` === "once"`)
	ada.until(words + ` === "once" && ` + bubble("once") + `.matches("[data-id]:not(.sending):not(.failed)")`)
	if lost.Load() != 0 {
		t.Error("no answer was lost")
	}

	// If the page cannot learn that it arrived, it is sent again by itself.
	stop()
	ada.withoutStream(s.ids["$id:ada"])
	ada.openConversation(conversation)
	lost, stop = loseResponses(ada, 1, "*/chat/updates*")
	defer stop()
	ada.write("twice?")
	ben.until(words + ` === "once|twice?"`)
	ada.until(bubble("twice?") + `?.matches("[data-id]:not(.sending):not(.failed)")`)
	ada.write("last")
	for _, p := range []*tab{ada, ben} {
		p.until(words + ` === "once|twice?|last"`)
		p.stayed()
	}
	if lost.Load() != 0 {
		t.Error("no answer was lost")
	}
}

// loseResponses lets n messages of p reach the server and drops the responses.
// Requests for the patterns in refuse fail before they get there. left is how
// many responses are still to be dropped.
func loseResponses(p *tab, n int32, refuse ...string) (left *atomic.Int32, stop func()) {
	p.t.Helper()
	left = &atomic.Int32{}
	left.Store(n)
	patterns := []*fetch.RequestPattern{{URLPattern: "*/messages", RequestStage: fetch.RequestStageResponse}}
	for _, pattern := range refuse {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: pattern, RequestStage: fetch.RequestStageRequest})
	}
	ctx, cancel := context.WithCancel(p.ctx)
	paused := chromedp.Events(ctx, fetch.RequestPaused)
	call(p, fetch.Enable, fetch.EnableParams{Patterns: patterns})
	go func() {
		for ev, err := range paused {
			if err != nil {
				return
			}
			fail := fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonFailed}
			switch {
			case ev.ResponseStatusCode == 0, left.Load() > 0:
				if ev.ResponseStatusCode != 0 {
					left.Add(-1)
				}
				_, err = chromedp.Call(ctx, fetch.FailRequest, fail)
			default:
				_, err = chromedp.Call(ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
			}
			if err != nil {
				return // the page of the request is closed
			}
		}
	}()
	return left, func() {
		cancel()
		call(p, fetch.Disable, cdp.Empty{})
	}
}

// A reader who scrolled up stays there when a message arrives, and is shown a note.
func testScroll(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.lines(conversation, 120)
	ben := signedIn(t, browser, s, "ben", 1280)
	s.readAll("ben", conversation)
	ben.openConversation(conversation)
	const top, end = `document.querySelector(".scroll").scrollTop`, `Math.abs(document.querySelector(".scroll").scrollTop) < 2`
	ben.until(end)
	s.send("ada", conversation, "at the end")
	ben.until(bubble("at the end") + ` && ` + end)
	s.untilRead("ben")

	eval[float64](ben, top+` = -900`)
	held := ben.hold()
	for i, pill := range []string{"1 new message", "2 new messages"} {
		s.send("ada", conversation, fmt.Sprintf("new %d\nand\nlong", i))
		ben.until(`document.querySelector("#pill").checkVisibility() && document.querySelector("#pill").textContent === "` + pill + `"`)
		held()
	}
	if n := s.unread("ben"); n != 2 {
		t.Errorf("%d unread, want the 2 that are below", n)
	}
	ben.click("#pill")
	ben.until(end + ` && !document.querySelector("#pill").checkVisibility()`)
	s.untilRead("ben")

	// Earlier messages load by themselves.
	eval[float64](ben, top+` = -99999`)
	held = ben.hold()
	ben.until(`document.querySelectorAll("#messages > .msg").length > 100`)
	held()
	ben.write("I am back")
	ben.until(bubble("I am back") + `?.matches("[data-id]") && ` + end)
	ben.stayed()
}

// unread returns how many unread messages a person has.
func (s *browserServer) unread(who string) (n int) {
	s.t.Helper()
	res := s.json(who, "GET", "/api/chat/unread-total", "")
	if _, err := fmt.Sscanf(string(res.body), `{"unreadTotal":%d}`, &n); err != nil {
		s.t.Fatalf("%v: %s", err, res.body)
	}
	return n
}

// readAll marks a conversation as read, elsewhere than in the browser.
func (s *browserServer) readAll(who, conversation string) {
	s.t.Helper()
	if res := s.json(who, "PATCH", "/api/chat/conversations/"+conversation+"/read", "{}"); res.status != 200 {
		s.t.Fatalf("%d %s", res.status, res.body)
	}
}

// untilRead waits until a person has no unread message.
func (s *browserServer) untilRead(who string) {
	s.t.Helper()
	end := time.Now().Add(patience)
	for tick := time.NewTicker(20 * time.Millisecond); s.unread(who) > 0; <-tick.C {
		if time.Now().After(end) {
			s.t.Fatalf("%s has unread messages that were shown", who)
		}
	}
}

// hold records where the topmost visible message is. The function it returns
// checks that it is still there.
func (p *tab) hold() func() {
	p.t.Helper()
	id := eval[string](p, `(edge => [...document.querySelectorAll("#messages > .msg")]
		.find(li => li.getBoundingClientRect().top >= edge).id)(document.querySelector(".scroll").getBoundingClientRect().top)`)
	where := fmt.Sprintf(`document.getElementById(%q).getBoundingClientRect().top`, id)
	was := eval[float64](p, where)
	return func() {
		p.t.Helper()
		if now := eval[float64](p, where); now-was > 1.5 || was-now > 1.5 {
			p.t.Errorf("the reader was moved: the line at %.1f is now at %.1f", was, now)
		}
	}
}

// Signing in and sending work with the keyboard alone, and the focus is visible.
func testKeyboard(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	s.send("ada", s.converse("", "ben"), "hello")
	p := newTab(t, browser, s.base())
	p.open("/")
	p.tabTo("Skip to content")
	p.tabTo("Sign in")
	p.follow(func() { p.keys(kb.Enter) })
	p.tabTo("#email") // it has the focus already
	p.keys("ben@example.org")
	p.tabTo("Get a code")
	p.follow(func() { p.keys(kb.Enter) })
	_, code := s.mailTo("ben@example.org")
	p.tabTo("#code")
	p.follow(func() { p.keys(code + kb.Enter) })
	p.shows("You are signed in.")
	p.tabTo("Chat 1 unread")
	p.follow(func() { p.keys(kb.Enter) })
	p.tabTo(".conversation")
	p.follow(func() { p.keys(kb.Enter) })
	p.until(`!document.querySelector("#send-hint").hidden`)
	p.tabTo("#content")
	p.keys("hello back" + kb.Enter)
	p.until(bubble("hello back") + `?.matches(".own[data-id]")`)
	p.tabTo("#content")
	p.keys("with the button")
	p.tabTo("Send")
	p.keys(kb.Enter)
	p.until(bubble("with the button") + `?.matches(".own[data-id]")`)
}

// tabTo presses Tab until the element with a label, or one that matches a
// selector, has the focus. The focus must be visible on everything on the way.
func (p *tab) tabTo(what string) {
	p.t.Helper()
	js := fmt.Sprintf(`(() => {
		const el = document.activeElement, what = %q;
		if (el === document.body) return "nothing";
		const box = el.closest("label.btn") ?? el; // a button that chooses files
		const r = box.getBoundingClientRect(), s = getComputedStyle(box);
		const ring = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0;
		if (r.width < 8 || r.height < 8 || r.bottom < 0 || r.top > innerHeight || r.right < 0 || r.left > innerWidth || !ring)
			return "unseen: " + el.outerHTML.slice(0, 200);
		const label = (el.getAttribute("aria-label") ?? el.innerText).trim().replace(/\s+/g, " ");
		return label === what || /^[#.]/.test(what) && el.matches(what) ? "there" : label;
	})()`, what)
	var way []string
	for range 60 {
		got := eval[string](p, js)
		if strings.HasPrefix(got, "unseen") {
			p.t.Errorf("the focus cannot be seen: %s", got)
		}
		if got == "there" {
			return
		}
		way = append(way, got)
		p.keys(kb.Tab)
	}
	p.t.Fatalf("Tab does not lead to %s, but to %q", what, way)
}
