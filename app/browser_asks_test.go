package app_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"hearth/app"
)

// asker is a person who uses the pages of asks, offers and Stories in one of the
// ways in which people do: in a wide or a narrow window, with scripts or without.
type asker struct {
	*tab
	s       *browserServer
	scripts bool
	wide    bool
	group   string
}

// testAsks uses everything of asks, offers, drafts, Stories and the inbox
// in every way. All ways share one server.
func testAsks(t *testing.T, browser context.Context) {
	var ahead atomic.Int64 // of the server's clock
	s := newBrowserServer(t, func(c *app.Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } })
	group := s.converse("Neighbours", "ben", "cleo")
	for _, scripts := range []bool{false, true} {
		ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
		for p, who := range map[*tab]string{ada: "ada", ben: "ben"} {
			p.signIn(s, who+"@example.org")
			if !scripts {
				p.noScripts()
			}
		}
		for _, width := range []int64{360, 1280} {
			name := fmt.Sprintf("%d pixels, scripts %v", width, scripts)
			a := &asker{ada, s, scripts, width > 600, group}
			b := &asker{ben, s, scripts, width > 600, group}
			a.size(width, 800)
			b.size(width, 800)
			t.Run(name, func(t *testing.T) {
				defer a.in(t)()
				defer b.in(t)()
				a.ask()
				a.approve(b)
				a.mistakes()
				a.draft()
				a.story(b)
				a.requests()
				a.preferences()
				if a.scripts && a.wide { // the last way: the clock is not turned back
					a.useKeys()
					a.expire(&ahead)
				}
			})
		}
	}
}

// in has the tab report to t until the function that it returns is called.
func (p *tab) in(t *testing.T) (end func()) {
	whole := p.t
	p.t = t
	return func() { p.t = whole }
}

// live waits for words that appear on the open page by themselves, or once it is
// loaded again where there are no scripts.
func (a *asker) live(words ...string) {
	a.t.Helper()
	if !a.scripts {
		a.open(eval[string](a.tab, `location.pathname`))
	}
	a.shows(words...)
}

// shows is the one of the tab for words that markup may divide.
func (a *asker) shows(words ...string) {
	a.t.Helper()
	for _, w := range words {
		a.until(fmt.Sprintf(`document.body.innerText.replace(/\s+/g, " ").includes(%q)`, w))
	}
}

// value is what a field has.
func (a *asker) value(css string) string {
	a.t.Helper()
	return eval[string](a.tab, fmt.Sprintf(`document.querySelector(%q).value`, css))
}

// ask writes an ask, looks at it as a stranger would, publishes it, declines its
// match, and withdraws it.
func (a *asker) ask() {
	const terms, secret = "A ladder to borrow on Saturday", "the old one broke"
	a.open("/asks")
	a.shows("Nothing open", "No match waits for you")
	a.send("Ask for something")
	a.fill("#terms", terms)
	a.fill("#details", secret)
	a.send("Preview")
	a.shows("Nothing is published yet", "What happens next", "You can withdraw it at any time.", "in 30 days")
	if seen := eval[string](a.tab, `document.querySelector(".seen-stranger").innerText`); strings.Join(strings.Fields(seen),
		" ") != "Someone asks "+terms {
		a.t.Errorf("a stranger would see %q", seen)
	}
	if got := string(a.s.json("ada", "GET", "/api/intents", "").body); strings.Contains(got, `"status":"active"`) {
		a.t.Errorf("the preview has published it: %s", got)
	}
	a.send("Change it")
	if a.value("#terms") != terms || a.value("#details") != secret {
		a.t.Error("the form does not have what was typed")
	}
	a.send("Preview")
	a.send("Publish this ask")
	a.shows("Published. When something fits, you get a match.", "ends in 30 days", secret)
	a.s.post("ben", "/api/intents", `{"kind":"offer","terms":"A ladder to borrow, three metres","confirm":true}`)
	a.live("Someone offers", "A ladder to borrow, three metres", "Until both of you say hello, they see your sentence",
		"closes the match for good")
	a.sides()
	a.send("Not for me: A ladder to borrow, three metres")
	a.shows("The match is closed", "closed match")
	a.send("Withdraw: " + terms)
	a.shows("Withdrawn.", "Nothing open")
	a.send("Publish it again")
	if a.value("#terms") != terms || a.value("#details") != secret {
		a.t.Error("what was withdrawn is not in the form")
	}
}

// sides checks that both sides of a match stand side by side, where there is
// room.
func (a *asker) sides() {
	a.t.Helper()
	beside := eval[bool](a.tab, `(([own, other]) => own.top === other.top && own.right < other.left)
		([...document.querySelectorAll(".match .side")].map(el => el.getBoundingClientRect()))`)
	if beside != a.wide {
		a.t.Errorf("side by side: %v", beside)
	}
}

// approve publishes what the form has, and connects with b.
func (a *asker) approve(b *asker) {
	a.send("Preview")
	a.send("Publish this ask")
	a.send("Say hello: A ladder to borrow, three metres")
	a.shows("Until both of you say hello, they see your sentence, and neither your name nor your answer.", "you said hello",
		"withdraw your ask")
	b.open("/inbox")
	b.shows("Match", "A ladder to borrow on Saturday")
	b.send("Say hello: A ladder to borrow on Saturday")
	b.shows("You are connected.", "Open the conversation")
	b.send("Open the conversation")
	b.shows("You were matched")
	a.live("Both of you said hello.")
	a.send("Open the conversation")
	a.shows("You were matched", "A ladder to borrow, three metres")
}

// mistakes sends wrong forms, which keep what was typed.
func (a *asker) mistakes() {
	a.expect("422 .*/(asks|stories|drafts)/")
	const typed = "do not lose these words"
	a.open("/asks/new")
	a.fill("#terms", " ")
	a.fill("#details", typed)
	a.send("Preview")
	a.until(`document.activeElement === document.querySelector("#terms") && document.querySelector("#terms").ariaInvalid === "true"`)
	if a.value("#details") != typed {
		a.t.Error("the details are lost")
	}
	a.open("/stories/new")
	a.fill("#text", typed)
	a.send("Preview")
	a.shows("Tick at least one person or group.")
	if a.value("#text") != typed {
		a.t.Error("the text of the Story is lost")
	}
	a.open("/asks/new")
	a.fill("#terms", typed)
	a.click("[name=who][value=chosen]")
	a.fill("#q", "cl")
	a.send("Find")
	a.shows("Cléo")
	a.expect("404")
	a.open("/drafts/00000000-0000-4000-8000-000000000000")
	a.shows("Page not found")
}

// draft edits a draft of an agent, dismisses it, undoes that, and publishes it.
func (a *asker) draft() {
	a.s.post("ada/rw", "/api/intent-drafts",
		`{"goal":"Clean the gutters","seeks":["a long ladder"],"details":"before the rain","source":"Ben: they are full","confidence":0.7}`)
	a.open("/drafts")
	a.shows("written by your agent Helper", "fairly sure", "before the rain", "Ben: they are full")
	a.send("Edit: Clean the gutters")
	a.fill("#goal", "Clean the gutters on Sunday")
	a.send("Save")
	a.shows("Draft saved. Only you can see it.", "Clean the gutters on Sunday")
	a.send("Dismiss: Clean the gutters on Sunday")
	a.shows("Draft dismissed.", "No drafts")
	a.send("Undo")
	a.shows("The draft is back.", "written by your agent Helper", "before the rain")
	a.send("Publish: Clean the gutters on Sunday")
	a.send("Preview")
	a.shows("Someone asks", "Clean the gutters on Sunday", "Only you see", "before the rain", "What happens next")
	a.press("Technical details")
	a.shows(`"quietSearch": {`, `"goal": "Clean the gutters on Sunday"`)
	a.send("Publish")
	a.shows("Published. When something fits", "Clean the gutters on Sunday")
	a.send("Withdraw: Clean the gutters on Sunday")
}

// story publishes a Story for a group, which b answers, pauses and ends it.
func (a *asker) story(b *asker) {
	a.open("/stories/new")
	a.fill("#text", "Soup on Sunday")
	a.shows("Nobody is ticked yet.")
	a.click(`[name=in][value="` + a.group + `"]`)
	if a.scripts {
		a.stays()
		a.until(`!document.querySelector(".update").checkVisibility()`)
	} else {
		a.send("Update")
	}
	a.shows("2 people: Ben, Cléo")
	a.click(`[name=in]`)
	if a.scripts {
		a.shows("Nobody is ticked yet.")
		a.stayed()
	}
	a.click(`.person:has([value$=" Ben"]) input`)
	if !a.scripts {
		a.send("Update")
	}
	a.shows("1 person: Ben")
	if a.value("#text") != "Soup on Sunday" {
		a.t.Error("the text of the Story is lost")
	}
	a.send("Preview")
	a.shows("1 person: Ben", "Those who answer", "in 7 days")
	a.send("Publish this Story")
	a.shows("The people you chose can see it.", "shown", "ends in 7 days", "1 person: Ben")
	a.saysEnded()
	b.answerStory()
	a.send("Pause: Soup on Sunday")
	a.shows("Paused. Nobody sees it now.", "paused: nobody sees it")
	a.send("Undo")
	a.shows("It can be seen again.", "shown")
	a.send("Show for another week: Soup on Sunday")
	a.shows("It stays for another week.")
	a.send("Undo")
	a.shows("Undone.")
	a.press("End it…")
	a.shows("it cannot be shown again")
	a.send("End for good: Soup on Sunday")
	a.shows("Ended. Nobody sees it any more.", "You have no Story")
	b.open("/stories")
	b.shows("No Stories for you")
}

// saysEnded reports a page that stays open and does not say so once what it shows has ended.
func (a *asker) saysEnded() {
	if !a.scripts {
		return
	}
	said := eval[string](a.tab, `(async () => {
		const el = document.querySelector('#mine time[data-as="ends"]').cloneNode();
		el.dateTime = new Date(Date.now() - 1000).toISOString();
		const shown = document.createElement("p");
		shown.append(el);
		(await import(document.querySelector('script[src*="times"]').src)).localise(shown);
		return shown.textContent;
	})()`)
	if said != "ended" {
		a.t.Errorf("a page says %q of what has ended", said)
	}
}

// answerStory replies to the Story of ada.
func (a *asker) answerStory() {
	a.open("/stories")
	a.shows("Soup on Sunday", "ends in 7 days")
	a.send("Reply to Ada")
	a.fill("#message", "I come with two bowls")
	a.send("Preview")
	a.shows("Nothing is sent yet", "I come with two bowls", "Only the two of you see it")
	a.send("Send to Ada")
	a.shows("I come with two bowls")
	a.at("/chat/[0-9a-f-]{36}")
}

// request has ada's agent ask for the approval of a Story for ben.
func (a *asker) request(text string) {
	a.t.Helper()
	until := time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)
	a.s.grantOf("ada/rw", "/api/stories",
		fmt.Sprintf(`{"confirm":false,"text":%q,"audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":%q}`, text, until))
}

// requests refuses what an agent asks for, and approves something else; the
// focus continues at the next item each time.
func (a *asker) requests() {
	a.s.post("ada", "/api/intent-drafts", `{"goal":"Walk to the sea"}`)
	a.request("Buns at six")
	a.request("Buns at seven")
	a.open("/inbox")
	a.shows("Helper asks to publish a Story", "With your key rw (oc_", "ends in 10 minutes", "Buns at six", "1 person: Ben",
		"exactly this is done, once")
	a.press("Technical details")
	a.shows(`"text": "Buns at six"`)
	a.counts(3)
	a.follow(func() { a.click(".inbox-item [value=refuse]") })
	a.shows("Refused. Nothing was done.")
	a.counts(2)
	a.focusOn("Buns at seven")
	a.follow(func() { a.click(".inbox-item [value=approve]") })
	a.shows("Approved. It is published.")
	a.counts(2) // the Story ends in two days
	a.focusOn("Walk to the sea")
	a.send("Dismiss: Walk to the sea")
	a.shows("Draft dismissed.")
	a.counts(1)
	a.send("Undo")
	a.counts(2)
	a.shows("Walk to the sea", "The draft is back.")
	a.send("Dismiss: Walk to the sea")
	a.shows("Your Story ends in 2 days", "Buns at seven")
	a.follow(func() { a.click(".inbox-item [value=withdraw]") })
	a.shows("Ended.", "All done")
}

// counts waits for the count of the inbox.
func (a *asker) counts(n int) {
	a.t.Helper()
	a.until(fmt.Sprintf(`document.querySelector("#inbox-count").dataset.count === "%d"
		&& document.querySelector("#inbox-count").hidden === %v`, n, n == 0))
}

// focusOn waits until the item with the words has the focus.
func (a *asker) focusOn(words string) {
	a.t.Helper()
	a.until(fmt.Sprintf(`document.activeElement.matches(".inbox-item") && document.activeElement.innerText.includes(%q)`, words))
}

// preferences pauses matching, and takes asks and Stories out of the navigation.
func (a *asker) preferences() {
	a.open("/settings/matching")
	a.shows("Matching is on.", "Your open asks and offers are compared", "Nothing is deleted or paused.")
	a.send("Pause")
	a.shows("Matching is paused.", "You get no new matches", "closes for good if the other person says hello meanwhile")
	a.open("/asks")
	a.shows("Matching is paused")
	a.send("Resume it in the settings")
	a.send("Resume")
	a.click("[name=mode][value=simple]")
	a.send("Save")
	a.shows("They are still there")
	a.until(`!document.querySelector(".nav [href='/asks']")`)
	a.click("[name=mode][value=enhanced]")
	a.send("Save")
	a.until(`document.querySelector(".nav [href='/asks']") !== null`)
}

// useKeys decides with the keyboard alone.
func (a *asker) useKeys() {
	for _, goal := range []string{"First", "Second", "Third"} {
		a.s.post("ada", "/api/intent-drafts", fmt.Sprintf(`{"goal":%q}`, goal))
	}
	a.open("/inbox")
	a.until(keysWork)
	a.keys("?")
	a.shows("next and previous", "z undo")
	a.keys("d")
	a.until(`document.querySelector("#live").textContent.startsWith("Press j")`)
	a.keys("j")
	a.focusOn("Third")
	a.keys(kb.ArrowDown)
	a.focusOn("Second")
	a.keys(kb.ArrowUp)
	a.focusOn("Third")
	a.keys("jj")
	a.focusOn("First")
	a.keys("k")
	a.follow(func() { a.keys("d") })
	a.focusOn("First")
	a.until(`document.querySelector("#live").textContent === "Draft dismissed. 2 left to decide."`)
	a.follow(func() { a.keys("z") })
	a.shows("The draft is back.")
	a.counts(3)
	a.until(keysWork)
	a.keys("j")
	a.follow(func() { a.keys("e") })
	a.at("/drafts/[0-9a-f-]{36}.back=inbox")
	a.send("Save")
	a.at("/inbox.*")
	a.until(keysWork)
	a.keys("?")
	a.press("Turn keys off")
	a.until("!(" + keysWork + ")")
	a.keys("j")
	a.press("Turn keys on")
	a.until(keysWork + ` && !document.activeElement.matches(".inbox-item")`)
	a.keys("j")
	a.staysInPlace()
	for range 4 {
		a.until(keysWork + ` && document.activeElement.matches(".inbox-item")`) // the browser itself may give it the focus earlier
		a.follow(func() { a.keys("d") })
	}
	a.shows("All done")
}

// staysInPlace has another item arrive, which leaves the focus where it is.
func (a *asker) staysInPlace() {
	a.until(`document.activeElement.matches(".inbox-item")`)
	eval[bool](a.tab, `(window.hearthItem = document.activeElement, true)`)
	a.s.post("ada", "/api/intent-drafts", `{"goal":"Fourth"}`)
	a.shows("Fourth")
	a.until(`document.activeElement === window.hearthItem && document.querySelectorAll(".inbox-item").length === 4`)
}

// expire turns the clock until the request of an agent has nearly expired. The
// count falls, and the request goes, without a load and on the next one.
func (a *asker) expire(ahead *atomic.Int64) {
	a.request("Buns at eight")
	ahead.Add(int64(10*time.Minute - 5*time.Second))
	a.open("/inbox")
	a.shows("Buns at eight")
	a.counts(1)
	a.stays()
	a.keys("j")
	a.focusOn("Buns at eight")
	a.counts(0)
	a.shows("All done")
	a.until(`document.activeElement.id === "inbox"`)
	a.stayed()
}
