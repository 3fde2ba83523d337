package app_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Items are checked off with a box in their row, by pointer and by keyboard: it
// shows at once, in other browsers soon. What is checked off while the server is
// away is kept and sent later, also from another page. Without scripts the box is a
// button of a form.
func testCheckOff(t *testing.T, browser context.Context) {
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBrowserServer(t)
			id := s.post("ada", "/api/lists",
				`{"title":"Shopping","visibility":"public","checkable":true,"items":[{"content":"Milk"},{"content":"Oats"},{"content":"Rye"}]}`)
			ada, guest := newTab(t, browser, s.base()), newTab(t, browser, s.base())
			for _, p := range []*tab{ada, guest} {
				p.size(width, 720)
			}
			ada.signIn(s, "ada@example.org")
			guest.open("/list/" + id)
			ada.open("/list/" + id)
			ada.until(`document.querySelector("#items.live") !== null`)
			for _, p := range []*tab{ada, guest} {
				p.stays()
			}
			box := func(n int) string { return fmt.Sprintf(".item:nth-child(%d) button.check-off", n) }
			pressed := func(n int, yes bool) {
				t.Helper()
				ada.until(fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-pressed") === "%v"`, box(n), yes))
			}
			ada.click(box(2))
			pressed(2, true)
			ada.until(`document.querySelector("#done").textContent === "1 of 3 done"
				&& getComputedStyle(document.querySelector(".item:nth-child(2) .text")).textDecorationLine === "line-through"`)
			guest.until(`document.querySelector(".item:nth-child(2).done [role=img]")?.ariaLabel === "Done"
				&& document.querySelector("#done").textContent === "1 of 3 done"`)
			eval[bool](ada, fmt.Sprintf(`document.querySelector(%q).focus() || true`, box(3)))
			ada.keys(" ")
			pressed(3, true)
			ada.until(fmt.Sprintf(`document.querySelector("#done").textContent === "2 of 3 done"
				&& document.activeElement === document.querySelector(%q)`, box(3)))
			ada.keys(kb.Enter)
			pressed(3, false)
			ada.until(`document.querySelector("#done").textContent === "1 of 3 done"`)
			ada.items("Milk", "Oats", "Rye")
			if small := eval[float64](ada, fmt.Sprintf(`(r => Math.min(r.width, r.height))(document.querySelector(%q).getBoundingClientRect())`,
				box(1))); small < 24 {
				t.Errorf("a box is %v pixels wide or high", small)
			}
			ada.look(fmt.Sprint("check-", width))
			ada.stayed()

			for _, p := range []*tab{ada, guest} {
				p.expect("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|404")
			}
			s.reopen()
			ada.click(box(1))
			pressed(1, true)
			ada.shows("Not saved yet: there is no connection.")
			ada.until(`document.querySelector(".item:nth-child(1).unsent button").getAttribute("aria-description") === "Not saved yet"`)
			ada.look(fmt.Sprint("check-offline-", width))
			ada.click(box(2)) // no longer done
			ada.click(box(3))
			s.json("ada", "DELETE", eval[string](ada, `"/api/lists/`+id+`/items/" + document.querySelector(".item:nth-child(3)").id.slice(5)`), "")
			guest.shows("Reconnecting…")
			s.listen()
			if width == 360 { // what was done on a list is sent from any page
				ada.open("/people")
			}
			guest.until(`document.querySelector(".item:nth-child(1).done") && !document.querySelector(".item:nth-child(2).done")
				&& document.querySelector("#done").textContent === "1 of 2 done"`)
			guest.until(`!document.querySelector("#connection")`)
			guest.stayed()
			if width == 1280 {
				ada.shows("This item is no longer on the list.")
				ada.until(`document.querySelector("#done").textContent === "1 of 2 done" && !document.querySelector(".unsent")`)
				ada.stayed()
			}
			ada.open("/list/" + id)
			ada.until(`!Object.keys(localStorage).some(k => k.includes("-list-"))`)
			ada.items("Milk", "Oats")
			ada.click(box(1))
			pressed(1, false)
			ada.click(box(2))
			pressed(2, true)
			ada.until(`document.querySelector("#done").textContent === "1 of 2 done" && !Object.keys(localStorage).some(k => k.includes("-list-"))`)

			ada.follow(func() { ada.clickAt(".item:nth-child(2)", 0.6) })
			ada.shows("Mark as not done", "Done")
			ada.look(fmt.Sprint("check-item-", width))
			ada.follow(func() { ada.press("Mark as not done") })
			ada.shows("Check off")

			ada.noScripts()
			ada.open("/list/" + id)
			ada.follow(func() { ada.click(box(1)) })
			pressed(1, true)
			ada.shows("1 of 2 done")
			ada.follow(func() { ada.click(box(1)) })
			pressed(1, false)
		})
	}
}
