package app_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Somebody else signs in, in the same browser: what is written in the pages that are
// still open is not sent with the other account, and stays where it was written.
func testOtherAccount(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	list := s.post("ada", "/api/lists", `{"title":"Soups","visibility":"public-edit"}`)
	chat := newTab(t, browser, s.base())
	chat.signIn(s, "ada@example.org")
	rows, third := chat.another(), chat.another()
	for _, p := range []*tab{chat, rows, third} {
		p.expect(`409|401 .*unread-total`) // somebody signs out before somebody else signs in
	}
	chat.openConversation(conversation)
	rows.open("/list/" + list)
	rows.until(`document.querySelector("#watching").textContent !== ""`)
	third.signIn(s, "ben@example.org")

	const refused = `document.querySelector(".toast")?.textContent === "You are signed in as another account now. Reload the page."`
	chat.stays()
	chat.write("I agree")
	chat.until(bubble("I agree") + `?.innerText.includes("Not sent. You are signed in as another account now.")`)
	chat.until(refused)
	chat.stayed()
	rows.stays()
	rows.click("#content")
	rows.keys("Borscht" + kb.Enter)
	rows.until(refused)
	rows.until(`document.querySelector("#added").innerText.includes("Borscht")`)
	rows.stayed()

	// Ben sees nothing of it, and can write himself.
	chat.openConversation(conversation)
	chat.write("from Ben")
	chat.until(bubble("from Ben") + `?.matches("[data-id]:not(.sending)")`)
	chat.until(`!document.querySelector("#messages").innerText.includes("I agree")`)
	chat.signIn(s, "ada@example.org")
	chat.openConversation(conversation)
	chat.until(bubble("I agree") + `?.innerText.includes("Try again")`)
	chat.clickIn("I agree", ".again")
	chat.until(bubble("I agree") + `?.matches("[data-id]:not(.sending):not(.failed)")`)
}
