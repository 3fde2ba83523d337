package app_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"hearth/app"
)

var (
	invitationLink = regexp.MustCompile(`http://\S+(/join/[\w-]+)`)
	signInLink     = regexp.MustCompile(`http://\S+(/login/verify\?token=[\w-]+)`)
)

// part returns what a pattern finds in the next mail, which must be to an address.
func (m mailbox) part(t *testing.T, to string, pattern *regexp.Regexp) string {
	t.Helper()
	mail := m.next(t)
	found := pattern.FindStringSubmatch(mail)
	if found == nil || !strings.Contains(mail, "To: <"+to+">") {
		t.Fatalf("this is no mail to %s with %s:\n%s", to, pattern, mail)
	}
	return found[1]
}

// On a server that sends mail, an invitation is sent to an address. Somebody without
// an account opens its link, and is then a member and in the default group.
func testMailInvitation(t *testing.T, browser context.Context) {
	inWays(t, func(t *testing.T, w way) {
		box, addr := newMailbox(t)
		s := emptyBrowserServer(t, func(cfg *app.Config) {
			cfg.SMTPURL, cfg.AllowNet, cfg.Signup = "smtp://"+addr, []string{"127.0.0.1/32"}, "invite"
		})
		admin, guest := w.newTab(t, browser, s), w.newTab(t, browser, s)
		claimByMail(admin, s, box)
		inviteByMail(admin, guest, box)
	})
}

// claimByMail makes the person of p the administrator, with the code of a mail, and
// sets up the community.
func claimByMail(p *tab, s *browserServer, box mailbox) {
	p.t.Helper()
	p.claim(s, "Ada", "ada@example.org")
	p.shows("Check your e-mail")
	p.fill("#code", box.part(p.t, "ada@example.org", regexp.MustCompile(`\b(\d{6})\b`)))
	p.send("Create admin account")
	p.fill("#communityName", "Mill Lane")
	p.send("Continue")
	p.shows("More links, and invitations by e-mail")
	p.follow(func() { p.press("People, Invite people") })
}

// inviteByMail has admin, on the page of invitations, send one for guest. It lets in
// one person, who gets nothing but the two mails.
func inviteByMail(admin, guest *tab, box mailbox) {
	const listed = `document.querySelectorAll("[aria-labelledby=open] li").length`
	open := eval[int](admin, listed)
	admin.fill("#email", "pia@example.org")
	admin.send("Create invitation")
	admin.shows("The invitation was sent to pia@example.org.")
	shown := eval[string](admin, `new URL(document.querySelector(".secret").textContent).pathname`)
	invited := box.next(admin.t)
	found := invitationLink.FindStringSubmatch(invited)
	if found == nil || found[1] != shown {
		admin.t.Fatalf("the mail has the link %q, the page %q:\n%s", found, shown, invited)
	}
	for _, want := range []string{"To: <pia@example.org>", "From: \"Mill Lane\" <hearth@127.0.0.1>", "Subject: Ada invites you to Mill Lane"} {
		if !strings.Contains(invited, want) {
			admin.t.Errorf("the mail has no %s:\n%s", want, invited)
		}
	}
	guest.open(found[1])
	guest.shows("Mill Lane", "Ada invites you to join.")
	guest.fill("#name", "Pia")
	guest.fill("#email", "pia@example.org")
	guest.send("Join")
	guest.until(`document.title.startsWith("Everyone")`)
	guest.shows("Welcome to Mill Lane", "Ada", "You joined", "We sent a link and a code to your address.")
	guest.open(box.part(guest.t, "pia@example.org", signInLink))
	guest.send("Confirm")
	guest.shows("Address confirmed.", "pia@example.org")
	guest.open("/people")
	guest.shows("Everybody", "Ada")
	admin.open("/people")
	admin.shows("Pia")
	admin.open("/invitations")
	if got := eval[int](admin, listed); got != open {
		admin.t.Errorf("%d invitations are open, want %d: that for one person was used", got, open)
	}
	if len(box) > 0 {
		admin.t.Errorf("there is one mail more:\n%s", box.next(admin.t))
	}
}
