package account

import (
	"errors"
	"strings"
	"testing"

	"hearth/app/mail"
	"hearth/store"
)

// noPaper is a writer that writes nothing.
type noPaper struct{}

func (noPaper) Write([]byte) (int, error) { return 0, errors.New("no paper") }

// A mail that is not accepted for sending is logged, without its secrets, and nothing is
// logged of one that is. The caller does not see the difference.
func TestMailThatIsNotAcceptedIsLogged(t *testing.T) {
	h := open(t, func(c *Config) { c.SendsMail = true })
	ada := h.promote()
	broken, err := mail.New(mail.Config{Out: noPaper{}})
	if err != nil {
		t.Fatal(err)
	}
	works := h.mail
	for what, send := range map[string]func() error{
		"sign-in mail": func() error {
			out, err := h.RequestMagicLink.Call(t.Context(), store.Viewer{IP: "192.0.2.1"}, MagicLinkIn{Email: "ada@example.org"})
			if out.ExpiresIn != 900 {
				t.Errorf("got %+v", out)
			}
			return err
		},
		"invitation mail": func() error {
			out, err := h.CreateInvitation.Call(t.Context(), ada, CreateInvitationIn{Email: "new@example.org"})
			if out.Token == "" {
				t.Errorf("got %+v", out)
			}
			return err
		},
	} {
		for _, fails := range []bool{false, true} {
			if h.mail = works; fails {
				h.mail = broken
			}
			h.out.take()
			if err := send(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			text := h.out.take()
			if logged := strings.Contains(text, what+" not accepted for sending"); logged != fails {
				t.Errorf("%s: refused is %v, but mailed or logged is\n%s", what, fails, text)
			}
			if fails && (strings.Contains(text, "token=") || strings.Contains(text, InvitationPath)) {
				t.Errorf("%s: a secret is logged:\n%s", what, text)
			}
		}
	}
}

// An invitation by mail names the community, if it has a name, and who invites.
func TestInvitationNamesTheCommunity(t *testing.T) {
	h := open(t, func(c *Config) { c.SendsMail = true })
	ada := h.promote()
	for _, tc := range []struct{ name, want string }{{"", "Ada invites you to hearth.test"},
		{"Soup kitchen", "Ada invites you to Soup kitchen"}} {
		err := h.db.Write(t.Context(), func(tx *store.Tx) error { return tx.SetSetting(store.SettingCommunityName, tc.name) })
		if err != nil {
			t.Fatal(err)
		}
		h.out.take()
		if _, err := h.CreateInvitation.Call(t.Context(), ada, CreateInvitationIn{Email: "new@example.org"}); err != nil {
			t.Fatal(err)
		}
		text := h.out.take()
		if !strings.Contains(text, "Subject: "+tc.want+"\n") || !strings.Contains(text, tc.want+".\n") {
			t.Errorf("the mail is\n%s", text)
		}
	}
}

// An account remembers whether it was made with an invitation, also where everybody may
// join.
func TestProviderOfAnInvitation(t *testing.T) {
	for _, closed := range []bool{true, false} {
		h := open(t)
		if closed {
			h.closedTo()
		}
		made := h.invite(h.promote(), 5)
		token, err := h.askWith("invited@example.org", made.Token)
		if err != nil || token == "" {
			t.Fatalf("%q, %v", token, err)
		}
		if _, err := h.verify(VerifyMagicLinkIn{Token: token}); err != nil {
			t.Fatal(err)
		}
		if got := h.user("invited@example.org").SignupProvider; got != "invitation" {
			t.Errorf("closed %v: the account is by %q", closed, got)
		}
		if left, err := h.GetInvitation.Call(t.Context(), store.Viewer{}, InvitationIn{Token: made.Token}); err != nil || left.UsesLeft != 4 {
			t.Errorf("closed %v: %+v, %v", closed, left, err)
		}
	}
}
