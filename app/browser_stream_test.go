package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A reaction is chosen with the keyboard, shows to others at once, and is removed
// with its button. No page is loaded again.
func testReactions(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("Supper", "ben")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	ada.openConversation(conversation)
	ben.openConversation(conversation)
	ben.write("Soup is on")
	msg := bubble("Soup is on")
	ada.until(`!!` + msg)
	eval[bool](ada, fmt.Sprintf(`(%s.querySelector(".react-ask").focus(), true)`, msg))
	ada.keys(kb.Enter)
	ada.until(`document.activeElement.matches(".picker .pick")`)
	ada.keys(kb.Escape)
	ada.until(`!document.querySelector("#messages .picker") && document.activeElement.matches(".react-ask")`)
	ada.keys(kb.Enter)
	ada.until(`document.activeElement.matches(".picker .pick")`)
	ada.keys(kb.Tab + kb.Enter) // the second, a heart
	for p, own := range map[*tab]string{ada: "true", ben: "false"} {
		p.until(fmt.Sprintf(`%s?.querySelector(".react")?.textContent === "❤️ 1" && %[1]s.querySelector(".react").ariaPressed === %q`, msg,
			own))
	}
	ada.until(`document.activeElement.matches(".react-ask")`)
	ben.clickOn(`document.querySelectorAll("#messages .react")`)
	for _, p := range []*tab{ada, ben} {
		p.until(msg + `?.querySelector(".react")?.textContent === "❤️ 2"`)
	}
	ada.clickOn(`document.querySelectorAll("#messages .react")`)
	ben.until(msg + `?.querySelector(".react")?.textContent === "❤️ 1"`)

	// What was begun while a reaction is sent stays.
	ben.write("It is hot")
	ada.clickOn(`[` + msg + `.querySelector(".react-ask")]`)
	ada.queue("/reactions$")
	ada.click("#messages .pick")
	ada.waiting(1)
	ada.click("#content")
	ada.keys("mm")
	ada.deliver(0, 200)
	ada.until(`!document.querySelector("#messages .picker")`)
	ada.keys("h")
	ada.until(`document.querySelector("#content").value === "mmh"`)
	ada.clickOn(`[` + bubble("It is hot") + `.querySelector(".react-ask")]`)
	ada.click("#messages .pick")
	ada.waiting(1)
	ada.clickOn(`[` + msg + `.querySelector(".react-ask")]`)
	ada.deliver(0, 200)
	ada.settled()
	if !eval[bool](ada, `document.activeElement.matches(".picker .pick")`) {
		t.Error("another choice was closed")
	}
	ada.stayed()
	ben.stayed()
}

// The Stream beside a conversation follows messages with tags and pins, and has
// notes that their author alone sees.
func testPanel(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("Supper", "ben")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	for _, p := range []*tab{ada, ben} {
		p.size(1400, 900)
		p.openConversation(conversation)
	}
	ben.write("#decision Soup at six")
	entry := `[...document.querySelectorAll("#stream .entry")].find(e => e.textContent.includes("Soup at six"))`
	ada.until(entry + `?.textContent.includes("decision")`)
	ada.clickOn(fmt.Sprintf(`[...%s.querySelectorAll("button")].filter(b => b.textContent === "Pin")`, entry))
	ben.until(entry + `?.querySelector(".entry-head").textContent.includes("pinned")`)
	ada.clickOn(fmt.Sprintf(`[...%s.querySelectorAll("button")].filter(b => b.textContent === "Collapse")`, entry))
	ada.until(entry + `?.matches(".entry-collapsed")`)
	s.post("ada", "/api/thoughts", fmt.Sprintf(`{"text":"Buy leeks","sourceConversationId":%q}`, conversation))
	ada.until(`document.querySelector("#stream").textContent.includes("Buy leeks")`)
	ben.write("Second")
	ada.until(`!!` + bubble("Second"))
	if got := eval[string](ben, `document.querySelector("#stream").textContent`); strings.Contains(got, "Buy leeks") {
		t.Errorf("Ben sees a private note: %s", got)
	}
	if eval[bool](ben, entry+`.matches(".entry-collapsed")`) {
		t.Error("Ben's entry is collapsed, too")
	}
	ada.stayed()
	ben.stayed()

	// The page of its own works without scripts.
	ada.open("/chat/" + conversation + "/stream")
	ada.fill("#text", "For everybody")
	ada.send("Add for everyone here")
	ada.shows("For everybody")
	ben.until(`document.querySelector("#stream").textContent.includes("For everybody")`)
	ada.open("/thoughts")
	ada.shows("Buy leeks", "For everybody")
}
