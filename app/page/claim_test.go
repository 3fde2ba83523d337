package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hearth/app/page"
)

func (w *world) claimToken() string {
	w.t.Helper()
	link, err := w.account.ClaimURL(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return found(w.t, `token=(\S+)`, link)
}

// claimed returns the browser of the administrator who has claimed the server.
func (w *world) claimed() *browser {
	w.t.Helper()
	b, link := w.guest(), w.claimToken()
	form := url.Values{"token": {link}, "email": {"zoe@example.org"}, "name": {"Zoë"}, "step": {"confirm"}}
	b.post("/claim", url.Values{"token": {link}, "email": {"zoe@example.org"}, "name": {"Zoë"}})
	form.Set("code", found(w.t, `\b(\d{6})\b`, w.mails.last(w.t).Text))
	b.post("/claim", form).leads(w.t, `/setup\?done=claimed`)
	return b
}

// TestClaimWithoutMail: a server without mail asks for no address, which nobody could prove.
func TestClaimWithoutMail(t *testing.T) {
	w := newWorld(t, func(c *page.Config) { c.SMTPURL = "" })
	token := w.claimToken()
	w.guest().get("/claim?token=wrong").want(t, http.StatusGone, "already set up")
	b := w.guest()
	b.get("/claim?token="+token).want(t, 200, token, "Create admin account").lacks(t, `name="email"`)
	long := strings.Repeat("x", 81)
	b.post("/claim", url.Values{"token": {token}, "name": {long}}).want(t, 422, `value="`+long+`"`, `id="name-error"`, token)
	form := url.Values{"token": {token}, "name": {"Zoë"}, "email": {"zoe@example.org"}}
	b.post("/claim", form).leads(t, `/setup\?done=claimed`)
	b.get("/settings").want(t, 200, "Zoë").lacks(t, "zoe@example.org", "users.invalid", "E-mail address</h2>")
	if n := len(w.mails.mails); n != 0 {
		t.Errorf("%d mails were sent", n)
	}
	w.guest().post("/claim", form).want(t, http.StatusGone, "already set up")
	b.get("/settings/delete").want(t, 200, "Your name").lacks(t, "users.invalid")
	b.post("/settings/delete", url.Values{"address": {"Zoe"}}).want(t, 422, "Type Zoë to delete your account.")
}

// TestClaimByCode: a server that sends mail has the address proven.
func TestClaimByCode(t *testing.T) {
	w := newWorld(t)
	token := w.claimToken()
	b := w.guest()
	form := url.Values{"token": {token}, "email": {"zoe@example.org"}, "name": {"Zoë"}}
	b.post("/claim", url.Values{"token": {"wrong"}, "email": {"eve@example.org"}, "name": {"Eve"}}).want(t, http.StatusGone)
	if n := len(w.mails.mails); n != 0 {
		t.Fatalf("%d mails were sent for a wrong link", n)
	}
	b.post("/claim", form).want(t, 200, "Check your e-mail", "zoe@example.org", `name="code"`)
	mail := w.mails.last(t)
	code := found(t, `\b(\d{6})\b`, mail.Text)
	if mail.To != "zoe@example.org" || strings.Contains(mail.Text, token) {
		t.Errorf("the mail goes to %s and says:\n%s", mail.To, mail.Text)
	}
	form.Set("step", "confirm")
	b.post("/claim", form).want(t, 422, "Enter the six digits", `value="zoe@example.org"`)
	form.Set("code", strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code))
	b.post("/claim", form).want(t, 422, `id="code-error"`, `value="Zoë"`)
	form.Set("code", code)
	form.Set("email", "eve@example.org")
	b.post("/claim", form).want(t, 422, `id="code-error"`)
	form.Set("email", "zoe@example.org")
	form.Set("code", code[:3]+" "+code[3:])
	b.post("/claim", form).leads(t, `/setup\?done=claimed`)
	b.get("/").want(t, 200, "My lists")
	w.guest().post("/claim", form).want(t, http.StatusGone)
}
