package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
)

// What changes while it is pressed can still be clicked: an item, and a
// conversation in the column.
func testPress(t *testing.T, browser context.Context) {
	for _, width := range []int64{1280, 360} {
		s := newBrowserServer(t)
		conversation := s.converse("", "ben")
		s.send("ben", conversation, "first")
		list := s.post("ada", "/api/lists", `{"title":"Shopping","visibility":"public"}`)
		item := s.post("ada", "/api/lists/"+list+"/items", `{"content":"Milk"}`)
		ada := signedIn(t, browser, s, "ada", width)

		ada.open("/list/" + list)
		ada.until(`document.querySelector("#items.live") !== null`)
		ada.pressed(".item", func() {
			s.json("ada", "PATCH", "/api/lists/"+list+"/items/"+item, `{"content":"Oat milk"}`)
		}, `performance.getEntriesByType("resource").filter(r => r.name.includes("/items")).length > 0`)
		ada.at("/list/" + list + "/item/" + item)
		ada.shows("Oat milk")

		ada.open("/chat")
		ada.until(`document.querySelector(".conversation").textContent.includes("first")`)
		s.send("ada", s.converse("", "cleo"), "to another") // the stream is open, and this row is the first
		ada.until(`document.querySelectorAll(".conversation").length === 2
			&& document.querySelector(".conversation").textContent.includes("to another")`)
		eval[bool](ada, `(window.heard = "", new BroadcastChannel("hearth-live-" + document.body.dataset.me)
			.onmessage = ({ data }) => { heard += data.name; }, true)`)
		ada.pressed(`.conversation[href="/chat/`+conversation+`"]`,
			func() { s.send("ben", conversation, "second") }, `heard.includes("message.created")`)
		ada.at("/chat/" + conversation)
	}
}

// pressed presses the mouse on an element, and releases it once the page has learnt
// what change changed. It waits for the page that this leads to.
func (p *tab) pressed(css string, change func(), learnt string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector(%q) !== null`, css))
	x, y := p.where(css, 0.6)
	p.follow(func() {
		p.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
		change()
		p.until(learnt)
		p.settled()
		p.mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
	})
}

// slowBody is a body whose second half comes later.
type slowBody struct {
	io.ReadCloser
	first, wait int64
}

func (b *slowBody) Read(to []byte) (int, error) {
	if b.first <= 0 && b.wait > 0 {
		time.Sleep(time.Duration(b.wait))
		b.wait = 0
	}
	if b.first > 0 {
		to = to[:min(int64(len(to)), b.first)]
	}
	n, err := b.ReadCloser.Read(to)
	b.first -= int64(n)
	return n, err
}

// A message that an address names is in sight without scripts, too, when the page
// arrives in parts.
func testSlowPage(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	ids := s.lines(conversation, 100)
	to, err := url.Parse(s.base())
	if err != nil {
		t.Fatal(err)
	}
	slow := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Header.Set("Accept-Encoding", "identity") },
		ModifyResponse: func(res *http.Response) error {
			if res.Request.URL.Query().Has("at") {
				res.Body = &slowBody{res.Body, res.ContentLength * 6 / 10, int64(time.Second)}
			}
			return nil
		},
		FlushInterval: -1,
	})
	t.Cleanup(slow.Close)
	for _, width := range []int64{1280, 360} {
		ada := signedIn(t, browser, s, "ada", width)
		ada.noScripts()
		ada.base = slow.URL // cookies do not belong to a port
		ada.open("/chat/" + conversation + "?at=" + ids[49])
		ada.until(`document.readyState === "complete"`)
		ada.until(onScreen(".marked"))
	}
}
