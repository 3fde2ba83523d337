package app_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"hearth/app"
)

// laneOn gives conversations a Context lane.
func laneOn(c *app.Config) { c.ContextLane = true }

// lanePost is the post with the words on the page.
func lanePost(words string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#lane-items .entry")]
		.find(e => e.querySelector(":scope > .text, textarea")?.textContent.includes(%q))`, words)
}

// act presses a link or a button of a post.
func (p *tab) act(words, label string) {
	p.t.Helper()
	p.until(`!!` + lanePost(words))
	p.clickOn(fmt.Sprintf(`[...%s.querySelectorAll("a, button, summary")].filter(e => e.textContent === %q)`, lanePost(words), label))
}

// The lane beside a conversation: both see a post, a reply, an edit in conflict with
// another, the state of an ask and a deletion at once. The other's page shows no
// count, title or message of it. What is typed stays when others post.
func testLane(t *testing.T, browser context.Context) {
	s := newBrowserServer(t, laneOn)
	conversation := s.converse("Supper", "ben")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.expect(`422 .*/edit$`)
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	for _, p := range []*tab{ada, ben} {
		p.size(1400, 900)
		p.openConversation(conversation)
	}
	quiet := eval[string](ben, `document.title + document.querySelector("#conversations").textContent`)
	ada.fill("#lane-text", "Who has a ladder?")
	eval[bool](ada, `(document.querySelector("#lane-kind").value = "ask", true)`)
	ada.clickOn(`document.querySelectorAll("#lane-post button")`)
	ben.fill("#lane-text", "half a sentence")
	ben.until(`!!` + lanePost("Who has a ladder?"))
	if got := eval[string](ben, `document.querySelector("#lane-text").value`); got != "half a sentence" {
		t.Errorf("what Ben typed is %q", got)
	}
	ben.fill("#lane-text", "")
	ben.act("Who has a ladder?", "Reply")
	ben.until(`document.activeElement.id === "lane-text" && document.querySelector(".lane-replying").textContent.includes("ladder")`)
	ben.fill("#lane-text", "I have a short one")
	ben.clickOn(`document.querySelectorAll("#lane-post button")`)
	ada.until(lanePost("I have a short one") + `?.querySelector(".quote").textContent.includes("Who has a ladder?")`)

	ada.act("Who has a ladder?", "Track")
	ben.until(lanePost("Who has a ladder?") + `?.querySelector(".entry-head").textContent.includes("open")`)
	ada.act("Who has a ladder?", "Fulfilled")
	ben.until(lanePost("Who has a ladder?") + `?.querySelector(".entry-head").textContent.includes("fulfilled")`)

	ada.act("Who has a ladder?", "Edit")
	ada.until(`document.activeElement.matches(".lane-edit textarea")`)
	post := eval[string](ada, `document.querySelector(".lane-edit").closest(".entry").id.slice(2)`)
	path := "/api/chat/conversations/" + conversation + "/context/" + post
	if res := s.json("ada", "PATCH", path, `{"text":"Who has a long ladder?","expectedRevision":1}`); res.status != 200 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	ben.until(`!!` + lanePost("Who has a long ladder?"))
	ada.fill(".lane-edit textarea", "Who lends a ladder?")
	ada.clickOn(`document.querySelectorAll(".lane-edit button")`)
	ada.until(`document.querySelector(".lane-now")?.textContent === "Who has a long ladder?"
		&& document.querySelector(".lane-edit textarea").value === "Who lends a ladder?"`)
	ada.clickOn(`document.querySelectorAll(".lane-edit button")`)
	ben.until(`!!` + lanePost("Who lends a ladder?"))

	ben.act("I have a short one", "Delete")
	ben.until(`document.activeElement.matches(".lane-sure button")`)
	ben.clickOn(`document.querySelectorAll(".lane-sure button")`)
	ada.until(`!!` + lanePost("Post deleted"))
	if got := eval[string](ben, `document.title + document.querySelector("#conversations").textContent`); got != quiet {
		t.Errorf("the column of Ben says %q, and before %q", got, quiet)
	}
	ada.stayed()
	ben.stayed()
}

// What is typed before an answer comes stays, with the focus.
func testLaneMeanwhile(t *testing.T, browser context.Context) {
	s := newBrowserServer(t, laneOn)
	p := signedIn(t, browser, s, "ada", 1400)
	p.openConversation(s.converse("Supper", "ben"))
	p.queue("^http.*/(context|track)$") // what forms send
	late := func() {
		t.Helper()
		eval[bool](p, `(window.was = document.querySelector("#lane-text"), true)`)
		p.deliver(0, 200)
		p.until(`document.querySelector("#lane-text") !== window.was`)
	}
	has := func(css, value string) {
		t.Helper()
		p.until(fmt.Sprintf(`document.activeElement.matches(%q) && document.activeElement.value === %q`, css, value))
	}
	post := func(words string) {
		t.Helper()
		p.fill("#lane-text", words)
		eval[bool](p, `(document.querySelector("#lane-kind").value = "ask", true)`)
		p.clickOn(`document.querySelectorAll("#lane-post button")`)
		p.waiting(1)
	}
	post("Who has a ladder?")
	p.fill("#lane-text", "And a hammer?")
	late()
	p.keys(" Today")
	has("#lane-text", "And a hammer? Today")
	post("And a saw?")
	p.click("#content")
	p.keys("mm")
	late()
	p.keys("h")
	has("#content", "mmh")
	p.until(`document.querySelector("#lane-text").value === ""`)

	p.act("Who has a ladder?", "Track")
	p.waiting(1)
	p.act("And a saw?", "Edit")
	p.until(`document.activeElement.matches(".lane-edit textarea")`)
	p.keys(kb.End + " For")
	late()
	p.until(lanePost("Who has a ladder?") + `?.querySelector(".entry-head").textContent.includes("open")`)
	p.keys(" wood")
	has(".lane-edit textarea", "And a saw? For wood")
	p.clickOn(`document.querySelectorAll(".lane-edit button")`)
	p.until(`!!` + lanePost("And a saw? For wood") + ` && !document.querySelector(".lane-edit")`)
	p.stayed()
}

// Two posts that are edited at once have fields of their own: no id is there twice, each
// label and each error belongs to the field beside it, and each is saved as it was typed.
func testLaneEdits(t *testing.T, browser context.Context) {
	s := newBrowserServer(t, laneOn)
	conversation := s.converse("Supper", "ben")
	for _, text := range []string{"A ladder", "A saw"} {
		s.post("ada", "/api/chat/conversations/"+conversation+"/context", fmt.Sprintf(`{"text":%q,"clientRequestId":%[1]q}`, text))
	}
	p := signedIn(t, browser, s, "ada", 1400)
	p.expect(`422 .*/edit$`)
	p.openConversation(conversation)
	const apart = `(() => {
		const ids = [...document.querySelectorAll("[id]")].map(el => el.id), forms = [...document.querySelectorAll(".lane-edit")];
		return forms.length === 2 && new Set(ids).size === ids.length && forms.every(form => {
			const label = form.querySelector("label"), field = form.querySelector("textarea"), error = form.querySelector(".error");
			return label.control === field && (!error || document.getElementById(field.getAttribute("aria-describedby")) === error);
		});
	})()`
	p.act("A ladder", "Edit")
	p.until(`document.activeElement.matches(".lane-edit textarea") && document.activeElement.value === "A ladder"`)
	p.act("A saw", "Edit")
	p.until(`document.querySelectorAll(".lane-edit").length === 2`)
	p.until(apart)
	for _, text := range []string{"A ladder", "A saw"} {
		p.clickOn(`[` + lanePost(text) + `.querySelector("label")]`)
		p.until(fmt.Sprintf(`document.activeElement.matches(".lane-edit textarea") && document.activeElement.value === %q`, text))
	}
	for n, text := range []string{"A ladder", "A saw"} { // both are refused
		eval[bool](p, `(`+lanePost(text)+`.querySelector("textarea").value = "  ", true)`)
		p.clickOn(`[` + lanePost(text) + `.querySelector(".lane-edit button")]`)
		p.until(fmt.Sprintf(`document.querySelectorAll(".lane-edit .error").length === %d`, n+1))
		p.until(apart)
	}
	for n, text := range []string{"A saw for wood", "A long ladder"} {
		eval[bool](p, fmt.Sprintf(`(document.querySelector(".lane-edit textarea").value = %q, true)`, text))
		p.clickOn(`[document.querySelector(".lane-edit button")]`)
		p.until(fmt.Sprintf(`document.querySelectorAll(".lane-edit").length === %d`, 1-n))
		p.until(`!!` + lanePost(text))
	}
	p.stayed()
}

// Answers of agents come in while their asker watches, and stand in the log of the
// key. The page of the lane and the settings work without scripts.
func testLaneForms(t *testing.T, browser context.Context) {
	s := newBrowserServer(t, laneOn)
	conversation := s.converse("Supper", "ben")
	s.send("ben", conversation, "Soup at #six")
	s.token("ben/rw")
	ada, ben := newTab(t, browser, s.base()), newTab(t, browser, s.base())
	ada.signIn(s, "ada@example.org")
	ben.signIn(s, "ben@example.org")
	ben.noScripts()
	ben.open("/settings/api-keys")
	ben.send("Allow requests to rw")
	ben.shows("Can be asked.")

	ada.size(1400, 900)
	ada.openConversation(conversation)
	ada.fill("#lane-text", "Who brings bread?")
	ada.clickOn(`document.querySelectorAll("#lane-post button")`)
	ada.act("Who brings bread?", "Ask the agents")
	ada.until(lanePost("Who brings bread?") + `?.textContent.includes("0 of 1 agent answered")`)
	id := s.firstRequest("ben/rw")
	if res := s.json("ben/rw", "POST", inboxPath+"/"+id+"/respond", `{"text":"Ben bakes on Fridays"}`); res.status != 200 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	ada.until(lanePost("Ben bakes on Fridays") + `?.querySelector(".entry-head").textContent.includes("agent")`)
	ada.until(lanePost("Who brings bread?") + `?.textContent.includes("1 of 1 agent answered")`)
	ada.stayed()

	// A post that is not among the newest stays while the lane is read again.
	for n := range 31 {
		s.post([]string{"ada", "ben"}[n%2], "/api/chat/conversations/"+conversation+"/context",
			fmt.Sprintf(`{"text":"further %d","clientRequestId":"f%d"}`, n, n))
	}
	ada.until(`!!` + lanePost("further 30") + ` && !` + lanePost("Who brings bread?"))
	ada.clickOn(`document.querySelectorAll("#lane-items .older a")`)
	ada.act("Who brings bread?", "Edit")
	ada.fill(".lane-edit textarea", "Who brings rye bread?")
	ada.clickOn(`document.querySelectorAll(".lane-edit button")`)
	ada.until(`!!` + lanePost("Who brings rye bread?") + ` && !document.querySelector(".lane-edit")`)
	s.post("ben", "/api/chat/conversations/"+conversation+"/context", `{"text":"further still","clientRequestId":"f"}`)
	ada.until(`!!` + lanePost("further still") + ` && !!` + lanePost("Who brings rye bread?"))

	ben.open("/settings/api-keys/" + s.keyID("ben/rw") + "/requests")
	ben.shows("Who brings rye bread?", "Ben bakes on Fridays", "answered")
	ben.open("/chat/" + conversation + "/context")
	ben.fill("#lane-text", "Bread for everybody")
	ben.send("Post")
	ben.shows("Bread for everybody", "further still")
	ben.open("/chat/" + conversation + "/context?show=all&q=six")
	ben.shows("Soup at #six")
	if got := eval[string](ben, `document.querySelector("#lane-items").textContent`); len(got) == 0 ||
		eval[bool](ben, `document.querySelector("#lane-items").textContent.includes("bread")`) {
		t.Errorf("the search shows %s", got)
	}
}
