package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp/kb"
)

// noScripts turns scripts off for all pages the tab opens from now on.
func (p *tab) noScripts() {
	p.t.Helper()
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// send presses the button of a form and waits for the next page.
func (p *tab) send(label string) {
	p.t.Helper()
	p.follow(func() { p.press(label) })
}

// Every form works without scripts.
func testForms(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	p := newTab(t, browser, s.base())
	p.noScripts()
	formsOfClaim(p, s)
	formsOfSignIn(p, s)
	formsOfLists(p, s)
	formsOfChat(p, s)
	formsOfGroups(p, s, newTab(t, browser, s.base()))
	formsOfSettings(p)
	formsOfKeys(p)
	formsOfSessions(p, s)
}

func formsOfClaim(p *tab, s *browserServer) {
	p.claim(s, "Owner", "")
	p.shows("Your server is ready.")
	p.send("Sign out")
	p.shows("You are signed out.")
}

func formsOfSignIn(p *tab, s *browserServer) {
	p.open("/login?next=/list/new")
	p.fill("#email", "ada@example.org")
	p.send("Get a code")
	p.at("/login/code")
	p.expect("422 .*/login/code$") // the browser reports error statuses
	p.fill("#code", "12")
	p.send("Sign in")
	p.until(`document.querySelector("#code").value === "12" && document.querySelector("#code").ariaInvalid === "true"`)
	_, code := s.mailTo("ada@example.org")
	p.fill("#code", code[:3]+" "+code[3:])
	p.send("Sign in")
	p.at("/list/new")
}

func formsOfLists(p *tab, s *browserServer) {
	p.fill("#title", "Things to repair")
	p.fill("#description", "Before the snow")
	p.click(`[name=visibility][value=public]`)
	p.fill("#items", "The gate\nThe kettle")
	p.send("Create list")
	p.at("/list/[0-9a-f-]{36}")
	p.until(`document.activeElement.id === "content"`)
	p.shows("Things to repair", "Before the snow", "The gate", "The kettle", "2 items")
	p.fill("#content", "The left boot")
	p.press("Add a link")
	p.fill("#link", "https://boots.example/left")
	p.send("Add")
	p.shows("The left boot", "boots.example", "3 items")

	p.follow(func() { p.click(".item:last-child .item-meta a") })
	item := eval[string](p, `location.pathname`)
	p.press("Edit item")
	p.fill("#content", "Both boots")
	p.send("Save")
	p.shows("Both boots")
	p.press("Move item")
	p.fill("#position", "1")
	p.send("Move")
	p.open(eval[string](p, `document.querySelector(".crumbs li:nth-child(2) a").pathname`))
	p.until(`document.querySelector(".item .text").textContent === "Both boots"`)
	p.open(item)
	p.press("Edit item")
	p.click("[name=sure]")
	p.send("Delete item")
	p.shows("2 items")
	formsOfSharing(p)

	p.send("Edit")
	p.expect("422 .*/list/[0-9a-f-]*/edit$")
	eval[bool](p, `document.querySelector("#title").removeAttribute("required") || true`)
	p.fill("#title", " ")
	p.fill("#description", "Before spring")
	p.send("Save")
	p.until(`document.querySelector("#title-error") && document.querySelector("#description").value === "Before spring"`)
	p.fill("#title", "Repaired")
	p.send("Save")
	p.shows("Repaired", "Before spring")
	p.send("Edit")
	p.click("[name=sure]")
	p.send("Delete list")
	p.at(`/\?done=deleted`)
}

func formsOfSharing(p *tab) {
	p.send("Share")
	p.fill("#q", "ben")
	p.send("Search")
	p.send("Can view: Ben")
	p.send("Make editor: Ben")
	p.until(`document.querySelector("[aria-label='Make viewer: Ben']") !== null`)
	p.press("Remove Ben")
	p.send("Yes, remove Ben")
	p.until(`document.querySelector("[aria-label='Make viewer: Ben']") === null`)
	p.follow(func() { p.click(".crumbs li:nth-child(2) a") })
}

func formsOfChat(p *tab, s *browserServer) {
	p.open("/thoughts")
	p.send("Files and voice notes")
	p.at("/chat/[0-9a-f-]{36}")
	p.shows("My notes")
	p.open("/chat/new")
	p.fill("#q", "ben")
	p.send("Search")
	p.click(`.person [name=to]`)
	p.send("Start conversation")
	p.at("/chat/[0-9a-f-]{36}")
	p.fill("#content", "First line")
	p.keys(kb.Enter)
	p.keys("second line")
	p.send("Send")
	p.until(bubble("First line\nsecond line") + ` !== null`)
	if !eval[bool](p, `document.querySelector("#send-hint").hidden`) {
		p.t.Error("a script ran, though scripts are off")
	}
	res := s.json("ben", "GET", strings.Replace(eval[string](p, `location.pathname`), "/chat/", "/api/chat/conversations/", 1)+"/messages", "")
	if !strings.Contains(string(res.body), `First line\nsecond line`) {
		p.t.Errorf("ben has %s", res.body)
	}
	p.clickLinkIn("First line\nsecond line", "reply")
	p.until(`document.activeElement === document.querySelector("#content")`)
	p.keys("An answer")
	p.send("Send")
	p.until(bubble("An answer") + `?.querySelector(".quote") !== null`)
	formsOfFiles(p)
	p.clickLinkIn("An answer", "edit")
	p.until(`document.activeElement === document.querySelector("#edit-content")`)
	p.fill("#edit-content", "A better answer")
	p.send("Save")
	p.until(bubble("A better answer") + `?.querySelector(".edited").checkVisibility()`)
	p.clickLinkIn("A better answer", "edit")
	p.send("Delete message")
	p.until(bubble("Message deleted") + ` !== null`)
}

// clickLinkIn follows a link below a message.
func (p *tab) clickLinkIn(words, class string) {
	p.t.Helper()
	p.follow(func() { p.clickOn(fmt.Sprintf(`[%s.querySelector("a.%s")]`, bubble(words), class)) })
}

func formsOfGroups(p *tab, s *browserServer, guest *tab) {
	p.open("/chat/new")
	for _, name := range []string{"ben", "cl"} { // ticked people stay ticked
		p.fill("#q", name)
		p.send("Search")
		p.click(".person [name=to]:not(:checked)")
	}
	p.fill("#title", "Choir")
	p.send("Start conversation")
	p.shows("You, Ben, Cléo 🌿")
	p.send("Details")
	p.send("Make owner: Ben")
	p.press("Remove Cléo 🌿")
	p.send("Yes, remove Cléo 🌿")
	p.shows("Removed.")
	p.fill("#q", "cl")
	p.send("Search")
	p.send("Add Cléo 🌿")
	p.shows("Added.")
	p.fill("#title", "Small choir")
	p.send("Save")
	p.shows("Small choir")
	p.send("Create link")
	link := strings.TrimPrefix(eval[string](p, `document.querySelector(".secret").textContent`), s.base())
	guest.noScripts()
	guest.signIn(s, "stranger@example.org")
	guest.open(link)
	guest.shows("Ada invites you to this group. It has 3 members.")
	guest.send("Join group")
	guest.shows("Small choir", "Cléo 🌿")
	p.click("[name=sure]")
	p.send("Leave group")
	p.shows("You left the group.")
}

func formsOfSettings(p *tab) {
	p.open("/settings")
	p.fill("#text", "At home")
	p.fill("#emoji", "🔥")
	p.send("Save")
	p.shows("Status saved.")
	p.until(`document.querySelector("#text").value === "At home"`)
	p.fill("#text", "")
	p.fill("#emoji", "")
	p.send("Save")
	p.shows("Status cleared.")
	p.fill("#name", "Ada L.")
	p.click("[name=discoveryMode][value=email_only]")
	p.click("[action='/settings/profile'] .btn-main")
	p.shows("Saved.", "Ada L.")
	p.expect("422 .*/settings/profile$")
	p.fill("#name", "Ada M.")
	p.fill("#avatarUrl", "ftp://example.org/a.png")
	p.click("[action='/settings/profile'] .btn-main")
	p.until(`document.querySelector("#avatarUrl-error") && document.querySelector("#name").value === "Ada M."
		&& document.querySelector("[value=email_only]").checked`)
}

func formsOfKeys(p *tab) {
	use := func(key string) int {
		req, err := http.NewRequestWithContext(p.ctx, "GET", p.base+"/api/chat/conversations", nil)
		if err != nil {
			p.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			p.t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	p.open("/settings/api-keys")
	p.fill("#name", "Kitchen")
	p.fill("#agentName", "Kitchen helper")
	p.send("Create key")
	key := eval[string](p, `document.querySelector(".secret").textContent`)
	if status := use(key); status != 200 {
		p.t.Errorf("the new key is answered with %d", status)
	}
	p.open("/settings/api-keys")
	if eval[bool](p, fmt.Sprintf(`document.documentElement.outerHTML.includes(%q)`, key)) {
		p.t.Error("the key is shown again")
	}
	p.press("Edit Kitchen")
	p.fill("#key0-name", "Cellar")
	p.click("#key0-name ~ * [name=scopes][value=write], .row-more [name=scopes][value=write]")
	p.send("Save")
	p.shows("Saved.", "Cellar", "write")
	p.press("Revoke Cellar")
	p.send("Yes, revoke Cellar")
	p.shows("Key revoked.", "revoked")
	if status := use(key); status != 401 {
		p.t.Errorf("the revoked key is answered with %d", status)
	}
}

func formsOfSessions(p *tab, s *browserServer) {
	s.token("ada") // the session of a program
	p.open("/settings/sessions")
	p.follow(func() { p.click(`.row:not(:has(.tag-good)) button`) })
	p.shows("That device is signed out.")
	p.send("Sign out everywhere")
	p.shows("You are signed out.")
	p.open("/settings")
	p.at(`/login\?next=%2Fsettings`)
	cookies := call(p, network.GetCookies, network.GetCookiesParams{})
	if len(cookies.Cookies) > 0 {
		p.t.Errorf("a cookie is left: %+v", cookies.Cookies[0])
	}
}
