package account

import (
	"regexp"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

var claimCode = regexp.MustCompile(`(?m)^\W*(\d{6})\s*$`)

// startClaimOf starts a claim of root@example.org and returns what was mailed or logged.
func (h *harness) startClaimOf(token string) (string, error) {
	h.out.take()
	_, err := h.StartClaim.Call(h.t.Context(), store.Viewer{}, StartClaimIn{Token: token, Name: "Root", Email: "root@example.org"})
	return h.out.take(), err
}

// A code is mailed only for the valid link.
func TestClaimCodeIsSent(t *testing.T) {
	h := open(t)
	token := claimToken(t, h)
	text, err := h.startClaimOf("x")
	wantCode(t, "a wrong link", err, InvalidClaim)
	if text != "" {
		t.Errorf("mailed or logged: %s", text)
	}
	text, err = h.startClaimOf(token)
	if err != nil || !strings.Contains(text, "To:      root@example.org\n") || claimCode.FindString(text) == "" {
		t.Errorf("got %v, mailed: %s", err, text)
	}
	if strings.Contains(text, "not accepted") || strings.Contains(text, token) {
		t.Errorf("mailed or logged: %s", text)
	}
}

// A claim with a code needs the one that was mailed to the address. A wrong one is
// counted and changes nothing; the right one is used up.
func TestClaimNeedsTheMailedCode(t *testing.T) {
	h := open(t)
	token := claimToken(t, h)
	text, err := h.startClaimOf(token)
	if err != nil {
		t.Fatal(err)
	}
	code := claimCode.FindStringSubmatch(text)[1]
	wrong := strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
	claim := func(email, code string) (Claimed, error) {
		return h.Claim.Call(t.Context(), store.Viewer{IP: core.NewSecret(6)}, ClaimIn{Token: token, Name: "Root", Email: email, Code: code})
	}
	for name, tc := range map[string]struct{ email, code string }{
		"a wrong code":                {"root@example.org", wrong},
		"no code":                     {"root@example.org", ""},
		"the code of another address": {"ada@example.org", code},
	} {
		out, err := claim(tc.email, tc.code)
		if e := core.As(err); err == nil || e.Code != "invalid_input" || e.Field != "code" || out != (Claimed{}) {
			t.Errorf("%s: got %+v, %v", name, out, err)
		}
		if h.hasUser("root@example.org") || h.user("ada@example.org").IsAdmin {
			t.Errorf("%s: the server is claimed", name)
		}
	}
	if n := h.wrongCodes(); n != 2 {
		t.Errorf("%d wrong codes are counted", n)
	}
	out, err := claim("root@example.org", code[:3]+" "+code[3:])
	if u := h.user("root@example.org"); err != nil || out.UserID != u.ID || !u.IsAdmin {
		t.Errorf("got %+v, %v, %+v", out, err, u)
	}
	_, err = h.verify(VerifyMagicLinkIn{Email: "root@example.org", Code: code})
	wantCode(t, "the code again", err, "invalid_link")
}

// wrongCodes returns how many wrong codes were counted for all addresses.
func (h *harness) wrongCodes() (n int) {
	h.t.Helper()
	err := h.db.Write(h.t.Context(), func(tx *store.Tx) (err error) { n, err = tx.QuotaUsed(wrongCodesOfAll); return err })
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}
