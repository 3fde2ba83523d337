package app_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
)

// openWithout opens a page whose script waits until run is called.
func (p *tab) openWithout(script, path string) (run func()) {
	p.t.Helper()
	call(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(p, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/" + script + "*", RequestStage: fetch.RequestStageRequest}}})
	call(p, page.Navigate, page.NavigateParams{URL: p.base + path})
	p.until(`location.href === "` + p.base + path + `" && document.readyState !== "loading"`)
	return func() { call(p, fetch.Disable, cdp.Empty{}) }
}

// A draft is not lost to what is typed before the script of the page runs, nor to
// what another tab writes and sends.
func testKeptDrafts(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	ben := signedIn(t, browser, s, "ben", 1280)
	ben.openConversation(conversation)
	other := ben.another()
	other.openConversation(conversation)
	ben.click("#content")
	ben.keys("a draft")
	run := ben.openWithout("chat.js", "/chat/"+conversation)
	ben.click("#content")
	ben.keys("and")
	run()
	ben.until(`document.querySelector("#content").value === "a draft\nand"`)
	ben.keys(" more")

	other.write("from the other tab")
	other.until(bubble("from the other tab") + `?.matches("[data-id]:not([data-local])")`)
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value === "a draft\nand more"`)
	ben.click("#content")
	ben.keys(kb.Enter)
	ben.until(bubble("a draft\nand more") + `?.matches("[data-id]:not([data-local])")`)
	ben.openConversation(conversation)
	ben.until(`document.querySelector("#content").value === "" && Object.keys(localStorage).every(key => !key.includes("-draft-"))`)
}
