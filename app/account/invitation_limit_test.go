package account

import (
	"strings"
	"testing"
	"time"

	"hearth/app/core"
)

// An account has 50 invitations sent by mail within a day, whether they are open or
// not; its links are not counted among them.
func TestInvitationMailsOfADay(t *testing.T) {
	h := open(t, func(c *Config) { c.SendsMail = true })
	ada := h.promote()
	h.exact()
	send := func(email, code string) {
		t.Helper()
		out, err := h.CreateInvitation.Call(t.Context(), ada, CreateInvitationIn{Email: email})
		wantCode(t, "an invitation to "+email, err, code)
		if err == nil {
			if _, err := h.RevokeInvitation.Call(t.Context(), ada, RevokeInvitationIn{ID: out.ID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 50 {
		send("new@example.org", "")
	}
	send("new@example.org", "too_many_invitations")
	send("", "")
	h.db.Clock.Advance(24*time.Hour - time.Microsecond)
	send("new@example.org", "too_many_invitations")
	h.db.Clock.Advance(time.Microsecond)
	send("new@example.org", "")
}

// Who has as many invitations as can be open is told how many these are.
func TestTooManyInvitationsAreCounted(t *testing.T) {
	h := open(t)
	ada := h.promote()
	for range 50 {
		h.invite(ada, 1)
	}
	_, err := h.CreateInvitation.Call(t.Context(), ada, CreateInvitationIn{})
	if wantCode(t, "the 51st", err, "too_many_invitations"); !strings.Contains(core.As(err).Msg, "50 open") {
		t.Errorf("the message is %q", core.As(err).Msg)
	}
}
