package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-json-experiment/json"
)

const markedUp = "Supper **tonight**, at _six_ :tada:\n\n- soup\n- bread, ~~spoons~~\n\n> Who cooks?\nI do. See " +
	"https://soups.example/a_b and `ls -l`\n\n```\nfor i := range 3 { stir(i) } // a line of code that is longer than the screen of a " +
	"phone\n```\n<b>no markup</b>"

// What is typed is shown with its markup, to the writer as to the others, and
// only that of the server.
func testMarkup(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	body, err := json.Marshal(map[string]string{"content": markedUp})
	if err != nil {
		t.Fatal(err)
	}
	s.post("ada", "/api/chat/conversations/"+conversation+"/messages", string(body))
	lines := s.lines(conversation, 3)
	s.send("ada/rw", conversation, "from an agent")
	s.send("ada/rw", conversation, "from an agent, too")
	ben := newTab(t, browser, s.base())
	ben.signIn(s, "ben@example.org")
	for _, width := range []int64{1280, 360} {
		ben.size(width, 900)
		ben.openConversation(conversation)
		ben.until(`(el => el.querySelector("strong").textContent === "tonight" && el.querySelector("em").textContent === "six"
			&& el.innerText.includes("🎉") && el.querySelectorAll("ul > li").length === 2
			&& el.querySelector("del").textContent === "spoons" && el.querySelector("blockquote").innerText.trim() === "Who cooks?"
			&& el.querySelector("a[rel='nofollow noopener ugc']").href === "https://soups.example/a_b"
			&& el.querySelector("pre").scrollWidth > 0 && !el.querySelector("b") && el.innerText.includes("<b>no markup</b>"))
			(document.querySelector("#messages .text"))`)
		ben.look(fmt.Sprint("markup-", width))
	}
	s.readAll("ben", conversation)
	ben.size(1280, 800)
	ben.openConversation(conversation)
	ben.write("it is *fine*")
	ben.until(`[...document.querySelectorAll(".own .text em")].some(el => el.textContent === "fine")`)
	ben.write("second")
	ben.until(bubble("second") + `?.matches("[data-id]:not([data-local])")`)

	// A run has one clock, also one of an agent; the others show when they are pointed
	// at, or have the focus.
	clocks := `[...document.querySelectorAll("#messages > .msg .msg-foot > time")]
		.filter(el => el.checkVisibility({ opacityProperty: true })).length`
	call(ben, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: 5, Y: 5})
	ben.until(clocks + ` === 3`)
	eval[bool](ben, fmt.Sprintf(`(document.getElementById("m-%s").focus(), true)`, lines[1]))
	ben.until(clocks + ` === 4`)
	x, y := ben.where("#m-"+lines[0]+" .bubble", 0.5)
	call(ben, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y})
	ben.until(clocks + ` === 5`)
	ben.until(`document.querySelector("#messages > .msg a.reply").getAttribute("aria-label").startsWith("Reply to Ada: Supper")`)
	ben.stayed()
}

// look checks a page with axe-core, also with the settings that some people need,
// that nothing is too wide, and keeps a picture of each.
func (p *tab) look(name string) {
	p.t.Helper()
	if path := os.Getenv("HEARTH_AXE"); path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			p.t.Fatal(err)
		}
		eval[bool](p, string(b)+"\n;true")
		p.checkAxe(name)
	}
	for _, wide := range eval[[]string](p, tooWide) {
		p.t.Errorf("%s: this is too wide: %s", name, wide)
	}
	p.keep(name)
	p.checkForcedColors(name)
	p.scheme("light")
}

// keep writes a picture of the window to the folder for screenshots, if one is
// named.
func (p *tab) keep(name string) {
	if shots := os.Getenv("HEARTH_SHOTS"); shots != "" {
		p.shoot(filepath.Join(shots, name+".png"))
	}
}

// Writing needs no mouse: Escape ends a reply and an edit, the arrow edits the last
// message with the caret at its end, and the focus is in the field after sending.
func testWritingKeys(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	s.send("ada", conversation, "Soup?")
	ben := newTab(t, browser, s.base())
	ben.signIn(s, "ben@example.org")
	ben.openConversation(conversation)
	ben.clickIn("Soup?", "a.reply")
	ben.until(`!document.querySelector("#replying").hidden && document.activeElement.id === "content"`)
	ben.keys(kb.Escape)
	ben.until(`document.querySelector("#replying").hidden && document.activeElement.id === "content"`)
	ben.keys("Yes pleese")
	ben.press("Send")
	ben.until(bubble("Yes pleese") + `?.matches("[data-id]:not([data-local])") && document.activeElement.id === "content"`)
	edit := func() {
		ben.follow(func() { ben.keys(kb.ArrowUp) })
		ben.until(`document.activeElement.id === "edit-content" && document.activeElement.selectionStart === "Yes pleese".length`)
	}
	edit()
	ben.keys("?")
	ben.follow(func() { ben.keys(kb.Escape) })
	ben.until(bubble("Yes pleese") + ` !== null && !document.querySelector(".edit-form") && !document.querySelector("#send-hint").hidden`)
	ben.click("#content")
	edit()
	ben.keys("!")
	ben.follow(func() { ben.press("Save") })
	ben.until(bubble("Yes pleese!") + ` !== null`)

	// At 200 % of the size everything is still there.
	ben.openConversation(conversation)
	ben.checkZoom()
	ben.click("#content")
	ben.keys("a line" + kb.Enter)
	ben.until(bubble("a line") + `?.matches("[data-id]")`)
	ben.do(chromedp.WaitVisible(`#compose .btn-main:not(.pill)`))
	ben.keep("zoom")
}
