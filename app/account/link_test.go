package account

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/mail"
	"hearth/store"
	"hearth/store/storetest"
)

func TestVerifyLink(t *testing.T) {
	h := open(t)
	m := h.ask("Ada@Example.org")
	if m.to != "ada@example.org" {
		t.Errorf("the mail went to %q and not to the account's address", m.to)
	}
	out, err := h.verify(VerifyMagicLinkIn{Token: m.token})
	if err != nil {
		t.Fatal(err)
	}
	if out.User.ID != h.cast.Ada.ID || out.User.Email != "ada@example.org" || out.ExpiresIn != 7*24*3600 {
		t.Errorf("got %+v", out)
	}
	v, err := h.bearer(out.Token)
	if err != nil || v.Kind != store.Human || v.UserID != h.cast.Ada.ID || !v.CanRead || !v.CanWrite {
		t.Errorf("the token is %+v, %v", v, err)
	}
	_, err = h.verify(VerifyMagicLinkIn{Token: m.token})
	wantCode(t, "the link again", err, "invalid_link")
	_, err = h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: m.code})
	wantCode(t, "the code of a used link", err, "invalid_link")
}

func TestVerifyCode(t *testing.T) {
	h := open(t)
	m := h.ask("ada@example.org")
	out, err := h.verify(VerifyMagicLinkIn{Email: " ADA@example.org ", Code: m.code[:3] + " " + m.code[3:]})
	if err != nil || out.User.ID != h.cast.Ada.ID {
		t.Fatalf("got %+v, %v", out, err)
	}
	_, err = h.verify(VerifyMagicLinkIn{Token: m.token})
	wantCode(t, "the link beside a used code", err, "invalid_link")
}

func TestLinkExpires(t *testing.T) {
	h := open(t)
	m := h.ask("ada@example.org")
	h.db.Clock.Advance(15*time.Minute - time.Second)
	if l, err := h.ShowLink(context.Background(), store.Viewer{}, m.token); err != nil || l.Email != "ada@example.org" {
		t.Errorf("before its expiry: %+v, %v", l, err)
	}
	h.db.Clock.Advance(2 * time.Second)
	_, err := h.ShowLink(context.Background(), store.Viewer{}, m.token)
	wantCode(t, "ShowLink", err, "not_found")
	for _, in := range []VerifyMagicLinkIn{{Token: m.token}, {Email: "ada@example.org", Code: m.code}} {
		_, err := h.verify(in)
		wantCode(t, "after its expiry", err, "invalid_link")
	}
}

func TestShowLinkDoesNotConsume(t *testing.T) {
	h := open(t)
	m := h.ask("ada@example.org")
	for range 3 {
		if _, err := h.ShowLink(context.Background(), store.Viewer{}, m.token); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.verify(VerifyMagicLinkIn{Token: m.token}); err != nil {
		t.Error(err)
	}
}

func TestMaxLinks(t *testing.T) {
	h := open(t)
	var last letter
	for i := range 5 {
		if last = h.ask("ada@example.org"); last.token == "" {
			t.Fatalf("mail %d was not sent", i+1)
		}
	}
	if m := h.ask("ADA@example.org"); m != (letter{}) {
		t.Errorf("a sixth mail was sent to %s", m.to)
	}
	if _, err := h.verify(VerifyMagicLinkIn{Token: last.token}); err != nil {
		t.Fatal(err)
	}
	if m := h.ask("ada@example.org"); m.token == "" {
		t.Error("no mail after one of the five links was used")
	}
}

// fullMailer takes no mail while it is full.
type fullMailer struct {
	Mailer
	full bool
}

func (m *fullMailer) Ready() error {
	if m.full {
		return mail.ErrBusy
	}
	return m.Mailer.Ready()
}

// While no mail is taken, requests for one say so, whatever the address, and count for
// nothing.
func TestNoLinkWithoutItsMail(t *testing.T) {
	m := &fullMailer{full: true}
	h := open(t, func(c *Config) { m.Mailer, c.Mail, c.SendsMail = c.Mail, m, true })
	for range maxLiveLinks + 1 {
		for _, address := range []string{"ada@example.org", "nobody@example.org"} {
			_, err := h.RequestMagicLink.Call(t.Context(), store.Viewer{}, MagicLinkIn{Email: address})
			wantCode(t, "a link while no mail is taken", err, "mail_busy")
		}
	}
	_, err := h.CreateInvitation.Call(t.Context(), storetest.Human(h.cast.Ada), CreateInvitationIn{Email: "new@example.org"})
	wantCode(t, "an invitation while no mail is taken", err, "mail_busy")
	link, err := h.ClaimURL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "token=")
	_, err = h.StartClaim.Call(t.Context(), store.Viewer{}, StartClaimIn{Token: token, Name: "New", Email: "new@example.org"})
	wantCode(t, "a claim while no mail is taken", err, "mail_busy")
	m.full = false
	if m := h.ask("ada@example.org"); m.token == "" {
		t.Error("no mail is sent afterwards")
	}
}

func TestWrongCodesDisableCodes(t *testing.T) {
	h := open(t)
	m := h.ask("ada@example.org")
	wrong := "000000"
	if m.code == wrong {
		wrong = "000001"
	}
	for range 5 {
		_, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: wrong})
		wantCode(t, "a wrong code", err, "invalid_link")
	}
	_, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: m.code})
	wantCode(t, "the right code after five wrong ones", err, "invalid_link")
	second := h.ask("ada@example.org")
	_, err = h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: second.code})
	wantCode(t, "a new code", err, "invalid_link")
	if _, err := h.verify(VerifyMagicLinkIn{Token: m.token}); err != nil {
		t.Errorf("the link: %v", err)
	}
	if other := h.ask("ben@example.org"); true {
		if _, err := h.verify(VerifyMagicLinkIn{Email: "ben@example.org", Code: other.code}); err != nil {
			t.Errorf("the code of another account: %v", err)
		}
	}
}

func TestWrongCodesPerDay(t *testing.T) {
	h := open(t)
	for range 4 {
		h.ask("ada@example.org")
		for range 5 {
			h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: "none"})
		}
		h.db.Clock.Advance(16 * time.Minute)
	}
	m := h.ask("ada@example.org")
	_, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: m.code})
	wantCode(t, "after twenty wrong codes in a day", err, "invalid_link")
	if _, err := h.verify(VerifyMagicLinkIn{Token: m.token}); err != nil {
		t.Errorf("the link: %v", err)
	}
	h.db.Clock.Advance(24 * time.Hour)
	if _, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: h.ask("ada@example.org").code}); err != nil {
		t.Errorf("the day after: %v", err)
	}
}

func TestConcurrentVerify(t *testing.T) {
	h := open(t)
	m := h.ask("new@example.org")
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 50 {
		wg.Go(func() {
			if _, err := h.verify(VerifyMagicLinkIn{Token: m.token}); err == nil {
				mu.Lock()
				won++
				mu.Unlock()
			} else if core.As(err).Code != "invalid_link" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d of 50 signed in with one link", won)
	}
}

func TestFirstSignInCreatesAccount(t *testing.T) {
	h := open(t)
	m := h.ask("grace.brewster-hopper+navy@Example.org")
	if h.hasUser("grace.brewster-hopper+navy@example.org") {
		t.Error("requesting a mail created an account")
	}
	out, err := h.verify(VerifyMagicLinkIn{Token: m.token})
	if err != nil || out.User.Name != "Grace Brewster Hopper" || out.User.Email != "grace.brewster-hopper+navy@Example.org" {
		t.Fatalf("got %+v, %v", out.User, err)
	}
	if u := h.user(out.User.Email); u.VerifiedAt == 0 || u.SignupProvider != "magic-link" || u.IsAdmin {
		t.Errorf("got %+v", u)
	}
}

func TestInvite(t *testing.T) {
	h := open(t, func(c *Config) { c.Signup = "invite" })
	if m := h.ask("new@example.org"); m != (letter{}) {
		t.Error("a mail went to an address that may not sign up")
	}
	if h.token("ada@example.org") == "" {
		t.Error("a known address cannot sign in")
	}
	url, err := h.LinkFor(context.Background(), "new@example.org", true)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(url, "token=")
	if out, err := h.verify(VerifyMagicLinkIn{Token: token}); err != nil || out.User.Name != "New" {
		t.Errorf("invited: %+v, %v", out, err)
	}
}

func TestNoMailToSuspended(t *testing.T) {
	h := open(t)
	before := h.ask("ada@example.org")
	if err := h.Act(context.Background(), "ada@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	if m := h.ask("ada@example.org"); m != (letter{}) {
		t.Error("a mail was sent")
	}
	_, err := h.verify(VerifyMagicLinkIn{Token: before.token})
	wantCode(t, "a link issued before", err, "account_suspended")
}

// straße.example and strasse.example are different domains, although the
// database folds them to the same text.
func TestFoldedAddresses(t *testing.T) {
	h := open(t)
	theirs := h.ask("ada@straße.example") // requested before the account is created
	h.token("ada@strasse.example")
	_, err := h.verify(VerifyMagicLinkIn{Token: theirs.token})
	wantCode(t, "a link to the other mailbox", err, "invalid_link")
	if m := h.ask("ada@straße.example"); m.to != "ada@straße.example" {
		t.Errorf("the mail went to %q, for which nobody asked", m.to)
	}
	_, err = h.BridgeExchange.Call(context.Background(), store.Viewer{Kind: store.Bridge},
		BridgeExchangeRequest{App: "social", Email: "ada@straße.example"})
	wantCode(t, "the bridge", err, "invalid_input")
}

// A mail goes to the mailbox that was asked for. Only the case of its letters may
// differ from the account's address.
func TestMailGoesToTheMailboxAskedFor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ account, asked, to string }{
		{"Zoe@Example.org", "zoe@example.ORG", "Zoe@Example.org"},
		{"Ärger@example.org", "ärger@example.org", "Ärger@example.org"},
		{"a\u0308rger@example.org", "Ärger@example.org", "a\u0308rger@example.org"},
		{"strasse@example.org", "straße@example.org", "straße@example.org"},
		{"straße@example.org", "strasse@example.org", "strasse@example.org"},
		{"fi@example.org", "\uFB01@example.org", "\uFB01@example.org"},
		{"ada@bücher.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"},
	} {
		h := open(t)
		h.token(tc.account)
		if m := h.ask(tc.asked); m.to != tc.to {
			t.Errorf("the account is %q, the mail for %q went to %q, want %q", tc.account, tc.asked, m.to, tc.to)
		}
	}
}

func TestFirstVerificationDropsCredentials(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"link", "code", "bridge", "claim"} {
		t.Run(by, func(t *testing.T) {
			joined := 0
			h := open(t, func(c *Config) { c.Joined = func(*store.Tx, string) error { joined++; return nil } })
			ctx := context.Background()
			squatter := h.as("victim@example.org")
			key, err := h.CreateAgentKey.Call(ctx, squatter, CreateAgentKeyIn{Name: "bot"})
			if err != nil {
				t.Fatal(err)
			}
			token := h.token("victim@example.org")
			hash, err := h.HashPassword(ctx, "a password of the squatter")
			if err != nil {
				t.Fatal(err)
			}
			h.change("victim@example.org", func(u *store.User, _ store.Time) { u.VerifiedAt, u.PasswordHash = 0, hash })
			if _, err := h.bearer(key.Key); err != nil {
				t.Fatal("the key is not valid")
			}

			m := h.ask("victim@example.org")
			before := joined
			switch by {
			case "link":
				_, err = h.verify(VerifyMagicLinkIn{Token: m.token})
			case "code":
				_, err = h.verify(VerifyMagicLinkIn{Email: "victim@example.org", Code: m.code})
			case "bridge":
				_, err = h.BridgeExchange.Call(ctx, store.Viewer{Kind: store.Bridge}, BridgeExchangeRequest{App: "social", Email: "victim@example.org"})
			case "claim":
				url, _ := h.ClaimURL(ctx)
				_, claim, _ := strings.Cut(url, "token=")
				_, err = h.Claim.Call(ctx, store.Viewer{}, ClaimIn{Token: claim, Name: "Victim", Email: "victim@example.org", Code: m.code})
			}
			if err != nil {
				t.Fatal(err)
			}
			for what, secret := range map[string]string{"token": token, "key": key.Key} {
				_, err := h.bearer(secret)
				wantCode(t, "the squatter's "+what, err, "unauthenticated")
			}
			_, err = h.Login.Call(ctx, store.Viewer{}, LoginIn{Email: "victim@example.org", Password: "a password of the squatter"})
			wantCode(t, "the squatter's password", err, "invalid_credentials")
			if u := h.user("victim@example.org"); u.VerifiedAt == 0 {
				t.Error("the address is not verified")
			}
			if !contains(h.events(squatter.UserID), "auth.changed "+squatter.UserID) {
				t.Error("no event for the squatter's streams")
			}
			if joined == before {
				t.Error("who is verified for the first time does not join the group of everybody")
			}
			before = joined
			later := h.token("victim@example.org")
			h.token("victim@example.org")
			if _, err := h.bearer(later); err != nil {
				t.Errorf("a later verification dropped a credential: %v", err)
			}
			if joined != before {
				t.Error("who is known joins again")
			}
		})
	}
}

func TestLocalPath(t *testing.T) {
	for next, want := range map[string]string{
		"/chat/1?a=b#c": "/chat/1?a=b#c", "/": "/", "": "", "chat": "", "//evil.example": "", "///evil.example": "",
		`/\evil.example`: "", `\\evil.example`: "", "https://evil.example/": "", "javascript:alert(1)": "", "/a b": "",
		"/a\tb": "", "/\n/evil.example": "", "/%": "", "http:/evil.example": "", "/\x7f": "", "/list/é": "/list/é",
	} {
		if got := LocalPath(next); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
	h := open(t)
	got, err := h.Redeem.Call(context.Background(), store.Viewer{}, VerifyMagicLinkIn{Token: h.askNext("ada@example.org", "/list/1").token})
	if err != nil || got.UserID != h.cast.Ada.ID || got.Next != "/list/1" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestMagicLinkRateLimit(t *testing.T) {
	h := open(t)
	by := store.Viewer{IP: "192.0.2.1"}
	ask := func(by store.Viewer) error {
		_, err := h.RequestMagicLink.Call(context.Background(), by, MagicLinkIn{Email: core.NewSecret(9) + "@example.org"})
		return err
	}
	for range 20 {
		if err := ask(by); err != nil {
			t.Fatal(err)
		}
	}
	err := ask(by)
	wantCode(t, "the 21st at once", err, "too_many_tries")
	if wait := core.As(err).RetryAfter; wait != 20*time.Second {
		t.Errorf("RetryAfter is %v", wait)
	}
	if err := ask(store.Viewer{IP: "192.0.2.2"}); err != nil {
		t.Errorf("another network: %v", err)
	}
	h.db.Clock.Advance(20 * time.Second)
	if err := ask(by); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// Of the codes for an address only the newest counts, also once it was used.
func TestOnlyNewestCode(t *testing.T) {
	h := open(t)
	first, second := h.ask("ada@example.org"), h.ask("ada@example.org")
	for first.code == second.code { // by chance
		first, second = second, h.ask("ada@example.org")
	}
	_, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: first.code})
	wantCode(t, "the code of an earlier mail", err, "invalid_link")
	if _, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: second.code}); err != nil {
		t.Errorf("the newest: %v", err)
	}
	_, err = h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: first.code})
	wantCode(t, "the code of an earlier mail, once the newest was used", err, "invalid_link")
	if _, err := h.verify(VerifyMagicLinkIn{Token: first.token}); err != nil {
		t.Errorf("the link of the earlier mail: %v", err)
	}
}

// Guesses for many addresses are limited together: after 100 wrong codes within
// an hour only links work.
func TestWrongCodesOfAll(t *testing.T) {
	t.Parallel()
	h := open(t)
	m := h.ask("ada@example.org")
	for n := range maxWrongCodesOfAll {
		email := fmt.Sprintf("guessed%d@example.org", n/4)
		if n%4 == 0 {
			h.ask(email)
		}
		_, err := h.verify(VerifyMagicLinkIn{Email: email, Code: "no code"})
		wantCode(t, email, err, "invalid_link")
	}
	_, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: m.code})
	wantCode(t, "the right code after that", err, "invalid_link")
	if _, err := h.verify(VerifyMagicLinkIn{Token: m.token}); err != nil {
		t.Errorf("the link: %v", err)
	}
	h.db.Clock.Advance(time.Hour + time.Second)
	m = h.ask("ada@example.org")
	if _, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: m.code}); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}
