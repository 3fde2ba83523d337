package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// shownNav lists the links and buttons of the main navigation that can be seen and
// pressed: their name, a mark if they are current, and how far their bottom is from
// that of the window.
const shownNav = `[...document.querySelectorAll(".nav > :is(a, button)")].filter(el => el.checkVisibility()).map(el => {
	const r = el.getBoundingClientRect(), top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
	if (!el.contains(top)) return "covered: " + el.textContent;
	if (Math.min(r.width, r.height) < 44) return "small: " + el.textContent + " " + r.width + " " + r.height;
	const words = el.cloneNode(true);
	words.querySelectorAll("[hidden]").forEach(hidden => hidden.remove());
	words.querySelectorAll(".avatar").forEach(avatar => avatar.remove());
	const current = el.matches("[aria-current=page], :has(+ .sheet [aria-current=page])");
	return words.textContent.trim().replace(/\s+/g, " ") + (current ? " (current)" : "") + (innerHeight - r.bottom < 1 ? " below" : "");
})`

// navigation checks what the navigation shows.
func (p *tab) navigation(want ...string) {
	p.t.Helper()
	if got := eval[[]string](p, shownNav); !slices.Equal(got, want) {
		p.t.Errorf("%s: the navigation is %q, want %q", eval[string](p, `location.pathname`), got, want)
	}
}

// On a phone every page has a bar at the bottom, and the bar or its sheet has all
// parts of the site. It works with and without scripts, by pointer and by keyboard.
// It covers no field. On wide screens they are at the top.
func testNavigation(t *testing.T, browser context.Context) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprint("scripts ", scripts), func(t *testing.T) {
			s := newBrowserServer(t)
			conversation, list := s.converse("", "ben"), s.post("ada", "/api/lists", `{"title":"Shopping","items":[{"content":"Milk"}]}`)
			s.send("ben", conversation, "Hello")
			ada := newTab(t, browser, s.base())
			ada.signIn(s, "ada@example.org")
			if !scripts {
				ada.noScripts()
			}
			ada.size(360, 720)
			for _, c := range []struct{ path, current string }{
				{"/", "Lists"}, {"/list/" + list, "Lists"}, {"/list/new", "Lists"}, {"/chat", "Chat 1 unread"}, {"/chat/new", "Chat 1 unread"},
				{"/chat/" + conversation + "/people", "Chat 1 unread"},
				{"/asks", "Asks & offers"}, {"/drafts", "Asks & offers"}, {"/people", "People"}, {"/people/" + s.ids["$id:ben"], "People"},
				{"/stories", "More"}, {"/inbox", "More"}, {"/thoughts", "More"}, {"/settings", "More"}, {"/settings/api-keys", "More"},
				{"/feedback", "More"},
			} {
				ada.open(c.path)
				want := []string{"Lists below", "Chat 1 unread below", "Asks & offers below", "People below", "More below"}
				for i, name := range want {
					if name == c.current+" below" {
						want[i] = c.current + " (current) below"
					}
				}
				ada.navigation(want...)
			}
			ada.open("/settings")
			eval[bool](ada, `(scrollTo(0, document.documentElement.scrollHeight), true)`)
			ada.until(`(r => r.bottom < document.querySelector(".nav").getBoundingClientRect().top && r.bottom > 0)
				(document.querySelector(".foot form").getBoundingClientRect())`)
			navigationSheet(ada, scripts)
			ada.open("/list/" + list)
			ada.notCovered("#content", ".item-add button.btn-main")
			ada.openOn("/chat/"+conversation, scripts)
			ada.notCovered("#content", "#compose button.btn-main", ".pane-back", ".msg .text")
			if scripts {
				ada.look("nav-conversation")
			}
			navigationLow(ada, "/chat/"+conversation, scripts)
			ada.size(1280, 800)
			ada.open("/people")
			ada.navigation("Lists", "Chat", "Asks & offers", "Stories", "Inbox", "People (current)", "Settings")
			guest := newTab(t, browser, s.base())
			guest.size(360, 720)
			guest.open("/")
			guest.navigation("Lists (current)", "Sign in")
		})
	}
}

// openOn opens a conversation, and waits for its script, or reads what it shows
// without.
func (p *tab) openOn(path string, scripts bool) {
	p.t.Helper()
	p.open(path)
	if scripts {
		p.until(`!document.querySelector("#send-hint").hidden && document.querySelector("#unread").hidden`)
	}
}

// notCovered checks that elements are in the window, with nothing over them.
func (p *tab) notCovered(css ...string) {
	p.t.Helper()
	for _, one := range css {
		p.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(el => {
			const r = el.getBoundingClientRect();
			return [r.top + 2, r.bottom - 2].every(y => el.contains(document.elementFromPoint(r.x + r.width / 2, y)));
		})`, one))
	}
}

// navigationSheet opens the sheet of what has no place in the bar.
func navigationSheet(p *tab, scripts bool) {
	p.t.Helper()
	const open = `document.querySelector("#more").matches(":popover-open")`
	p.click(".nav-more")
	p.until(open)
	p.notCovered("#more a[href='/stories']", "#more form button", ".nav-more")
	if got := eval[string](p, `[...document.querySelectorAll("#more :is(a .word, button)")]
		.map(el => el.textContent).join()`); got != "Inbox,Stories,My notes,Search,Settings,Send feedback,Sign out" {
		p.t.Errorf("the sheet has %s", got)
	}
	if small := eval[[]string](p, `[...document.querySelectorAll("#more :is(a, button)")]
		.filter(el => el.getBoundingClientRect().height < 44).map(el => el.textContent)`); len(small) > 0 {
		p.t.Errorf("these are small: %v", small)
	}
	if scripts { // which axe needs
		p.look("nav-sheet")
	}
	p.keys(kb.Escape)
	p.until(`!` + open + ` && document.activeElement.matches(".nav-more")`)
	p.keys(kb.Enter)
	p.until(open)
	p.keys(kb.Tab)
	p.until(`document.activeElement.pathname === "/inbox"`)
	p.keys(kb.Tab)
	p.follow(func() { p.keys(kb.Enter) })
	p.at("/stories")
	p.click(".nav-more")
	p.until(open)
	p.click("h1") // beside it
	p.until(`!` + open)
	p.click(".nav-more")
	p.follow(func() { p.click("#more a[href='/search']") })
	p.at("/search")
	p.follow(func() { p.click(".nav a[href='/']") })
	p.at("/")
}

// navigationLow looks at windows that are low: with large text the navigation is
// at the top; above a keyboard on the screen the field and some messages can be
// seen.
func navigationLow(p *tab, conversation string, scripts bool) {
	p.t.Helper()
	p.size(320, 256)
	p.open("/people")
	p.navigation("Lists", eval[string](p, shownNav+`[1]`), "Asks & offers", "People (current)", "More")
	for _, wide := range eval[[]string](p, tooWide) {
		p.t.Errorf("in a low window this is too wide: %s", wide)
	}
	p.click(".nav-more")
	p.until(`document.querySelector("#more").matches(":popover-open")`)
	p.follow(func() { p.click("#more a[href='/settings']") })
	p.size(360, 340)
	p.openOn(conversation, scripts)
	p.click("#content")
	p.notCovered("#content", "#compose button.btn-main", ".msg .text")
	p.until(`document.querySelector(".scroll").clientHeight > 150 && !document.querySelector(".nav").checkVisibility()`)
	eval[bool](p, `document.querySelector(".pane-back").focus() || true`)
	p.until(`document.querySelector(".nav").checkVisibility()`)
	if got := strings.Join(eval[[]string](p, shownNav), ", "); !strings.HasPrefix(got, "Lists, Chat") ||
		!strings.HasSuffix(got, "People, More") {
		p.t.Errorf("the navigation is %s", got)
	}
}
