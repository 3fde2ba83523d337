package account

import (
	"context"
	"regexp"
	"strings"
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
	if _, _, err := h.ShowLink(context.Background(), tokens[0]); err != nil {
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
