package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/demo"
	"hearth/store/storetest"
)

// look is a page as shown to one person.
type look struct {
	name string
	tab  *tab
	open func(p *tab)
}

// at returns the look of an address. Nothing moves there by itself after it was
// first seen, neither once the scripts are there.
func at(name string, p *tab, path string) look {
	return look{name, p, func(p *tab) {
		p.open(path)
		p.until(ready)
		p.steady()
	}}
}

// ready is an expression for whether the scripts of a page are there.
const ready = `document.readyState === "complete" && (!document.querySelector("#compose") || !document.querySelector("#send-hint").hidden)`

// shifts is what moved on a page without being asked to since the page was opened: the
// elements, with from where and to where.
const shifts = `new Promise(resolve => {
	const moved = [], at = r => Math.round(r.x) + "," + Math.round(r.y) + " " + Math.round(r.width) + "x" + Math.round(r.height);
	const take = list => {
		for (const e of list) if (!e.hadRecentInput) for (const s of e.sources) {
			const what = s.node?.cloneNode?.().outerHTML ?? s.node?.textContent ?? "?";
			moved.push(what.slice(0, 160) + " " + at(s.previousRect) + " to " + at(s.currentRect));
		}
	};
	const observer = new PerformanceObserver(list => take(list.getEntries()));
	observer.observe({ type: "layout-shift", buffered: true });
	setTimeout(() => { take(observer.takeRecords()); observer.disconnect(); resolve(moved); }, 100);
})`

// steady checks that nothing has moved under the pointer of who is about to press it.
func (p *tab) steady() {
	p.t.Helper()
	for _, moved := range eval[[]string](p, shifts) {
		p.t.Errorf("this moved: %s", moved)
	}
}

// Every page, in light and dark, on narrow and wide screens: the browser reports
// nothing, and axe-core finds no violation. Nothing is wider than 320 pixels, or
// than the window at 200 % of the size. Nothing moves where motion is not wanted.
// The current link and the focus can be seen with forced colours.
func testPages(t *testing.T, browser context.Context) {
	axe := ""
	if path := os.Getenv("HEARTH_AXE"); path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		axe = string(b)
	}
	shots := os.Getenv("HEARTH_SHOTS")
	today := time.Now().YearDay() // axe looks at a page in one way a day, and in four days in all of them
	for n, l := range slices.Concat(demoLooks(t, browser), newLooks(t, browser)) {
		t.Run(l.name, func(t *testing.T) {
			p := l.tab
			defer p.in(t)()
			p.size([]int64{1280, 360}[(n+today)%2], 800)
			l.open(p)
			p.until(ready)
			p.size(320, 640)
			for _, wide := range eval[[]string](p, tooWide) {
				t.Errorf("at 320 pixels this is too wide: %s", wide)
			}
			// The reference has hundreds of parts of one form.
			eval[bool](p, `[...document.querySelectorAll(".docs article")].slice(6).forEach(el => el.remove());`+axe+"\n;true")
			p.checkZoom()
			p.checkMotion()
			for i, width := range []int64{1280, 360} {
				p.size(width, 800)
				for j, scheme := range []string{"light", "dark"} {
					if shots == "" && 2*i+j != (n+today)%4 {
						continue
					}
					p.scheme(scheme)
					if axe != "" {
						p.checkAxe(fmt.Sprint(scheme, " at ", width))
					}
					if shots != "" {
						p.shoot(filepath.Join(shots, fmt.Sprintf("%s-%d-%s.png", l.name, width, scheme)))
					}
				}
				p.checkForcedColors(fmt.Sprintf("%s-%d", l.name, width))
			}
			p.checkFocus()
			p.scheme("light")
			p.checkComplaints()
		})
	}
	if axe == "" {
		t.Run("axe", func(t *testing.T) {
			storetest.Without(t, "HEARTH_AXE does not name axe.min.js of npm's axe-core, so accessibility is not checked")
		})
	}
}

// tooWide lists the elements that need scrolling sideways, except those made
// for it, and those that reach out of the window.
const tooWide = `(() => {
	const odd = [], name = el => el.outerHTML.replace(/>[^]*/, ">").slice(0, 160);
	if (document.documentElement.scrollWidth > innerWidth) odd.push("the page: " + document.documentElement.scrollWidth);
	for (const el of document.body.querySelectorAll("*")) {
		const s = getComputedStyle(el);
		if (!el.checkVisibility() || el.closest(".sr, .skip, svg")) continue;
		if (/auto|scroll/.test(s.overflowX) && el.scrollWidth > el.clientWidth && !el.matches("pre, .tabs")) odd.push("inside of " + name(el));
		const r = el.getBoundingClientRect();
		if (r.right <= innerWidth + 0.5 && r.left >= -0.5 || !r.width) continue;
		let clipped = false;
		for (let up = el.parentElement; up !== document.body; up = up.parentElement) clipped ||= getComputedStyle(up).overflowX !== "visible";
		if (!clipped) odd.push(name(el));
	}
	return odd;
})()`

// checkAxe runs axe-core. The debugger has put it on the page, which the
// page's own policy would not allow.
func (p *tab) checkAxe(when string) {
	p.t.Helper()
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	got := eval[string](p, `axe.run(document, { resultTypes: ["violations"] }).then(r => JSON.stringify(r.violations))`)
	if err := json.Unmarshal([]byte(got), &found, json.MatchCaseInsensitiveNames(true)); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range found {
		for _, n := range v.Nodes {
			p.t.Errorf("%s: %s (%s): %.200s\n%s", when, v.Help, v.ID, n.HTML, n.FailureSummary)
		}
	}
}

// shoot writes a screenshot of the page, at most 3000 pixels high.
func (p *tab) shoot(path string) {
	p.t.Helper()
	clip := &page.Viewport{Width: eval[float64](p, `innerWidth`), Height: eval[float64](p,
		`Math.min(document.documentElement.scrollHeight, 3000)`), Scale: 1}
	shot := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: clip, CaptureBeyondViewport: new(true)})
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// find returns the address of the first link that matches a selector and has
// the words.
func (p *tab) find(path, css, words string) string {
	p.t.Helper()
	p.open(path)
	return eval[string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].find(a => a.textContent.includes(%q)).pathname`, css, words))
}

// demoLooks returns the pages of a server with the demo community.
func demoLooks(t *testing.T, browser context.Context) []look {
	t.Helper()
	db := filepath.Join(t.TempDir(), "demo.db")
	info, err := demo.Seed(t.Context(), db, storetest.Schema(t), 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := makeBrowserServer(t, db)
	s.with = []func(*app.Config){laneOn}
	s.open()
	s.listen()
	guest, me := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	guest.expect(`(404|410).*/(nowhere|claim|login/verify|join/nothing)`)
	me.expect(`422 .*/list/new$`)
	me.signIn(s, info.People[0].Email)
	for _, name := range []string{"Bakery clock", "Reader"} {
		me.open("/settings/api-keys")
		me.fill("#name", name)
		me.send("Create key")
	}
	soups, mine := guest.find("/", "a.row", "Soups for grey days"), me.find("/", "#mine ~ * a.row, section:has(#mine) a.row", "")
	item, group := guest.find(soups, ".item-meta a", ""), me.find("/chat", ".conversation", "Sunday bakers")
	direct, pictures := me.find("/chat", ".conversation", "Tomás"), me.find("/chat", ".conversation", "Night sky")
	return append(socialLooks(me), []look{
		at("index-guest", guest, "/"), at("list-guest", guest, soups), at("item-guest", guest, item), at("login", guest, "/login"),
		at("not-found", guest, "/nowhere"), at("claim-used", guest, "/claim?token=x"), at("verify-used", guest, "/login/verify?token=x"),
		at("docs", guest, "/api/docs"),
		at("index", me, "/"), at("list", me, mine), {"list-agent", me, func(p *tab) { p.open(soups); p.press("Add items with an agent") }},
		at("list-edit", me, mine+"/edit"), at("list-people", me, mine+"/people?q=a"), at("list-new", me, "/list/new"),
		{"list-new-wrong", me, func(p *tab) {
			p.open("/list/new")
			p.fill("#title", " ")
			p.send("Create list")
		}},
		{"item", me, func(p *tab) { p.open(p.find(mine, ".item-meta a", "")); p.press("Edit item") }},
		at("chat", me, "/chat"), at("chat-new", me, "/chat/new"), at("chat-find", me, "/chat/new?q=a"),
		at("conversation-group", me, group), at("conversation-direct", me, direct),
		at("conversation-pictures", me, pictures), {"conversation-files", me, func(p *tab) { p.open(pictures); p.giveAll() }},
		{"viewer", me, func(p *tab) {
			p.openConversation(strings.TrimPrefix(pictures, "/chat/"))
			p.clickOn(`document.querySelectorAll("a.file-picture")`)
			p.until(`document.querySelector("dialog[open] img")?.complete`)
		}},
		{"conversation-voice", me, func(p *tab) {
			p.openConversation(strings.TrimPrefix(p.find("/chat", ".conversation", "Birds"), "/chat/"))
			eval[bool](p, `(document.querySelector("audio").scrollIntoView({ block: "center" }), true)`)
			// The player says how long the recording is before it is played, or the page does.
			p.until(`document.querySelector("audio").duration > 1
				&& /^Duration: 0:0[1-9]$/.test(document.querySelector(".file-duration").textContent)
				&& document.querySelector(".file-duration").hidden`)
		}}, at("conversation-pdf", me, me.find("/chat", ".conversation", "Bike kitchen")),
		at("list-search", me, "/list/search?q=the"), at("search", me, "/search"), at("search-found", me, "/search?q=bread"),
		at("search-people", me, "/search?q=mei"),
		at("search-filtered", me, "/search?q=from:kenji+has:image+before:2099-01-01"),
		at("search-in", me, "/search?q=has:photo&in="+strings.TrimPrefix(pictures, "/chat/")), at("search-nothing", me, "/search?q=zzz"),
		{"conversation-edit", me, func(p *tab) { p.open(group); p.follow(func() { p.clickOn(`document.querySelectorAll("a.edit")`) }) }},
		{"conversation-reply", me, func(p *tab) { p.open(group); p.clickOn(`document.querySelectorAll("a.reply")`) }},
		{"conversation-react", me, func(p *tab) {
			p.open(group)
			p.click("#replying a")
			p.clickOn(`[...document.querySelectorAll("a.react-ask")].slice(-1)`)
		}},
		at("lane", me, group+"/context"), at("lane-all", me, group+"/context?show=all&q=o"), at("lane-none", me, group+"/context?q=zzz"),
		{"lane-edit", me, func(p *tab) { p.open(group + "/context"); p.act("How often", "Edit") }},
		{"lane-delete", me, func(p *tab) { p.open(group + "/context"); p.act("How often", "Delete") }},
		{"lane-reply", me, func(p *tab) { p.open(group + "/context"); p.act("How often", "Reply") }},
		{"key-requests", me, func(p *tab) { p.open(p.find("/settings/api-keys", "a[aria-label^=What]", "asked")) }},
		at("chat-stream", me, group+"?side=stream"),
		at("stream", me, group+"/stream"), at("stream-tag", me, group+"/stream?tag=decision"),
		at("thoughts", me, "/thoughts"), {"thought", me, func(p *tab) { p.open(p.find("/thoughts", ".entry-acts a", "Edit")) }},
		at("people", me, group+"/people?q=a"), {"invite", me, func(p *tab) {
			p.open(group + "/people")
			p.send("Create link")
			p.open(strings.TrimPrefix(eval[string](p, `document.querySelector(".secret").textContent`), s.base()))
		}},
		at("friends", me, "/people"), at("friends-found", me, "/people?q=a"), at("card-own", me, "/settings/card"),
		at("blocks", me, "/settings/blocks"),
		{"person", me, func(p *tab) { p.open(p.find("/people", "section a", "Tom")) }},
		{"card", guest, func(p *tab) { p.open(cardOf(me)) }},
		{"report-person", me, func(p *tab) {
			p.open("/report?user=" + strings.TrimPrefix(p.find("/people", "section a", "Tom"), "/people/"))
		}},
		{"report-message", me, func(p *tab) {
			p.open(direct)
			p.open(eval[string](p, `(a => a.pathname + a.search)(document.querySelector(".msg-acts a[href^='/report']"))`))
		}},
		at("export", me, "/settings/export"), at("delete", me, "/settings/delete"), at("deleted", guest, "/deleted"),
		at("secretary", me, "/settings/secretary?try=where+is+the+key+of+the+mill+shed"),
		{"key-activity", me, func(p *tab) { p.open(p.find("/settings/api-keys", "a[href$='/activity']", "")) }},
		at("settings", me, "/settings"), at("settings-done", me, "/settings?done=saved"), at("sessions", me, "/settings/sessions"),
		at("feedback", me, "/feedback"),
		at("admin", me, "/admin"), at("admin-people", me, "/admin/people"), at("admin-person", me, "/admin/people/"+info.People[1].ID),
		at("admin-reports", me, "/admin/reports"),
		{"admin-report", me, func(p *tab) {
			p.open(p.find("/admin/reports", "a.row", ""))
			p.clickOn(`[document.querySelector("[value=suspend]")]`)
		}},
		{"admin-report-decided", me, func(p *tab) { p.open(p.find("/admin/reports?state=decided", "a.row", "")) }},
		at("admin-feedback", me, "/admin/feedback"), at("admin-audit", me, "/admin/audit"),
		at("admin-storage", me, "/admin/storage"), at("admin-settings", me, "/admin/settings"), at("setup", me, "/setup"),
		at("invitations", me, "/invitations"), {"invitation-made", me, func(p *tab) { p.open("/invitations"); p.send("Create link") }},
		{"join", guest, func(p *tab) {
			me.open("/invitations")
			me.send("Create link")
			p.open(strings.TrimPrefix(eval[string](me, `document.querySelector(".secret").textContent`), s.base()))
		}},
		at("join-ended", guest, "/join/nothing"), at("welcome", me, "/welcome"), at("groups", me, "/chat/open"),
		{"keys", me, func(p *tab) { p.open("/settings/api-keys"); p.press("Edit Reader") }},
		at("webhooks", me, "/settings/webhooks"), {"webhook", me,
			func(p *tab) { p.open("/settings/webhooks"); p.press("http://127.0.0.1:9321/kitchen-display") }},
		{"keys-made", me, func(p *tab) { p.open("/settings/api-keys"); p.fill("#name", "Third"); p.send("Create key") }},
	}...)
}

// newLooks returns the pages of a new server.
func newLooks(t *testing.T, browser context.Context) []look {
	t.Helper()
	s := newBrowserServer(t)
	guest, ada := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	claim, err := s.app.ClaimURL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	empty := s.post("ada", "/api/lists", `{"title":"Empty","visibility":"private"}`)
	return append(openListLooks(s, guest, ada), []look{
		at("new-index-guest", guest, "/"), at("claim", guest, strings.TrimPrefix(claim, s.base())),
		{"login-code", guest, func(p *tab) { p.open("/login"); p.fill("#email", "ben@example.org"); p.send("Get a code") }},
		{"login-verify", guest, func(p *tab) { // the link does not last as long as this test may take
			link, err := s.app.SignInURL(p.ctx, "ben@example.org")
			if err != nil {
				p.t.Fatal(err)
			}
			p.open(strings.TrimPrefix(link, s.base()))
		}},
		at("new-asks", ada, "/asks"), at("new-stories", ada, "/stories"), at("new-drafts", ada, "/drafts"), at("new-inbox", ada, "/inbox"),
		at("new-thoughts", ada, "/thoughts"), at("new-index", ada, "/"), at("new-list", ada, "/list/"+empty), at("new-chat", ada, "/chat"),
		at("new-keys", ada, "/settings/api-keys"),
		{"notes", ada, func(p *tab) { p.open("/thoughts"); p.send("Files and voice notes") }},
	}...)
}

// cardOf returns the path of the card of the person of p.
func cardOf(p *tab) string { return p.find("/settings/card", "a.btn", "Open your card") }
