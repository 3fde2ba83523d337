package app_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
)

// texts is an expression for the items of a list that are shown, in their order.
const texts = `[...document.querySelectorAll(".item:not([hidden]) .text")].map(el => el.textContent).join(" | ")`

func (p *tab) items(want ...string) {
	p.t.Helper()
	p.until(fmt.Sprintf(texts+` === %q`, strings.Join(want, " | ")))
}

// Items are added from one line: with Enter, as pasted lines, as links, and once
// each when the server is away meanwhile and the page is loaded again.
func testItems(t *testing.T, browser context.Context) {
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBrowserServer(t)
			id := s.post("ada", "/api/lists", `{"title":"Shopping","visibility":"private"}`)
			p := newTab(t, browser, s.base())
			p.size(width, 720)
			p.signIn(s, "ada@example.org")
			p.open("/list/" + id)
			p.until(`document.querySelector("#add.live") !== null`)
			p.stays()
			p.click("#content")
			p.keys("Milk" + kb.Enter)
			p.shows("Added as number 1.")
			p.openMenu("Milk")
			p.until(`!document.querySelector("#item-menu").innerText.includes("Move")`)
			p.keys(kb.Escape)
			p.click("#content")
			p.keys("Oats" + kb.Enter)
			p.items("Milk", "Oats")
			p.until(`document.activeElement.id === "content" && document.activeElement.value.trim() === ""`)
			paste := func(text string) {
				eval[bool](p, fmt.Sprintf(`(() => { const d = new DataTransfer(); d.setData("text/plain", %q);
					return document.querySelector("#content").dispatchEvent(new ClipboardEvent("paste",
						{ clipboardData: d, bubbles: true, cancelable: true })) || true; })()`, text))
			}
			paste("Rice\n\n  Beans\r\nhttps://shop.example/tea?n=2\n")
			p.shows("Add 3 lines as items?")
			p.press("Add 3 items")
			p.items("Milk", "Oats", "Rice", "Beans", "https://shop.example/tea?n=2")
			p.shows("Added as numbers 3 to 5.")
			p.choose("Rice", "Move to top")
			p.items("Rice", "Milk", "Oats", "Beans", "https://shop.example/tea?n=2")
			p.choose("Rice", "Move to bottom")
			p.items("Milk", "Oats", "Beans", "https://shop.example/tea?n=2", "Rice")
			p.until(`document.querySelector(".item:nth-child(4) .text a").href === "https://shop.example/tea?n=2"`)
			paste("One\nitem")
			p.press("Paste as one item")
			p.until(`document.querySelector("#content").value === "One\nitem"`)
			p.fill("#content", "")
			p.stayed()

			p.expect("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE")
			s.reopen()
			p.click("#content")
			p.keys("Bread" + kb.Enter)
			p.shows("Bread", "Not added yet")
			s.listen()
			p.open("/list/" + id)
			p.items("Milk", "Oats", "Beans", "https://shop.example/tea?n=2", "Rice", "Bread")
			p.until(`!Object.keys(localStorage).some(k => k.includes("-list-"))`)
			p.click("#content")
			eval[bool](p, `document.querySelector("#content").removeAttribute("maxlength") || true`)
			call(p, input.InsertText, input.InsertTextParams{Text: strings.Repeat("x", 2001)})
			p.expect("400")
			p.keys(kb.Enter)
			p.shows("2000 characters")
			p.press("Discard")
			p.until(`document.querySelector("#added").childElementCount === 0`)
		})
	}
}

// The rows of a list: all of a row opens the item; a menu edits in place, moves
// and deletes, which can be undone; a grip moves by dragging and with the arrow
// keys. 31 items are printed on one page.
func testRows(t *testing.T, browser context.Context) {
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBrowserServer(t)
			id := s.post("ada", "/api/lists",
				`{"title":"Order","visibility":"public","items":[{"content":"a"},{"content":"b"},{"content":"c"},{"content":"d"}]}`)
			p := newTab(t, browser, s.base())
			p.size(width, 720)
			p.signIn(s, "ada@example.org")
			p.open("/")
			p.until(`document.querySelectorAll("main a[href='/list/` + id + `']").length === 2`)
			p.open("/list/" + id)
			p.until(`document.querySelector("#items.live") !== null`)
			p.stays()
			p.choose("a", "Move to bottom")
			p.items("b", "c", "d", "a")
			p.choose("a", "Move to top")
			p.items("a", "b", "c", "d")
			p.openMenu("d")
			p.fill("#item-position", "2")
			p.press("Move")
			p.items("a", "d", "b", "c")
			eval[bool](p, `document.querySelector(".item:nth-child(2) .grip").focus() || true`)
			p.keys(kb.ArrowDown + kb.ArrowDown)
			p.items("a", "b", "c", "d")
			p.until(`document.activeElement.matches(".item:nth-child(4) .grip")`)
			p.keys(kb.Home)
			p.items("d", "a", "b", "c")
			p.drag(".item:nth-child(1) .grip", ".item:nth-child(3)")
			p.items("a", "b", "d", "c")

			p.choose("b", "Edit")
			p.until(`document.activeElement.id === "edit-content" && document.activeElement.value === "b"`)
			p.expect("412")
			item := eval[string](p, `document.querySelector(".editing").id.slice(5)`)
			s.json("ada", "PATCH", "/api/lists/"+id+"/items/"+item, `{"content":"bee"}`)
			p.fill("#edit-content", "B")
			// Saved twice before the question is seen.
			eval[bool](p, `(form => { form.requestSubmit(); form.requestSubmit(); return true; })(document.querySelector(".editing form"))`)
			p.shows("Somebody changed this meanwhile to: “bee”.")
			p.press("Save")
			p.items("a", "B", "d", "c")

			eval[bool](p, `(() => {
				const later = window.setTimeout, clear = window.clearTimeout;
				window.due = new Map();
				window.setTimeout = (act, ms, ...args) => { const id = later(act, ms, ...args); if (ms === 10000) due.set(id, act); return id; };
				window.clearTimeout = id => { due.delete(id); clear(id); };
				return true;
			})()`)
			p.choose("c", "Delete")
			p.items("a", "B", "d")
			p.until(`due.size === 2`) // it can be undone so long, and the button is seen so long
			p.press("Undo")
			p.items("a", "B", "d", "c")
			p.until(`due.size === 1`)
			p.choose("c", "Delete")
			eval[bool](p, `(window.first = [...due.keys()], true)`)
			p.choose("d", "Delete")
			p.items("a", "B")
			p.shows("2 items deleted.")
			eval[bool](p, `Promise.all(first.map(id => due.get(id)?.())).then(() => true)`) // what is due before the button goes
			p.press("Undo")
			p.items("a", "B", "d", "c")
			p.choose("c", "Delete")
			p.items("a", "B", "d")
			p.stayed()
			p.follow(func() { p.clickAt(".item:nth-child(2)", 0.75) })
			p.at("/list/" + id + "/item/" + item)
			p.until(`fetch("/api/lists/` + id + `/items").then(r => r.json()).then(b => b.total === 3)`)
		})
	}
	s := newBrowserServer(t)
	thirty := strings.Repeat(`{"content":"Something to bring along"},`, 31)
	id := s.post("ada", "/api/lists", `{"title":"Bring","visibility":"public","items":[`+thirty[:len(thirty)-1]+`]}`)
	p := newTab(t, browser, s.base())
	p.open("/list/" + id)
	pdf := call(p, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69})
	if n := bytes.Count([]byte(pdf.Data), []byte("/Type /Page\n")); n != 1 {
		t.Errorf("31 items are printed on %d pages", n)
	}
}

// An action of a row's menu is for the row as it is now, which may have changed
// while the menu was open. A move that ends later does not take the focus from what
// was begun meanwhile, and the Escape key ends a drag or an edit without a change.
func testRowsMeanwhile(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	id := s.post("ada", "/api/lists", `{"title":"Order","visibility":"public","items":[{"content":"a"},{"content":"b"},{"content":"c"}]}`)
	p := signedIn(t, browser, s, "ada", 1280)
	p.open("/list/" + id)
	p.until(`document.querySelector("#items.live") !== null`)
	p.openMenu("c")
	item := eval[string](p, `document.querySelector(".item:nth-child(3)").id.slice(5)`)
	s.json("ada", "PATCH", "/api/lists/"+id+"/items/"+item, `{"content":"sea"}`)
	p.items("a", "b", "sea")
	p.press("Delete")
	p.items("a", "b")
	p.until(`getComputedStyle(document.querySelector(".toast button")).color === getComputedStyle(document.querySelector(".toast")).color`)
	p.press("Undo")
	p.items("a", "b", "sea")

	p.late("/list/") // the items of the page
	p.choose("a", "Move to bottom")
	p.until(`!!window.deliver`)
	p.choose("b", "Edit")
	p.until(`document.activeElement.id === "edit-content"`)
	eval[bool](p, `(window.deliver(), true)`)
	p.until(`document.querySelector("#live").textContent === "Moved to position 3"`)
	p.keys(" and more")
	p.until(`document.querySelector("#edit-content")?.value === "b and more" && document.activeElement.id === "edit-content"`)
	p.keys(kb.Escape)
	p.items("b", "sea", "a")
	p.until(`document.activeElement.matches(".item:nth-child(1) .more")`)

	x, y := p.where(".item:nth-child(1) .grip", 0.5)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	_, end := p.where(".item:nth-child(3)", 0.5)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x, end+6)
	p.items("sea", "b", "a")
	p.keys(kb.Escape)
	p.items("b", "sea", "a")
	p.mouse(input.DispatchMouseEventTypeMouseReleased, x, end+6)
	p.open("/list/" + id)
	p.items("b", "sea", "a")
	p.dragged(s, id)
	p.keepsFocus(s, id)
	p.typesOn(id)
	p.notAnswered(id)
}

// notAnswered saves a row while the server takes requests and does not answer them. After
// 15 seconds the page says that it was not saved; what was typed stays, and can be saved
// again.
func (p *tab) notAnswered(id string) {
	p.t.Helper()
	p.open("/list/" + id)
	p.until(`document.querySelector("#items.live") !== null`)
	p.choose("the end", "Edit")
	p.until(`document.activeElement.id === "edit-content"`)
	eval[bool](p, `(() => {
		window.delays = [];
		AbortSignal.timeout = ms => {
			const ends = new AbortController();
			delays.push(ms);
			window.expire = () => ends.abort(new DOMException("", "TimeoutError"));
			return ends.signal;
		};
		return true;
	})()`)
	call(p, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/api/lists/*/items/*",
		RequestStage: fetch.RequestStageRequest}}})
	p.fill("#edit-content", "the very end")
	p.press("Save")
	p.until(`delays.join() === "15000"`)
	p.settled()
	if !eval[bool](p, `document.querySelector(".editing .note").hidden`) {
		p.t.Error("the page does not wait for the answer")
	}
	eval[bool](p, `(expire(), true)`)
	p.shows("It was not saved: there is no connection. Try again.")
	p.until(`document.activeElement.id === "edit-content" && document.activeElement.value === "the very end"`)
	call(p, fetch.Disable, cdp.Empty{})
	p.press("Save")
	p.items("the very end", "b")
}

// typesOn corrects the first row while it is being saved: the correction is saved,
// too, and what is typed after that stays in the form.
func (p *tab) typesOn(id string) {
	p.t.Helper()
	p.open("/list/" + id)
	p.until(`document.querySelector("#items.live") !== null`)
	p.choose("sea", "Edit")
	p.until(`document.activeElement.id === "edit-content"`)
	p.queue("/items/")
	p.fill("#edit-content", "teh")
	p.keys(kb.Enter)
	p.waiting(1)
	p.fill("#edit-content", "the")
	p.keys(kb.Enter)
	p.deliver(0, 200)
	p.waiting(1)
	p.fill("#edit-content", "the end")
	p.deliver(0, 200)
	p.until(`document.querySelector("#edit-content")?.value === "the end"`)
	p.keys(kb.Enter + kb.Enter)
	p.waiting(1)
	p.deliver(0, 200)
	p.items("the end", "b")
	p.until(`document.activeElement.matches(".item:nth-child(1) .more") && window.waiting.length === 0`)
}

// keepsFocus changes, deletes and moves the row with the focus: the focus stays in
// its place, also when it has to go back from the menu.
func (p *tab) keepsFocus(s *browserServer, id string) {
	p.t.Helper()
	p.open("/list/" + id)
	p.until(`document.querySelector("#items.live") !== null`)
	item := "/api/lists/" + id + "/items/" + eval[string](p, `document.querySelector(".item:nth-child(2)").id.slice(5)`)
	eval[bool](p, `(document.querySelector(".item:nth-child(2) .item-open").focus(), true)`)
	s.json("ada", "PATCH", item, `{"content":"A"}`)
	p.items("sea", "A", "b")
	p.until(`document.activeElement.matches(".item:nth-child(2) .item-open")`)
	p.openMenu("A")
	s.json("ada", "PATCH", item, `{"content":"aa"}`)
	p.items("sea", "aa", "b")
	p.keys(kb.Escape)
	p.until(`document.activeElement.matches(".item:nth-child(2) .more")`)
	s.json("ada", "DELETE", item, "")
	p.items("sea", "b")
	p.until(`document.activeElement.matches(".item:nth-child(2) .item-open")`)

	p.late("/list/")
	p.choose("b", "Move to top")
	p.until(`!!window.deliver`)
	eval[bool](p, `(document.querySelector(".item:nth-child(2) .grip").focus(), window.deliver(), true)`)
	p.until(`document.querySelector("#live").textContent === "Moved to position 1"`)
	p.until(`document.activeElement.matches(".item:nth-child(1) .grip")`)
	p.keys(kb.ArrowDown)
	p.items("sea", "b")
}

// dragged drags the rows of the list b, sea, a while the server is slow: what is
// read from before that does not bring the old order back, not even for a moment.
func (p *tab) dragged(s *browserServer, id string) {
	p.t.Helper()
	texts := `[...document.querySelectorAll(".item .text")].map(el => el.textContent).join(" ")`
	eval[bool](p, `(() => {
		window.orders = [];
		new MutationObserver(() => { if (orders.at(-1) !== `+texts+`) orders.push(`+texts+`); })
			.observe(document.querySelector("#items"), { subtree: true, childList: true });
		const real = window.fetch;
		window.fetch = async (address, options) => {
			if (options?.method === "PATCH") await new Promise(resolve => { window.patch = resolve; });
			return real(address, options);
		};
		return true;
	})()`)
	reads := func() int {
		return eval[int](p, `performance.getEntriesByType("resource")
			.filter(r => r.name.endsWith("/items") && r.initiatorType === "fetch").length`)
	}
	before := reads()
	p.drag(".item:nth-child(1) .grip", ".item:nth-child(3)")
	p.until(`!!window.patch`)
	s.json("ada", "PATCH", "/api/lists/"+id, `{"title":"New order"}`) // it is read again
	for end := time.Now().Add(patience); reads() == before && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	p.late("/list/")
	s.json("ada", "PATCH", "/api/lists/"+id, `{"title":"Newer order"}`)
	p.until(`!!window.deliver`)
	eval[bool](p, `(window.patch(), true)`)
	p.until(`fetch("/api/lists/` + id + `/items").then(r => r.json()).then(b => b.items[2].content === "b")`)
	eval[bool](p, `(window.deliver(), true)`)
	p.until(`document.querySelector("#live").textContent === "Moved to position 3"`)
	p.items("sea", "a", "b")
	if got := eval[[]string](p, `orders`); !slices.Equal(slices.Compact(got), []string{"sea b a", "sea a b"}) {
		p.t.Errorf("the rows were in the orders %q", got)
	}
}

// openMenu opens the menu of the row with a text.
func (p *tab) openMenu(text string) {
	p.t.Helper()
	p.clickOn(fmt.Sprintf(`[...document.querySelectorAll(".item")].filter(li => li.querySelector(".text").textContent === %q)
		.map(li => li.querySelector(".more"))`, text))
	p.until(`document.querySelector("#item-menu").matches(":popover-open")`)
}

func (p *tab) choose(text, label string) {
	p.t.Helper()
	p.openMenu(text)
	p.clickOn(fmt.Sprintf(`[...document.querySelectorAll("#item-menu button")].filter(el => el.textContent === %q)`, label))
}

// clickAt clicks on an element, at a part of its width.
func (p *tab) clickAt(css string, part float64) {
	p.t.Helper()
	x, y := p.where(css, part)
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		p.mouse(kind, x, y)
	}
}

// drag presses the mouse on an element and releases it in the lower half of
// another.
func (p *tab) drag(from, to string) {
	p.t.Helper()
	x, y := p.where(from, 0.5)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	_, end := p.where(to, 0.5)
	for i := 1; i <= 10; i++ {
		p.mouse(input.DispatchMouseEventTypeMouseMoved, x, y+(end+6-y)*float64(i)/10)
	}
	p.mouse(input.DispatchMouseEventTypeMouseReleased, x, end+6)
}

func (p *tab) where(css string, part float64) (x, y float64) {
	p.t.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
		return [r.left + r.width * %f, r.top + r.height / 2]; })()`, css, part))
	return at[0], at[1]
}

func (p *tab) mouse(kind input.DispatchMouseEventType, x, y float64) {
	p.t.Helper()
	call(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1,
		ClickCount: 1})
}
