package account

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// closedTo makes the community one of invited people.
func (h *harness) closedTo() {
	h.t.Helper()
	err := h.db.Write(context.Background(), func(tx *store.Tx) error { return tx.SetSetting(store.SettingSignup, "invite") })
	if err != nil {
		h.t.Fatal(err)
	}
}

// promote makes Ada an administrator and returns her.
func (h *harness) promote() store.Viewer {
	h.t.Helper()
	err := h.db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.User(h.cast.Ada.ID)
		u.IsAdmin = true
		if err == nil {
			_, err = tx.UpdateUser(u)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.as("ada@example.org")
}

// invite makes an invitation for a number of people.
func (h *harness) invite(by store.Viewer, uses int64) CreateInvitationOut {
	h.t.Helper()
	out, err := h.CreateInvitation.Call(context.Background(), by, CreateInvitationIn{MaxUses: &uses})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// askWith requests a sign-in mail with an invitation.
func (h *harness) askWith(email, invitation string) (token string, err error) {
	h.out.take()
	_, err = h.RequestMagicLink.Call(context.Background(), store.Viewer{IP: email}, MagicLinkIn{Email: email, Invitation: invitation})
	if m := mailToken.FindStringSubmatch(h.out.take()); m != nil {
		token = m[1]
	}
	return token, err
}

// An invitation that was used up after its sign-in mail makes no account, and the
// link stays as it was.
func TestInvitationIsUsedUp(t *testing.T) {
	h := open(t)
	h.closedTo()
	made := h.invite(h.promote(), 1)
	var tokens []string
	for _, email := range []string{"first@example.org", "second@example.org"} {
		token, err := h.askWith(email, made.Token)
		if err != nil || token == "" {
			t.Fatalf("%s: %q, %v", email, token, err)
		}
		tokens = append(tokens, token)
	}
	out, err := h.verify(VerifyMagicLinkIn{Token: tokens[1], Name: "Second"})
	if err != nil || out.User.Name != "Second" {
		t.Errorf("got %+v, %v", out.User, err)
	}
	_, err = h.verify(VerifyMagicLinkIn{Token: tokens[0]})
	wantCode(t, "the second use", err, InvalidInvitation)
	if _, err := h.ShowLink(context.Background(), store.Viewer{}, tokens[0]); err != nil {
		t.Errorf("the link was consumed: %v", err)
	}
	for _, email := range []string{"third@example.org", "ben@example.org"} {
		_, err = h.askWith(email, made.Token)
		wantCode(t, email, err, InvalidInvitation)
	}
}

// Somebody who has an account uses none of an invitation, and a revoked one ends
// the sign-in links that were requested with it.
func TestInvitationIsRevoked(t *testing.T) {
	h := open(t)
	h.closedTo()
	ada := h.promote()
	made := h.invite(ada, 5)
	token, err := h.askWith("ben@example.org", made.Token)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := h.verify(VerifyMagicLinkIn{Token: token, Name: "Somebody else"}); err != nil || out.User.Name != h.cast.Ben.Name {
		t.Errorf("got %+v, %v", out.User, err)
	}
	got, err := h.GetInvitation.Call(context.Background(), store.Viewer{}, core.ByToken{Token: made.Token})
	if err != nil || got.UsesLeft != 5 || got.InvitedBy != h.cast.Ada.Name {
		t.Errorf("got %+v, %v", got, err)
	}
	token, err = h.askWith("new@example.org", made.Token)
	if err != nil || token == "" {
		t.Fatalf("%q, %v", token, err)
	}
	if _, err := h.RevokeInvitation.Call(context.Background(), ada, core.ByID{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	_, err = h.verify(VerifyMagicLinkIn{Token: token})
	wantCode(t, "after the revocation", err, "invalid_link")
}

// Sign-in links that were requested with an invitation remain valid when its creator
// makes a new invitation after the old one is used up or has expired.
func TestLinksOutliveInvitation(t *testing.T) {
	for name, end := range map[string]func(h *harness, made CreateInvitationOut){
		"used up": func(h *harness, made CreateInvitationOut) {
			token, err := h.askWith("new@example.org", made.Token)
			if err == nil {
				_, err = h.verify(VerifyMagicLinkIn{Token: token, Name: "New"})
			}
			if err != nil {
				h.t.Fatal(err)
			}
		},
		"expired": func(h *harness, _ CreateInvitationOut) { h.db.Clock.Advance(2 * time.Minute) },
	} {
		h := open(t)
		ada := h.promote()
		day, once := 1, int64(1)
		made, err := h.CreateInvitation.Call(t.Context(), ada, CreateInvitationIn{ExpiresInDays: &day, MaxUses: &once})
		if err != nil {
			t.Fatal(err)
		}
		h.db.Clock.Advance(24*time.Hour - time.Minute)
		token, err := h.askWith("ben@example.org", made.Token)
		if err != nil || token == "" {
			t.Fatalf("%s: %q, %v", name, token, err)
		}
		end(h, made)
		h.invite(ada, 1)
		if _, err := h.verify(VerifyMagicLinkIn{Token: token}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A member's invitations end when members may no longer invite. Anybody's invitations
// end when they are suspended.
func TestInvitationOfMember(t *testing.T) {
	h := open(t)
	ben := h.as("ben@example.org")
	_, err := h.CreateInvitation.Call(context.Background(), ben, CreateInvitationIn{})
	wantCode(t, "a member", err, "invites_closed")
	set := func(name, value string) {
		t.Helper()
		if err := h.db.Write(context.Background(), func(tx *store.Tx) error { return tx.SetSetting(name, value) }); err != nil {
			t.Fatal(err)
		}
	}
	valid := func(made CreateInvitationOut) bool {
		t.Helper()
		_, err := h.GetInvitation.Call(context.Background(), store.Viewer{}, core.ByToken{Token: made.Token})
		if err != nil && !core.IsKind(err, core.NotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	set(store.SettingMemberInvites, "yes")
	made := h.invite(ben, 2)
	if !valid(made) {
		t.Error("the invitation of a member is not valid")
	}
	set(store.SettingMemberInvites, "")
	if valid(made) {
		t.Error("it is valid although members may not invite any more")
	}
	ada := h.promote()
	made = h.invite(ada, 2)
	err = h.db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.User(h.cast.Ada.ID)
		u.SuspendedAt = tx.Now
		if err == nil {
			_, err = tx.UpdateUser(u)
		}
		return err
	})
	if err != nil || valid(made) {
		t.Errorf("valid of a suspended account, %v", err)
	}
}

// An invitation is sent by mail only where there is a mail server, with the same
// response and the same mail for those who have an account.
func TestInvitationByMail(t *testing.T) {
	h := open(t)
	ada := h.promote()
	_, err := h.CreateInvitation.Call(context.Background(), ada, CreateInvitationIn{Email: "new@example.org"})
	wantCode(t, "without a mail server", err, "no_mail_server")
	h = open(t, func(c *Config) { c.SendsMail = true })
	ada = h.promote()
	secret := regexp.MustCompile(`/join/\S+`)
	var mails []string
	for _, email := range []string{"new@example.org", "ben@example.org"} {
		h.out.take()
		out, err := h.CreateInvitation.Call(context.Background(), ada, CreateInvitationIn{Email: email})
		if err != nil || out.UsesLeft != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		text := h.out.take()
		if !strings.Contains(text, out.URL) || !strings.Contains(text, "Ada invites you to hearth.test") {
			t.Errorf("the mail is\n%s", text)
		}
		mails = append(mails, strings.ReplaceAll(secret.ReplaceAllString(text, ""), email, ""))
	}
	if mails[0] != mails[1] {
		t.Errorf("the mails differ:\n%s\n%s", mails[0], mails[1])
	}
}

// An account has 50 invitations that can be used, and no more; one that has expired
// or was revoked does not count.
func TestInvitationsAreLimited(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := h.promote()
	day, month := 1, 30
	var made []CreateInvitationOut
	for n := range 50 {
		in := CreateInvitationIn{ExpiresInDays: &month}
		if n == 0 {
			in.ExpiresInDays = &day
		}
		out, err := h.CreateInvitation.Call(ctx, ada, in)
		if err != nil || out.UsesLeft != 25 {
			t.Fatalf("%d: %+v, %v", n, out, err)
		}
		if life := out.ExpiresAt.Sub(h.db.Now()); life < time.Duration(*in.ExpiresInDays)*24*time.Hour ||
			life > time.Duration(*in.ExpiresInDays)*24*time.Hour+time.Second {
			t.Errorf("%d days: it is valid for %v", *in.ExpiresInDays, life)
		}
		made = append(made, out)
	}
	full := func(what string) {
		t.Helper()
		_, err := h.CreateInvitation.Call(ctx, ada, CreateInvitationIn{})
		wantCode(t, what, err, "too_many_invitations")
	}
	full("the 51st")
	if _, err := h.RevokeInvitation.Call(ctx, ada, core.ByID{ID: made[49].ID}); err != nil {
		t.Fatal(err)
	}
	h.invite(ada, 3)
	full("in place of a revoked one, and another")
	h.db.Clock.Advance(made[0].ExpiresAt.Go().Sub(h.db.Clock.Now()) - time.Microsecond)
	full("before the first has expired")
	h.db.Clock.Advance(time.Microsecond)
	h.invite(ada, 1)
	full("in place of an expired one, and another")
}

// accept joins from an IP address of its own.
func (h *harness) accept(in AcceptInvitationIn) (VerifyMagicLinkOut, error) {
	return h.AcceptInvitation.Call(context.Background(), store.Viewer{IP: core.NewSecret(8)}, in)
}

// An invitation for three people lets three people in, however many come at once. Nobody joins by one that ended.
func TestAcceptInvitation(t *testing.T) {
	joined := 0
	h := open(t, func(c *Config) { c.Joined = func(*store.Tx, string) error { joined++; return nil } })
	h.closedTo()
	ada := h.promote()
	made := h.invite(ada, 3)
	var wg sync.WaitGroup
	var in atomic.Int32
	for range 10 {
		wg.Go(func() {
			switch _, err := h.accept(AcceptInvitationIn{Token: made.Token, Name: "New"}); {
			case err == nil:
				in.Add(1)
			case !core.IsKind(err, core.NotFound):
				t.Error(err)
			}
		})
	}
	if wg.Wait(); in.Load() != 3 || joined != 3 {
		t.Errorf("%d people got an account, %d joined the group of everybody", in.Load(), joined)
	}
	made = h.invite(ada, 3)
	_, err := h.AcceptInvitation.Call(t.Context(), ada, AcceptInvitationIn{Token: made.Token, Name: "Ada"})
	wantCode(t, "who has an account", err, "already_member")
	h.db.Clock.Advance(7*24*time.Hour + time.Second)
	_, err = h.accept(AcceptInvitationIn{Token: made.Token, Name: "Late"})
	wantCode(t, "an invitation that expired", err, "not_found")
	made = h.invite(h.as("ada@example.org"), 3)
	if _, err := h.RevokeInvitation.Call(t.Context(), h.as("ada@example.org"), core.ByID{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	_, err = h.accept(AcceptInvitationIn{Token: made.Token, Name: "Later"})
	wantCode(t, "an invitation that was revoked", err, "not_found")
}

// Commands find an account without an address by its id. A link for it signs in once, and proves nothing.
func TestAccountWithoutAddress(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	noor, err := h.accept(AcceptInvitationIn{Token: h.invite(h.promote(), 1).Token, Name: "Noor"})
	if err != nil {
		t.Fatal(err)
	}
	id := noor.User.ID
	for _, who := range []string{id, id + "@users.invalid"} {
		url, err := h.LinkFor(ctx, who, true)
		if err != nil {
			t.Fatal(err)
		}
		_, token, _ := strings.Cut(url, "token=")
		if l, err := h.ShowLink(ctx, store.Viewer{}, token); err != nil || l.Name != "Noor" || l.Email != "" {
			t.Errorf("the link shows %+v, %v", l, err)
		}
		out, err := h.verify(VerifyMagicLinkIn{Token: token})
		if err != nil || out.User.ID != id || out.User.Email != id+"@users.invalid" || h.user(out.User.Email).VerifiedAt != 0 {
			t.Errorf("got %+v, %v", out.User, err)
		}
		_, err = h.verify(VerifyMagicLinkIn{Token: token})
		wantCode(t, "the link again", err, "invalid_link")
	}
	if _, err := h.bearer(noor.Token); err != nil {
		t.Errorf("a link ended the session: %v", err)
	}
	url, err := h.LinkFor(ctx, id, false)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "suspension", h.Act(ctx, id, Suspend), "")
	_, token, _ := strings.Cut(url, "token=")
	_, err = h.verify(VerifyMagicLinkIn{Token: token})
	wantCode(t, "a link to a suspended account", err, "account_suspended")
	_, err = h.LinkFor(ctx, id, true)
	wantCode(t, "a link for a suspended account", err, "account_suspended")
	wantCode(t, "erasure", h.Erase(ctx, id), "")
	_, err = h.LinkFor(ctx, id, true)
	wantCode(t, "a link for nobody", err, "invalid_input")
	_, err = h.LinkFor(ctx, id, false)
	wantCode(t, "a link for nobody", err, "no_account")
}

// Of an address that an agent registered and a person proves who joined, the person gets it. The other account keeps
// what it has, without the address.
func TestProveRegisteredAddress(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	agent, err := h.RegisterAgent.Call(ctx, store.Viewer{IP: "192.0.2.9"},
		RegisterAgentIn{Email: "noor@example.org", Password: "a long password"})
	if err != nil {
		t.Fatal(err)
	}
	invitation := h.invite(h.promote(), 1).Token
	h.out.take()
	noor, err := h.accept(AcceptInvitationIn{Token: invitation, Name: "Noor", Email: "noor@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	token := mailToken.FindStringSubmatch(h.out.take())[1]
	by, err := h.bearer(noor.Token)
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.VerifyMagicLink.Call(ctx, by, VerifyMagicLinkIn{Token: token})
	if u := h.user("noor@example.org"); err != nil || out.User.ID != noor.User.ID || u.ID != noor.User.ID || u.VerifiedAt == 0 {
		t.Errorf("got %+v, %v, %+v", out.User, err, u)
	}
	if u := h.user(agent.UserID + "@users.invalid"); u.ID != agent.UserID || u.PasswordHash != "" {
		t.Errorf("the agent is %+v", u)
	}
}
