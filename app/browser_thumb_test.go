package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// phone makes the window that of a phone, 360 pixels wide, which is touched.
func (p *tab) phone(height int64) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: height, DeviceScaleFactor: 1,
		Mobile: true})
	call(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
}

// tap touches the middle of an element where it is, without scrolling to it.
func (p *tab) tap(css string) {
	p.t.Helper()
	x, y := p.where(css, 0.5)
	call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart,
		TouchPoints: []*input.TouchPoint{{X: x, Y: y}}})
	call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd,
		TouchPoints: []*input.TouchPoint{}})
}

// thumb lists what is wrong with where the line that adds items is: it is in the
// lower half of the window, above the navigation, and nothing covers it.
const thumb = `["#content", "#add button.btn-main"].flatMap(css => {
	const el = document.querySelector(css), r = el.getBoundingClientRect(), odd = [];
	const nav = document.querySelector("body.signed-in .nav"), floor = nav ? nav.getBoundingClientRect().top : innerHeight;
	if (r.top < innerHeight / 2) odd.push("too high: " + r.top + " of " + innerHeight);
	if (r.bottom > floor) odd.push("below " + floor + ": " + r.bottom);
	if (r.left < 0 || r.right > innerWidth) odd.push("outside: " + r.left + " to " + r.right);
	if (r.height < 44) odd.push("low: " + r.height);
	const middle = r.left + r.width / 2, half = r.top + r.height / 2;
	for (const [x, y] of [[r.left + 5, half], [r.right - 5, half], [middle, r.top + 2], [middle, r.bottom - 2]])
		if (!el.contains(document.elementFromPoint(x, y))) odd.push("covered at " + x + " " + y);
	return odd.map(words => css + " is " + words);
})`

// inReach checks that the line that adds items is in reach of a thumb, wherever the
// page is scrolled to. It also checks that the line hides nothing at the end of the
// page.
func (p *tab) inReach() {
	p.t.Helper()
	for _, part := range []string{"0", "0.5", "1"} {
		eval[bool](p, fmt.Sprintf(`(scrollTo(0, %s * document.documentElement.scrollHeight), true)`, part))
		if odd := eval[[]string](p, thumb); len(odd) > 0 {
			p.t.Errorf("scrolled to %s of the page: %s", part, strings.Join(odd, "; "))
		}
	}
	over := eval[float64](p, `document.querySelector(".foot").lastElementChild.getBoundingClientRect().bottom
		- document.querySelector(".item-add").getBoundingClientRect().top`)
	if over > 0 {
		p.t.Errorf("at the end of the page, %v pixels of its foot are behind the line", over)
	}
	eval[bool](p, `(scrollTo(0, 0), true)`)
}

// On a phone, the line that adds items to a list is in reach of the thumb: on an
// empty list and a long one, with and without scripts, with and without an account.
func testThumb(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	long := slices.Repeat([]string{`{"content":"Something to bring along"}`}, 60)
	lists := []string{
		s.post("ada", "/api/lists", `{"title":"Empty","visibility":"public-edit"}`),
		s.post("ada", "/api/lists", `{"title":"Long","visibility":"public-edit","checkable":true,"items":[`+strings.Join(long, ",")+`]}`),
	}
	if res := s.json("ada", "PATCH", "/api/auth/me", `{"name":"Maximiliane of the Long Meadow"}`); res.status != 200 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	for _, c := range []struct{ scripts, member bool }{{true, true}, {false, true}, {true, false}, {false, false}} {
		t.Run(fmt.Sprint("scripts ", c.scripts, " member ", c.member), func(t *testing.T) {
			p := newTab(t, browser, s.base())
			if c.member {
				p.signIn(s, "ada@example.org")
			}
			if !c.scripts {
				p.noScripts()
			}
			p.phone(740)
			for _, list := range lists {
				p.open("/list/" + list)
				if c.scripts && c.member {
					p.until(`document.querySelector("#add.live") !== null`)
				}
				p.inReach()
				p.addByTouch(fmt.Sprint("Milk ", c), c.scripts, c.member)
				p.phone(400) // as above a keyboard on the screen
				p.open("/list/" + list)
				p.tap("#content")
				p.until(`document.activeElement.id === "content"`)
				p.notCovered("#content", "#add button.btn-main")
				p.phone(740)
			}
		})
	}
}

// addByTouch adds an item, and looks where the line is then.
func (p *tab) addByTouch(words string, scripts, member bool) {
	p.t.Helper()
	p.tap("#content")
	p.until(`document.activeElement.id === "content"`)
	p.keys(words)
	if !member {
		p.tap("[name=reporter]")
		p.until(`document.activeElement.name === "reporter"`)
		p.keys("Zoe")
	}
	if scripts && member {
		p.tap("#add button.btn-main")
		p.until(fmt.Sprintf(`document.querySelector(".item:last-child .text")?.textContent === %q
			&& document.activeElement.id === "content" && !document.activeElement.value.trim()`, words))
		p.keys("By Enter" + kb.Enter)
		p.until(`document.querySelector(".item:last-child .text")?.textContent === "By Enter"`)
	} else {
		list := eval[string](p, `location.pathname`)
		p.follow(func() { p.tap("#add button.btn-main") })
		p.open(list)
		p.shows(words)
	}
	p.inReach()
	if tall := eval[float64](p, `Math.max(...[...document.querySelectorAll(".item-meta")]
		.map(el => el.getBoundingClientRect().height))`); tall > 30 {
		p.t.Errorf("who added an item takes %v pixels, more than one line", tall)
	}
}
