package app_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowser uses the pages with a real browser, as people do. All parts share
// one browser process; each person in them has a profile of their own.
// HEARTH_AXE names axe.min.js of npm's axe-core, HEARTH_SHOTS a folder for
// screenshots of all pages.
func TestBrowser(t *testing.T) {
	browser := startBrowser(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, context.Context)
	}{
		{"pages", testPages}, {"asks, offers and Stories", testAsks}, // the longest
		{"conversation", testConversation}, {"navigation", testNavigation},
		{"forms without scripts", testForms}, {"first hour", testFirstHour}, {"first hour without scripts", testFirstHourForms},
		{"open list", testOpenList}, {"items", testItems}, {"item rows", testRows}, {"item rows meanwhile", testRowsMeanwhile},
		{"check off", testCheckOff},
		{"updates", testUpdates},
		{"reactions", testReactions},
		{"stream panel", testPanel}, {"context lane", testLane}, {"context meanwhile", testLaneMeanwhile}, {"context edits", testLaneEdits},
		{"context forms", testLaneForms},
		{"files", testFiles}, {"forgotten pictures", testForgottenPictures},
		{"refresh", testRefresh}, {"missed events", testMissedEvents}, {"late parts", testLateParts}, {"edit meanwhile", testEditMeanwhile},
		{"events meanwhile", testEventsMeanwhile},
		{"tabs", testTabs}, {"second tab", testSecondTab},
		{"list stream", testListStream},
		{"errors of scripts", testScriptErrors},
		{"signed out", testSignedOut}, {"other account", testOtherAccount},
		{"server comes back", testResume},
		{"response is lost", testLostResponse},
		{"reader is not moved", testScroll},
		{"first unread", testFirstUnread}, {"stale page", testStalePage}, {"newest", testNewest}, {"message address", testMessageAddress},
		{"drafts", testDrafts}, {"kept drafts", testKeptDrafts}, {"correction", testCorrection}, {"refused correction", testRefusedCorrection},
		{"reading looks", testReadingLooks},
		{"community", testCommunity}, {"mail invitation", testMailInvitation}, {"empty pages", testEmptyPages}, {"thumb", testThumb},
		{"layout", testLayout}, {"members", testMembers}, {"mark unread", testMarkUnread}, {"long edit", testLongEdit},
		{"copy link", testCopyLink}, {"press", testPress}, {"slow page", testSlowPage}, {"markup", testMarkup}, {"mentions", testMention},
		{"writing keys", testWritingKeys},
		{"chaos", testChaos}, {"times", testTimes},
		{"keyboard", testKeyboard},
		{"inbox", testInbox}, {"inbox waits", testInboxWaits},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, browser)
		})
	}
}

// openConversation opens a conversation and waits until its script runs.
func (p *tab) openConversation(id string) {
	p.t.Helper()
	p.open("/chat/" + id)
	p.until(`!document.querySelector("#send-hint").hidden`)
	p.stays()
}

// stays marks the page; stayed checks that it is still the same one.
func (p *tab) stays() { p.t.Helper(); eval[bool](p, `window.hearthStays = true`) }

func (p *tab) stayed() {
	p.t.Helper()
	if ok, err := try[bool](p, `window.hearthStays === true`); err != nil || !ok {
		p.t.Errorf("the page was loaded again\n%s", p.state())
	}
}

// write types a message and presses Enter.
func (p *tab) write(words string) {
	p.t.Helper()
	p.click("#content")
	p.keys(words + kb.Enter)
}

// bubble returns a JavaScript expression for the one message with exactly this
// text; it is null if there is none, or more than one.
func bubble(words string) string {
	return fmt.Sprintf(`(found => found.length === 1 ? found[0] : null)([...document.querySelectorAll("#messages > .msg")]
		.filter(li => li.querySelector(".bubble > .text")?.textContent === %q))`, words)
}

// Two people sign in with links from their e-mail and write to each other; a
// third has the list of conversations open. No page is reloaded.
func testConversation(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("Supper", "ben", "cleo")
	ada, ben, cleo := newTab(t, browser, s.base()), newTab(t, browser, s.base()), newTab(t, browser, s.base())
	for name, p := range map[string]*tab{"ada": ada, "ben": ben, "cleo": cleo} {
		p.open("/chat/" + conversation)
		p.at(`/login\?next=.*`)
		p.fill("#email", name+"@example.org")
		p.follow(func() { p.press("Get a code") })
		p.shows("Enter your code", name+"@example.org")
		link, _ := s.mailTo(name + "@example.org")
		p.open(link)
		p.follow(func() { p.press("Sign in") })
		p.at("/chat/" + conversation)
	}
	ada.openConversation(conversation)
	ben.openConversation(conversation)
	cleo.open("/chat")
	cleo.stays()
	cleo.until(`document.querySelector("#unread").hidden && !document.querySelector(".conversation-unread")`)

	ada.write("Is the soup on?")
	ada.until(bubble("Is the soup on?") + `?.matches(".own[data-id]:not(.sending)")`)
	ben.until(bubble("Is the soup on?") + `?.querySelector(".who").textContent === "Ada"`)
	cleo.until(`document.querySelector(".conversation-unread .badge")?.firstElementChild.textContent === "1"
		&& document.querySelector(".conversation-preview").textContent === "Ada: Is the soup on?"`)
	cleo.until(`!document.querySelector("#unread").hidden && document.title.startsWith("(1) ")`)

	ben.click("#content")
	ben.keys("Since noon.")
	ben.keys(kb.Enter, chromedp.KeyModifiers(kb.ModifierShift))
	ben.keys("Bring a spoon." + kb.Enter)
	both := "Since noon.\nBring a spoon."
	ada.until(bubble(both) + `?.querySelector(".who").textContent === "Ben"`)
	cleo.until(`document.querySelector(".conversation-unread .badge")?.firstElementChild.textContent === "2"`)

	testReply(ada, ben, both)
	testEdit(ada, ben)
	for _, p := range []*tab{ada, ben, cleo} { // the text for screen readers is removed
		p.until(`!document.documentElement.outerHTML.includes("Two!")`)
	}
	cleo.stayed()
	ben.stayed()

	// Reading in one tab shows in the other.
	second := cleo.another()
	second.openConversation(conversation)
	cleo.until(`document.querySelector("#unread").hidden && !document.querySelector(".conversation-unread")`)
	cleo.stayed()
}

// A reply shows the message it answers, to both.
func testReply(ada, ben *tab, words string) {
	ada.clickOn(fmt.Sprintf(`[%s.querySelector("a.reply")]`, bubble(words)))
	ada.until(`!document.querySelector("#replying").hidden`)
	ada.keys("Two!" + kb.Enter)
	for _, p := range []*tab{ada, ben} {
		p.until(bubble("Two!") + `?.querySelector(".quote").textContent.includes("Bring a spoon.")`)
	}
	ada.until(`document.querySelector("#replying").hidden`)
	ada.stayed()
}

// Edits and deletions show where others read the message.
func testEdit(ada, ben *tab) {
	ada.edit("Is the soup on?")
	ada.until(`document.querySelector("#edit-content") === document.activeElement`)
	ada.fill("#edit-content", "Is the stew on?")
	ada.follow(func() { ada.press("Save") })
	for _, p := range []*tab{ada, ben} {
		p.until(bubble("Is the stew on?") + `?.querySelector(".edited").checkVisibility()`)
	}
	ada.edit("Two!")
	ada.follow(func() { ada.press("Delete message") })
	for _, p := range []*tab{ada, ben} {
		p.until(bubble("Message deleted") + `?.matches(".deleted")`)
		p.until(`document.querySelector("[aria-current] .conversation-preview").textContent === "Message deleted"`)
	}
}

// edit opens the form for a message of the person, and waits until the script has
// scrolled to it.
func (p *tab) edit(words string) {
	p.t.Helper()
	p.clickLinkIn(words, "edit")
	p.until(`!document.querySelector("#send-hint").hidden`)
}
