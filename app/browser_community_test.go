package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// counted counts what people do: each link that they open, and each button that
// they press. What they type belongs to the button.
type counted struct {
	n     int
	names []string
}

func (c *counted) act(what string, do func()) {
	c.n++
	c.names = append(c.names, what)
	do()
}

// mostActs is how many acts it may take from an empty folder until two people have
// talked.
const mostActs = 12

// From an empty folder, two people talk in the default group of a named community.
func testFirstHour(t *testing.T, browser context.Context) {
	for _, width := range []int64{360, 1280} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { firstHour(t, browser, width, true) })
	}
}

func testFirstHourForms(t *testing.T, browser context.Context) { firstHour(t, browser, 360, false) }

func firstHour(t *testing.T, browser context.Context, width int64, scripts bool) {
	s := emptyBrowserServer(t)
	w := way{width, scripts}
	admin, guest := w.newTab(t, browser, s), w.newTab(t, browser, s)
	var c counted
	link, err := s.app.ClaimURL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.act("open the claim link", func() { admin.open(strings.TrimPrefix(link, s.base())) })
	admin.fill("#name", "Ada")
	c.act("create the account", func() { admin.send("Create admin account") })
	admin.fill("#communityName", "Mill Lane")
	admin.click(`label:has([name=accent][value="#0b5c8a"])`) // not needed
	c.act("save the community", func() { admin.send("Continue") })
	admin.shows("Mill Lane is ready")
	invitation := eval[string](admin, `document.querySelector(".secret").textContent`)
	c.act("copy the invite link", func() {})
	c.act("open the first group", func() { admin.send("Open the first group") })
	admin.until(`document.title.startsWith("Everyone")`)

	c.act("open the invite link", func() { guest.open(strings.TrimPrefix(invitation, s.base())) })
	guest.shows("Mill Lane", "Ada invites you to join.")
	guest.fill("#name", "Ben")
	c.act("join", func() { guest.send("Join") })
	guest.until(`document.title.startsWith("Everyone")`)
	guest.shows("Welcome to Mill Lane", "Ada", "You joined")
	guest.until(`document.querySelector("#replying").hidden`)
	say := func(p *tab, words string) func() {
		return func() {
			if scripts {
				p.until(`!document.querySelector("#send-hint").hidden`)
				p.click("#content")
				p.keys(words)
				p.keys(kb.Enter)
				p.until(bubble(words) + ` !== null`)
				return
			}
			p.fill("#content", words)
			p.send("Send")
		}
	}
	c.act("send a message", say(guest, "Hello Ada"))
	if !scripts {
		admin.open(eval[string](admin, `location.pathname`)) // which scripts do by themselves
	}
	admin.until(bubble("Hello Ada") + ` !== null`)
	admin.shows("Ben joined")
	c.act("send the answer", say(admin, "Welcome Ben"))
	if !scripts {
		guest.open(eval[string](guest, `location.pathname`))
	}
	guest.until(bubble("Welcome Ben") + ` !== null`)
	if c.n > mostActs {
		t.Errorf("%d acts, want %d at most: %s", c.n, mostActs, strings.Join(c.names, ", "))
	}
	if !scripts {
		groupsWithoutScripts(admin, guest)
	}
	for _, wide := range eval[[]string](guest, tooWide) {
		t.Errorf("this is too wide: %s", wide)
	}
}

// groupsWithoutScripts opens a group, which another person joins and leaves.
func groupsWithoutScripts(owner, member *tab) {
	owner.open("/chat/open")
	owner.fill("#title", "Garden")
	owner.send("Create room")
	member.open("/chat/open")
	member.send("Join Garden")
	member.shows("Ada", "You joined")
	owner.open(eval[string](owner, `location.pathname`))
	owner.shows("Ben joined")
	owner.send("Details")
	owner.fill("#title", "Big garden")
	owner.click(`form[action$="/title"] .btn`)
	owner.shows("Saved.")
	member.open(eval[string](member, `location.pathname`))
	member.shows("Ada named the group “Big garden”")
}
