package app_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
)

// openWithout opens a page whose script waits until run is called.
func (p *tab) openWithout(script, path string) (run func()) {
	p.t.Helper()
	call(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(p, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/" + script + "*",
		RequestStage: fetch.RequestStageRequest}}})
	call(p, page.Navigate, page.NavigateParams{URL: p.base + path})
	p.until(`location.href === "` + p.base + path + `" && document.readyState !== "loading"`)
	return func() { call(p, fetch.Disable, cdp.Empty{}) }
}

// A draft is not lost to what is typed before the script of the page runs, nor to
// what another tab writes and sends.
func testKeptDrafts(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	ben := signedIn(t, browser, s, "ben", 1280)
	ben.openConversation(conversation)
	other := ben.another()
	other.openConversation(conversation)
	ben.click("#content")
	ben.keys("a draft")
	run := ben.openWithout("chat.js", "/chat/"+conversation)
	ben.click("#content")
	ben.keys("and")
	run()
	ben.until(`document.querySelector("#content").value === "a draft\nand"`)
	ben.keys(" more")

	other.write("from the other tab")
	other.until(bubble("from the other tab") + `?.matches("[data-id]:not([data-local])")`)
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value === "a draft\nand more"`)
	ben.click("#content")
	ben.keys(kb.Enter)
	ben.until(bubble("a draft\nand more") + `?.matches("[data-id]:not([data-local])")`)
	ben.openConversation(conversation)
	for tab, text := range map[*tab]string{ben: "one", other: "two"} {
		tab.click("#content")
		tab.keys(text)
	}
	for tab, text := range map[*tab]string{ben: "one", other: "two"} { // each has its own
		tab.openConversation(conversation)
		tab.until(`document.querySelector("#content").value === "` + text + `"`)
	}
	third := ben.another()
	third.openConversation(conversation)
	shared := eval[string](third, `document.querySelector("#content").value`)
	third.fill("#content", "three")
	for tab, text := range map[*tab]string{ben: "one", other: "two"} { // one of them is what the third tab has begun with
		if text == shared {
			text = "three"
		}
		tab.until(`document.querySelector("#content").value === "` + text + `"`)
	}
	for _, tab := range []*tab{third, ben, other} {
		tab.click("#content")
		tab.keys(kb.Enter)
	}
	for _, text := range []string{"three", map[string]string{"one": "two", "two": "one"}[shared]} {
		ben.until(bubble(text) + `?.matches("[data-id]:not([data-local])")`)
	}
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value === "" && Object.keys(localStorage).every(key => !key.includes("-draft-"))`)
}

// A message that was corrected after its response was lost is sent as it is now, also
// when the page, which has it as it was, is loaded again.
func testCorrection(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	ada := signedIn(t, browser, s, "ada", 1280)
	ada.expect(`ERR_FAILED|409|503`)
	s.send("ben", conversation, "hello")
	listen := ada.withoutStream(s.ids["$id:ada"])
	ada.openConversation(conversation)
	ada.until(words + ` === "hello"`)
	eval[bool](ada, `(() => {
		const later = window.setTimeout;
		window.setTimeout = (act, ms, ...args) => ms < 1400 ? later(act, ms, ...args) : -1; // nothing is tried again
		return true;
	})()`)
	ada.queue("/chat/updates") // it does not learn what arrived
	_, stop := loseResponses(ada, 1)
	ada.write("misspelt")
	ada.until(bubble("misspelt") + `?.matches(".waiting")`)
	stop()
	refused, stop := refuse(ada, "*/messages")
	ada.clickIn("misspelt", ".rewrite")
	ada.until(`document.activeElement.value === "misspelt"`)
	ada.keys(" no more" + kb.Enter)
	<-refused
	ada.until(bubble("misspelt no more") + `?.matches(".waiting")`)
	ada.openConversation(conversation)
	ada.until(words + ` === "hello|misspelt"`)
	listen()
	stop()
	ada.until(words + ` === "hello|misspelt no more" && Object.keys(localStorage).every(key => !key.includes("-out-"))`)
	ada.stayed()
}

// A correction that the server refuses, because the message was deleted meanwhile, is
// shown with its text: at the end of the conversation, also to somebody who was reading
// far above it. It can be sent as a new message.
func testRefusedCorrection(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	first := s.lines(conversation, 120)[0]
	ada := signedIn(t, browser, s, "ada", 1280)
	ada.expect(`ERR_FAILED|404|409|503`)
	refused := func(text string) string {
		return bubble(text) + `?.matches(".failed") && ` + bubble(text) + `.querySelector(".state").textContent.startsWith("Not sent.")`
	}
	ada.withoutStream(s.ids["$id:ada"])
	for text, path := range map[string]string{"at the end": "", "far above": "?at=" + first} {
		ada.openConversation(conversation)
		stop := ada.correctDeleted(s, text)
		ada.openConversation(conversation + path)
		if (path == "") != eval[bool](ada, `"latest" in document.querySelector(".pane").dataset`) {
			t.Fatalf("the page is not %s", text)
		}
		stop()
		ada.until(`Object.keys(localStorage).some(key => key.includes("-out-") && JSON.parse(localStorage[key]).failed)`)
		if path != "" {
			ada.settled()
			if eval[bool](ada, bubble(text+", corrected")+` !== null`) {
				t.Error("the correction is shown between other messages")
			}
		}
		ada.until(`(document.querySelector(".scroll").scrollTop = 0, ` + refused(text+", corrected") + `)`)
		ada.stayed()
		ada.openConversation(conversation)
		ada.until(refused(text + ", corrected"))
		ada.clickIn(text+", corrected", ".rewrite")
		ada.until(`document.activeElement.value === "` + text + `, corrected"`)
		ada.keys(" again" + kb.Enter)
		ada.until(bubble(text+", corrected again") +
			`?.matches("[data-id]:not([data-local])") && Object.keys(localStorage).every(key => !key.includes("-out-"))`)
	}
}

// correctDeleted sends a message whose response is lost, and corrects it while nothing
// can be sent, until stop is called. Meanwhile the message is deleted elsewhere.
func (p *tab) correctDeleted(s *browserServer, text string) (stop func()) {
	p.t.Helper()
	eval[bool](p, `(() => {
		const later = window.setTimeout;
		window.setTimeout = (act, ms, ...args) => ms < 1400 ? later(act, ms, ...args) : -1; // nothing is tried again
		return true;
	})()`)
	p.queue("/chat/updates") // it does not learn what arrived
	_, stop = loseResponses(p, 1)
	p.write(text)
	p.until(bubble(text) + `?.matches(".waiting")`)
	id := eval[string](p, bubble(text)+`.id.slice(2)`)
	stop()
	refused, stop := refuse(p, "*/messages")
	p.clickIn(text, ".rewrite")
	p.until(`document.activeElement.value === "` + text + `"`)
	p.keys(", corrected" + kb.Enter)
	<-refused
	p.until(bubble(text+", corrected") + `?.matches(".waiting")`)
	if res := s.json("ada", "DELETE", "/api/chat/messages/"+id, ""); res.status != 200 {
		p.t.Fatalf("%d %s", res.status, res.body)
	}
	return stop
}
