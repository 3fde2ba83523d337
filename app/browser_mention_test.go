package app_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The names of members are offered while "@" and letters are typed, and taken with
// the keyboard or the mouse. A mention leads to the person, has a mark in the list
// of conversations until it is read, and needs no scripts.
func testMention(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("Garden", "ben", "cleo")
	s.send("cleo", conversation, "Who waters?")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	ben.open("/chat")
	ben.until(`document.querySelector("#conversations .at").hidden`)
	offered := `[...document.querySelectorAll("#content-names:not([hidden]) > [role=option]")].map(li => li.textContent.slice(1)).join()`
	for i, width := range []int64{1280, 360} {
		ada.size(width, 800)
		ada.openConversation(conversation)
		ada.click("#content")
		ada.keys("ask ada@b")
		ada.keys(" and @")
		ada.until(offered + ` === "Cléo 🌿,Ben"`)
		ada.keys("c")
		ada.until(offered + ` === "Cléo 🌿"`)
		ada.keys("\b")
		ada.until(offered + ` === "Cléo 🌿,Ben"
			&& document.querySelector("#content").getAttribute("aria-activedescendant") === "content-names-0"`)
		ada.keys(kb.ArrowDown)
		ada.until(`document.querySelector("#content-names-1").getAttribute("aria-selected") === "true"`)
		ada.look(fmt.Sprint("names-", width))
		ada.keys(kb.Enter)
		ada.until(`document.querySelector("#content").value === "ask ada@b and @Ben "
			&& document.querySelector("#content-names").hidden
			&& !document.querySelector("#content").hasAttribute("aria-activedescendant")`)
		ada.keys("and @be")
		ada.until(offered + ` === "Ben"`)
		ada.keys(kb.Escape)
		ada.until(`document.querySelector("#content-names").hidden`)
		ada.keys("\b\b@cl")
		ada.until(`document.querySelector("#content").value.endsWith("@@cl") && document.querySelector("#content-names").hidden`)
		ada.keys("\b\b\bcl")
		ada.until(offered + ` === "Cléo 🌿"`)
		ada.click("#content-names-0")
		ada.until(`document.querySelector("#content").value === "ask ada@b and @Ben and @Cléo 🌿 " && document.activeElement.id === "content"`)
		ada.keys(kb.Enter)
		ada.until(fmt.Sprintf(`document.querySelectorAll("#messages > .msg a.mention").length === %d
			&& document.querySelector("#content").value === ""`, 2*i+2))

		ben.size(width, 800)
		ben.until(`!document.querySelector("#conversations .at").hidden`)
		ben.look(fmt.Sprint("mentioned-", width))
		ben.openConversation(conversation)
		ben.until(`(el => el.textContent === "@Ben" && el.pathname === "/people/` + s.ids["$id:ben"] +
			`")(document.querySelector("#messages > .msg:last-child .mention-me"))
			&& document.querySelectorAll("#messages > .msg:last-child .mention").length === 2`)
		ben.look(fmt.Sprint("mention-", width))
		ben.until(`document.querySelector("#conversations .at").hidden`) // it is read
		ben.open("/chat")
		ben.until(`document.querySelector("#conversations .at").hidden`)
		ben.stays()
	}
	ben.stayed()

	// While a message is edited, too.
	ada.size(1280, 800)
	ada.openConversation(conversation)
	ada.click("#content")
	ada.follow(func() { ada.keys(kb.ArrowUp) })
	ada.until(`document.activeElement.id === "edit-content" && document.activeElement.hasAttribute("aria-haspopup")`)
	ada.keys(" @b")
	ada.until(`document.querySelector("#edit-content-names:not([hidden])")?.textContent === "BBen"`)
	// What is typed between the names and the choice of one is replaced with them.
	eval[bool](ada, `document.execCommand("insertText", false, "e")
		&& !document.activeElement.dispatchEvent(
			new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true }))`)
	ada.until(`document.activeElement.value.endsWith("@Ben ")`)
	ada.follow(func() { ada.press("Save") })
	ada.until(`document.querySelectorAll("#messages > .msg:last-child a.mention").length === 3`)

	// Without scripts it is text that is sent, and a link that is shown.
	ben.noScripts()
	ben.open("/chat/" + conversation)
	ben.fill("#content", "thanks @cléo 🌿")
	ben.follow(func() { ben.press("Send") })
	ben.until(`[...document.querySelectorAll("#messages a.mention")]
		.some(el => el.textContent === "@cléo 🌿" && el.pathname === "/people/` + s.ids["$id:cleo"] + `")`)
}
