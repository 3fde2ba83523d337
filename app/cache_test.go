package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/app"
)

// Every response to somebody who is signed in is kept by no cache, but for what
// everybody gets who has its address.
func TestEveryPrivateResponseIsNotKept(t *testing.T) {
	public := []string{"/api/pictures/{id}", "/api/openapi.json", "/api/docs", "/mcp/server-card", "/.well-known/ai-catalog.json",
		"/AGENTS.md", "/llms.txt", "/.well-known/lists.json", "/robots.txt", "/sitemap.xml", "/.well-known/security.txt"}
	staged := callStage(t)
	w := staged.copy(t, staged.snapshot(), func(c *app.Config) { c.NoRateLimits = true })
	operations := readOperations(t, w, newOtherSite(t).URL)
	r := newRound(w, 1, 0, operations, newCallTable(operations))
	slices.SortStableFunc(operations, func(a, b *operation) int { return a.ends - b.ends })
	for _, o := range operations {
		res := r.send(r.base(o))
		got := res.header.Get("Cache-Control")
		if private := !slices.Contains(public, o.path); private && !strings.HasPrefix(got, "no-store") || !private &&
			strings.Contains(got, "no-store") {
			t.Errorf("%s: %d, Cache-Control %q", o.name(), res.status, got)
		}
	}
}

// After who saw a picture has signed out or has lost access, their browser has
// no copy of it to show.
func testForgottenPictures(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	group := s.post("ada", "/api/chat/conversations", `{"type":"group","title":"Supper","participantIds":["$id:ben"]}`)
	photo := idIn(t, s.upload("ada", "a.jpg", string(testFile(t, "photo"))).body)
	s.post("ada", "/api/chat/conversations/"+group+"/messages", `{"attachments":[{"id":"`+photo+`"}]}`)
	const shown = `document.querySelector("a.file-picture img")?.naturalWidth > 0`
	kept := func(p *tab) int {
		return eval[int](p, fmt.Sprintf(`Promise.all(["", "?preview=true"].map(q =>
			fetch("/api/chat/attachments/%s" + q, { cache: "force-cache" }).then(r => r.ok ? 1 : 0))).then(n => n[0] + n[1])`, photo))
	}
	ben := newTab(t, browser, s.base())
	ben.signIn(s, "ben@example.org")
	ben.open("/chat/" + group)
	ben.until(shown)
	if kept(ben) != 2 {
		t.Error("a member does not get the picture")
	}
	ben.open("/settings")
	ben.expect("404|401")
	s.json("ada", "DELETE", "/api/chat/conversations/"+group+"/participants/"+s.ids["$id:ben"], "")
	if n := kept(ben); n != 0 {
		t.Errorf("%d files are shown to one who was removed", n)
	}
	s.post("ada", "/api/chat/conversations/"+group+"/participants", `{"userId":"$id:ben"}`)
	ben.open("/chat/" + group)
	ben.until(shown)
	ben.open("/settings")
	ben.follow(func() { ben.press("Sign out") })
	if n := kept(ben); n != 0 {
		t.Errorf("%d files are shown after signing out", n)
	}
	ben.follow(func() { eval[bool](ben, `(history.go(-2), true)`) })
	ben.at("/login.*")
	if eval[bool](ben, `document.querySelector("a.file-picture") !== null`) {
		t.Error("the conversation is shown after going back")
	}
}
