package app_test

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// lefts are the left edges of elements, or of the words of headings and links, in
// pixels.
func (p *tab) lefts(css ...string) (lefts []float64) {
	p.t.Helper()
	for _, c := range css {
		lefts = append(lefts, eval[float64](p, fmt.Sprintf(`(() => {
			const el = document.querySelector(%q), words = new Range();
			words.selectNodeContents(el);
			return (el.matches("h1, h2, a") ? words : el).getBoundingClientRect().left;
		})()`, c)))
	}
	return lefts
}

// aligned checks that elements have one left edge.
func (p *tab) aligned(css ...string) {
	p.t.Helper()
	lefts := p.lefts(css...)
	for i, left := range lefts {
		if math.Abs(left-lefts[0]) > 1 {
			p.t.Errorf("%s begins at %v, %s at %v", css[i], left, css[0], lefts[0])
		}
	}
}

// Things that belong together line up, what is read has room, and a page has one
// main action.
func testLayout(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	for _, who := range []string{"ben", "cleo"} {
		s.token(who)
	}
	if res := s.json("ben", "PATCH", "/api/auth/me", `{"name":"Tomás Ferreira"}`); res.status != 200 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	list := s.post("ada", "/api/lists",
		`{"title":"For the third (do not tell Layla)","visibility":"public","checkable":true,"items":[`+
			`{"content":"Star map for that very evening, printed, with the hill on it"},{"content":"Bread"}]}`)
	conversation := s.post("ada", "/api/chat/conversations", s.fillIDs(`{"participantIds":["$id:ben"]}`))
	p := signedIn(t, browser, s, "ada", 1280)
	t.Run("titles and tabs", func(t *testing.T) { defer p.in(t)(); p.headings("/list/" + list) })
	t.Run("column", func(t *testing.T) {
		defer p.in(t)()
		p.size(1280, 800)
		p.open("/chat/" + conversation)
		p.aligned(".brand svg", "#column-title", "#find", ".conversation > .avatar")
		p.open("/chat")
		p.aligned(".brand svg", "#column-title", "#find", ".conversation > .avatar")
	})
	t.Run("composer", func(t *testing.T) {
		defer p.in(t)()
		p.phone(740)
		p.openConversation(conversation)
		p.roomToWrite("Message Tomás Ferreira")
		if behind := eval[int](p, `(() => {
			const note = document.body.appendChild(Object.assign(document.createElement("p"),
				{ className: "connection", textContent: "Reconnecting…" })).getBoundingClientRect();
			return [...document.querySelectorAll(".pane-head a")].map(el => el.getBoundingClientRect())
				.filter(r => r.bottom > note.top && r.top < note.bottom && r.right > note.left && r.left < note.right).length;
		})()`); behind > 0 {
			t.Errorf("the note about the connection covers %d buttons", behind)
		}
	})
	t.Run("list", func(t *testing.T) {
		defer p.in(t)()
		p.phone(740)
		p.open("/list/" + list)
		p.until(`document.querySelector("#items.live") !== null`)
		p.roomToRead()
		p.open("/settings/sessions")
		broken := eval[int](p, `[...document.querySelectorAll(".dots > *")].filter(el => el.getClientRects().length > 1
			|| el.parentElement.scrollWidth > el.parentElement.clientWidth).length`)
		if broken > 0 {
			t.Errorf("%d parts of lines with dots go on in the next line", broken)
		}
	})
	t.Run("navigation", func(t *testing.T) { newTab(t, browser, s.base()).wholeWords(s) })
	t.Run("long names", func(t *testing.T) { defer p.in(t)(); p.longNames(s) })
	t.Run("main action", func(t *testing.T) { defer p.in(t)(); p.oneMainAction(s) })
}

// headings checks what is at the top of pages, on phones and wide screens.
func (p *tab) headings(list string) {
	p.t.Helper()
	for _, width := range []int64{1280, 360} {
		p.size(width, 800)
		gap := map[string]float64{}
		for _, path := range []string{"/asks", "/stories", "/settings"} {
			p.open(path)
			p.aligned("h1", ".tabs a")
			if path != "/settings" {
				gap[path] = eval[float64](p, `document.querySelector(".section h2").getBoundingClientRect().top
					- document.querySelector(".head").getBoundingClientRect().bottom`)
			}
		}
		if gap["/asks"] != gap["/stories"] {
			p.t.Errorf("the space above the first heading at %d pixels differs: %v", width, gap)
		}
	}
	p.size(1280, 800)
	p.open(list)
	if lines := eval[float64](p, `(h => h.getBoundingClientRect().height / parseFloat(getComputedStyle(h).lineHeight))
		(document.querySelector("h1"))`); lines > 1.1 {
		p.t.Errorf("the title of a list takes %v lines", lines)
	}
}

// roomToWrite checks that the field for a message has room for what it says, and
// that its buttons can be told apart and pressed.
func (p *tab) roomToWrite(prompt string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector("#content").placeholder === %q && !document.querySelector("#record").hidden`, prompt))
	over := eval[float64](p, `(() => {
		const box = document.querySelector("#content"), s = getComputedStyle(box), pen = document.createElement("canvas").getContext("2d");
		pen.font = s.font;
		return pen.measureText(box.placeholder).width - box.clientWidth + parseFloat(s.paddingLeft) + parseFloat(s.paddingRight);
	})()`)
	if over > 0 {
		p.t.Errorf("the field lacks %v pixels for %q", over, prompt)
	}
	for _, css := range []string{"#record", ".composer-attach", ".composer-send"} {
		if odd := eval[string](p, fmt.Sprintf(`(() => {
			const el = document.querySelector(%q), r = el.getBoundingClientRect(), icon = el.querySelector("svg").getBoundingClientRect();
			return r.width < 36 || r.height < 44 || icon.width < 18 ? r.width + "x" + r.height + " with an icon of " + icon.width : "";
		})()`, css)); odd != "" {
			p.t.Errorf("%s is too small: %s", css, odd)
		}
	}
}

// roomToRead checks that the text of items has the width of their rows and some
// space above it, and that nothing covers who added them.
func (p *tab) roomToRead() {
	p.t.Helper()
	for _, odd := range eval[[]string](p, `[...document.querySelectorAll(".item")].flatMap(li => {
		const box = el => el.getBoundingClientRect(), odd = [], row = box(li), text = box(li.querySelector(".text")),
			body = box(li.querySelector(".item-body"));
		const lines = text.height / parseFloat(getComputedStyle(li.querySelector(".text")).lineHeight);
		if (body.width < 0.7 * row.width) odd.push("has " + body.width + " of " + row.width + " pixels");
		if (lines > 3.1) odd.push("takes " + lines + " lines");
		if (text.top - row.top < 6) odd.push("is " + (text.top - row.top) + " pixels below the edge");
		if (box(li.querySelector(".item-open")).right > box(li.querySelector(".moves")).left) odd.push("has its date behind buttons");
		return odd.map(words => li.innerText + " " + words);
	})`) {
		p.t.Error(odd)
	}
}

// wholeWords checks that the navigation of an administrator, which has most parts, is
// one line of whole words in every window in which it is at the top.
func (p *tab) wholeWords(s *browserServer) {
	p.t.Helper()
	p.claim(s, "Olga", "")
	for _, width := range []int64{641, 768, 960, 961, 1024} {
		p.size(width, 800)
		p.open("/")
		for _, odd := range eval[[]string](p, `(() => {
			for (const badge of document.querySelectorAll(".nav .badge")) badge.hidden = false;
			const shown = [...document.querySelectorAll(".brand, .nav > :is(a, button)")].filter(el => el.checkVisibility()),
				top = shown[0].getBoundingClientRect();
			return shown.filter(el => {
				const r = el.getBoundingClientRect(), word = el.querySelector(".word")?.getBoundingClientRect();
				return r.right > innerWidth || r.top > top.bottom || word?.height > 30;
			}).map(el => el.innerText);
		})()`) {
			p.t.Errorf("at %d pixels there is no room for %q", width, odd)
		}
	}
	p.size(768, 800)
	p.open("/")
	p.click(".nav-more")
	p.follow(func() { p.click(`.sheet a[href="/settings"]`) })
	p.at("/settings")
}

// longNames checks that a tag with the name of an agent is no wider than its line.
func (p *tab) longNames(s *browserServer) {
	p.t.Helper()
	s.post("ada/rw", "/api/intent-drafts", `{"goal":"Walk to the sea"}`)
	p.open("/drafts")
	draft := eval[string](p, `new URL(document.querySelector("main a[href^='/drafts/']:not([href$=publish])").href).pathname`)
	defer p.size(1280, 800)
	for _, width := range []int64{320, 360} {
		p.size(width, 800)
		for _, path := range []string{"/drafts", draft, draft + "/publish", "/inbox"} {
			p.open(path)
			if over := eval[float64](p, `(name => {
				name.textContent = "Claude Desktop on the laptop at work";
				return name.getBoundingClientRect().right - name.closest(".entry-head").getBoundingClientRect().right;
			})(document.querySelector(".tag bdi"))`); over > 0 {
				p.t.Errorf("the name of an agent on %s is %v pixels too long at %d", path, over, width)
			}
		}
	}
}

// oneMainAction checks that a profile has one main action, whatever one may do.
func (p *tab) oneMainAction(s *browserServer) {
	p.t.Helper()
	if res := s.json("cleo", "POST", s.fillIDs("/api/friends/users/$id:ada/request"), ""); res.status >= 300 {
		p.t.Fatalf("%d %s", res.status, res.body)
	}
	const main = `[...document.querySelectorAll("main .btn-main")].map(el => el.textContent).join(" ")`
	cleo := s.fillIDs("/people/$id:cleo")
	p.open(cleo)
	p.until(main + ` === "Accept"`)
	p.send("Accept: Cléo 🌿")
	p.open(cleo)
	p.until(main + ` === "Message"`)
	p.open(s.fillIDs("/people/$id:ben"))
	p.until(main + ` === "Message"`)
}
