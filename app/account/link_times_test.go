package account

import (
	"testing"
	"time"

	"hearth/store"
)

// exact moves the clock on to a moment that no write is ahead of, from which times are
// exact.
func (h *harness) exact() store.Time {
	h.db.Clock.Advance(time.Hour)
	return h.db.Now()
}

// A sign-in link and its code are valid for exactly 15 minutes.
func TestLinkExpiresExactly(t *testing.T) {
	h := open(t)
	for _, by := range []string{"token", "code"} {
		for after, code := range map[time.Duration]string{15*time.Minute - time.Microsecond: "", 15 * time.Minute: "invalid_link"} {
			h.exact()
			m := h.ask("ada@example.org")
			in := VerifyMagicLinkIn{Token: m.token}
			if by == "code" {
				in = VerifyMagicLinkIn{Email: m.to, Code: m.code}
			}
			h.db.Clock.Advance(after)
			_, err := h.verify(in)
			wantCode(t, by+" after "+after.String(), err, code)
		}
	}
}

// Tokens are issued for exactly seven days, or ten minutes if embedded.
func TestTokensAreIssuedExactly(t *testing.T) {
	h := open(t)
	b := &browser{h: h}
	b.signIn(h.cast.Ada.ID)
	life := func(what, token string, want time.Duration) {
		t.Helper()
		v, err := h.bearer(token)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		err = h.db.Read(t.Context(), func(r *store.Reader) error {
			u, err := r.SessionUser(v.SessionID)
			if got := u.ExpiresAt.Sub(u.CreatedAt); got != want {
				t.Errorf("%s: issued for %v, want %v", what, got, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	life("by a link", h.token("ada@example.org"), 7*24*time.Hour)
	for embedded, want := range map[bool]time.Duration{false: 7 * 24 * time.Hour, true: 10 * time.Minute} {
		out, err := h.CreateToken.Call(t.Context(), b.caller(), CreateTokenIn{Embedded: embedded})
		if err != nil || out.ExpiresIn != int(want/time.Second) {
			t.Fatalf("%+v, %v", out, err)
		}
		life("by a session", out.Token, want)
	}
}

// After ten wrong codes for an address none works until exactly a day after the first
// of them.
func TestWrongCodesOfADay(t *testing.T) {
	h := open(t)
	code := func(what, code, want string) {
		t.Helper()
		_, err := h.verify(VerifyMagicLinkIn{Email: "ada@example.org", Code: code})
		wantCode(t, what, err, want)
	}
	h.exact()
	for range 2 { // each mail is good for five
		h.ask("ada@example.org")
		for range 5 {
			code("a wrong code", "none", "invalid_link")
		}
		h.db.Clock.Advance(15 * time.Minute)
	}
	h.db.Clock.Advance(24*time.Hour - 30*time.Minute - time.Microsecond)
	m := h.ask("ada@example.org")
	code("within the day", m.code, "invalid_link")
	h.db.Clock.Advance(time.Microsecond)
	code("a day after the first", m.code, "")
}
