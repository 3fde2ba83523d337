package app_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// testTimes reports how long it takes until a message is seen, another
// conversation, and an item of a list.
func testTimes(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation, other := s.converse("", "ben"), s.converse("Supper", "ben", "cleo")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	ada.openConversation(conversation)
	ben.openConversation(conversation)
	const watch = `(new MutationObserver(() => { window.seenAt = performance.timeOrigin + performance.now(); })
		.observe(document.querySelector("#messages"), { childList: true }),
		addEventListener("keydown", () => { window.pressedAt = performance.timeOrigin + performance.now(); window.seenAt = 0; }, true), true)`
	ada.write("first")
	ben.until(bubble("first") + ` !== null`)
	eval[bool](ada, watch)
	eval[bool](ben, watch)
	var own, others []float64
	for i := range 10 {
		text := fmt.Sprint("message ", i)
		eval[bool](ada, fmt.Sprintf(`(document.querySelector("#content").value = %q, document.querySelector("#content").focus(),
			new MutationObserver((_, o) => { window.ownAt = performance.timeOrigin + performance.now(); o.disconnect(); })
				.observe(document.querySelector("#messages"), { childList: true }), true)`, text))
		ada.keys(kb.Enter)
		ben.until(bubble(text) + ` !== null`)
		pressed := eval[float64](ada, `pressedAt`)
		own = append(own, eval[float64](ada, `ownAt`)-pressed)
		others = append(others, eval[float64](ben, `seenAt`)-pressed)
	}
	var painted, ready []float64 // since the click
	for i := range 20 {
		id := []string{other, conversation}[i%2]
		ben.follow(func() { ben.clickOn(fmt.Sprintf(`document.querySelectorAll("a.conversation[href='/chat/%s']")`, id)) })
		ben.until(`!document.querySelector("#send-hint").hidden && performance.getEntriesByName("first-contentful-paint").length === 1`)
		painted = append(painted, eval[float64](ben, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		ready = append(ready, eval[float64](ben,
			`Math.max(...performance.getEntriesByType("resource").filter(r => r.name.endsWith(".js")).map(r => r.responseEnd))`))
	}
	ada.open("/list/" + s.post("ada", "/api/lists", `{"title":"Shopping"}`))
	ada.until(`document.querySelector("#add.live") !== null`)
	eval[bool](ada, `(addEventListener("keydown", () => { window.pressedAt = performance.now(); }, true),
		new MutationObserver(() => { window.lineAt ||= performance.now(); })
			.observe(document.querySelector("#added"), { childList: true }),
		new MutationObserver(() => { window.rowAt ||= performance.now(); })
			.observe(document.querySelector("#items"), { childList: true, subtree: true }),
		document.querySelector("#content").focus(), true)`)
	var lines, rows []float64
	for i := range 10 {
		text := fmt.Sprint("item ", i)
		eval[bool](ada, fmt.Sprintf(`(document.querySelector("#content").value = %q, window.lineAt = window.rowAt = 0, true)`, text))
		ada.keys(kb.Enter)
		ada.until(fmt.Sprintf(`lineAt && document.querySelectorAll(".item").length === %d`, i+1))
		lines = append(lines, eval[float64](ada, `lineAt - pressedAt`))
		rows = append(rows, eval[float64](ada, `rowAt - pressedAt`))
	}
	for name, times := range map[string][]float64{"Enter to the own bubble": own, "Enter to the screen of the other": others,
		"another conversation is seen": painted, "its scripts are there": ready,
		"Enter to the item under the line": lines, "Enter to the item in the list": rows} {
		slices.Sort(times)
		t.Logf("%s: median %.0f ms, longest %.0f ms", name, times[len(times)/2], times[len(times)-1])
	}
}
