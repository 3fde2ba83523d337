package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// A community is set up with all that belongs to it, people are invited to it, and
// they find each other.
func testCommunity(t *testing.T, browser context.Context) {
	inWays(t, func(t *testing.T, w way) {
		s := emptyBrowserServer(t)
		admin, guest, late := w.newTab(t, browser, s), w.newTab(t, browser, s), w.newTab(t, browser, s)
		setUp(admin, s)
		inviteOne(admin, guest, late, s)
		directory(admin, guest)
		admin.open("/admin/settings")
		admin.fill("#communityName", "Mill Road")
		admin.send("Save")
		guest.open("/")
		guest.until(`document.querySelector(".brand .word").textContent === "Mill Road"`)
	})
}

// setUp claims a server, and fills all of the page for the community.
func setUp(p *tab, s *browserServer) {
	p.t.Helper()
	p.claim(s, "Tomás Ferreira 渡辺", "")
	picture := filepath.Join(p.t.TempDir(), "mill.png")
	if err := os.WriteFile(picture, testPicture(p.t, 200, 100, false), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.until(`document.readyState === "complete" && document.querySelector("#communityName") !== null`)
	field := call(p, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.querySelector("#picture")`})
	call(p, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{picture}, ObjectID: field.Result.ObjectID})
	p.fill("#communityName", "Mill Lane")
	p.click(`label:has([name=accent][value="#0b5c8a"])`)
	p.fill("#welcome", "Bring a cup")
	p.click(`[name=signup][value=invite]`)
	eval[bool](p, `(document.querySelector("#dateLanguage").value = "de", true)`)
	p.send("Continue")
	p.shows("Mill Lane is ready")
	p.until(`document.querySelector(".qr").naturalWidth > 0 && document.querySelector(".secret").textContent.includes("/join/")`)
	p.send("Open the first group")
	p.until(`document.title.startsWith("Everyone") && document.documentElement.dataset.dates === "de"
		&& document.querySelector("link[href^='/theme/0b5c8a']") !== null`)
	p.open("/people")
	p.until(`document.querySelector(".brand-picture").naturalWidth > 0
		&& document.querySelector(".brand .word").textContent === "Mill Lane"
		&& document.querySelector("link[rel=icon]").href === document.querySelector(".brand-picture").src`)
}

// invitation creates a link for one person and returns its path.
func (p *tab) invitation(s *browserServer) string {
	p.t.Helper()
	p.open("/people")
	p.send("Invite people")
	eval[bool](p, `(document.querySelector("#maxUses").value = "1", document.querySelector("#expiresInDays").value = "1", true)`)
	p.send("Create link")
	p.shows("For 1 person, until")
	return strings.TrimPrefix(eval[string](p, `document.querySelector(".secret").textContent`), s.base())
}

// inviteOne lets guest in, who is asked for a name once; the link is used up then,
// and one that is revoked lets nobody in. An address that nobody invited gets the
// same answer as others, and no mail.
func inviteOne(admin, guest, late *tab, s *browserServer) {
	link := admin.invitation(s)
	guest.open(link)
	guest.shows("Mill Lane", "Tomás Ferreira 渡辺 invites you to join.", "Bring a cup")
	guest.shows("Your name")
	guest.fill("#name", "Pia")
	guest.send("Join")
	guest.until(`document.title.startsWith("Everyone")`)
	guest.shows("Welcome to Mill Lane", "Bring a cup", "Who is here:", "Lists:", "You joined")
	guest.open("/settings")
	pia := eval[string](guest, `document.body.dataset.me`)
	guest.send("Sign out")
	guest.signIn(s, pia) // who is not asked again

	late.expect(`(404|410).*/join/`)
	late.open(link)
	late.shows("This invitation no longer works")
	revoked := admin.invitation(s)
	late.open(revoked)
	late.shows("invites you to join.")
	admin.follow(func() {
		admin.clickOn(`[...document.querySelectorAll("[aria-labelledby=open] li")]
			.filter(li => li.innerText.includes("For 1 person")).map(li => li.querySelector("button"))`)
	})
	admin.shows("Invite link revoked.")
	late.open(revoked)
	late.shows("This invitation no longer works")

	for _, email := range []string{"stranger@example.org", "pia@example.org"} {
		late.open("/login")
		late.fill("#email", email)
		late.send("Get a code")
		late.at("/login/code")
		late.shows("Enter your code")
	}
	if strings.Contains(s.log.String(), "To:      stranger@example.org") {
		late.t.Error("a stranger got a sign-in mail")
	}
}

// directory lets guest find the admin, by parts of the name without accents, who
// then becomes invisible.
func directory(admin, guest *tab) {
	const seen = `[...document.querySelectorAll("[aria-labelledby=everybody] .row")]
		.map(li => li.querySelector(".row-title").innerText.trim() + "|" + (li.querySelector(".soft")?.innerText ?? "")).join()`
	admin.open("/settings")
	admin.fill("#text", "At the oven")
	admin.click(`[action="/settings/status"] .btn`)
	admin.shows("Status saved.")
	guest.open("/people")
	guest.shows("Everybody", "Tomás Ferreira 渡辺")
	guest.until(seen + `.includes("At the oven")`)
	for _, q := range []string{"tomas", "FERR", "渡辺", "ferreira tomás"} {
		guest.open("/people")
		guest.fill("#q", q)
		guest.send("Search")
		guest.until(`document.querySelector("ul.found .row-title").textContent.trim() === "Tomás Ferreira 渡辺"`)
	}
	guest.open("/people")
	guest.fill("#q", "omas")
	guest.send("Search")
	guest.shows("No people found")

	guest.open("/home")
	guest.follow(func() { guest.click(".newcomer .face-link") })
	guest.at("/people/[0-9a-f-]{36}")
	profile := eval[string](guest, `location.pathname`)
	guest.shows("Tomás Ferreira 渡辺", "At the oven", "Block or report")
	guest.send("Message")
	guest.at("/chat/[0-9a-f-]{36}")
	if eval[bool](guest, `document.querySelector("#send-hint").hidden`) {
		return // presence needs a stream, which needs scripts
	}
	admin.open("/chat") // has a stream
	guest.until(`document.querySelector(".pane-head").innerText.includes("online")`)
	guest.open(profile)
	guest.shows("online")
	invisible := admin.another()
	invisible.open("/settings")
	eval[bool](invisible, `(document.querySelector("#presenceStatus").value = "invisible", true)`)
	invisible.click(`[action="/settings/presence"] .btn`)
	invisible.shows("Availability saved.")
	guest.open(profile)
	guest.until(`!document.querySelector(".card").innerText.includes("online")`)
	guest.open("/people")
	guest.until(`!document.querySelector("[aria-labelledby=everybody]").innerText.includes("online")`)
}

// The address of a message is copied with its link. Without scripts the link leads
// there.
func testCopyLink(t *testing.T, browser context.Context) {
	s := newBrowserServer(t)
	conversation := s.converse("", "ben")
	id := s.send("ada", conversation, "Soup?")
	place := s.base() + "/chat/" + conversation + "?at=" + id
	for _, width := range []int64{1280, 360} {
		ben := signedIn(t, browser, s, "ben", width)
		ben.openConversation(conversation)
		eval[bool](ben, `(navigator.clipboard.writeText = async text => { window.copied = text; }, true)`)
		ben.clickIn("Soup?", "a.link")
		ben.until(fmt.Sprintf(`window.copied?.split("#")[0] === %q`, place))
		ben.stayed()
		ben.noScripts()
		ben.open("/chat/" + conversation)
		ben.clickLinkIn("Soup?", "link")
		ben.until(fmt.Sprintf(`location.href.split("#")[0] === %q && `, place) + onScreen(".marked"))
	}
}
