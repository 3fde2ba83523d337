package page

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/app/middleware"
)

type loginView struct {
	Frame
	Form   Form
	Next   string // path to follow after signing in
	Closed bool   // only invited people can join
}

type loginCodeView struct {
	Frame
	Form    Form
	Email   string
	LogOnly bool // the server sends no mail
	Closed  bool // only invited people can join
}

type loginVerifyView struct {
	Frame
	Form  Form
	Token string // "" for a used or expired link
	Email string
	New   bool // no account has the address: the person must enter a name
}

// emailCookie has the address that a code was sent to, while the code works. No address bar and no log may
// have it.
const emailCookie = "hearth_login"

func (s *site) loginFrame(v *visit, title string) Frame {
	return s.frame(v, title, "login", "narrow")
}

func login(s *site, v *visit) error {
	next := account.LocalPath(v.query("next"))
	if v.by.SignedIn() {
		return v.seeOther(firstOf(next, "/"))
	}
	return s.showLogin(v, Form{}, next)
}

func (s *site) showLogin(v *visit, form Form, next string) error {
	f := s.loginFrame(v, "Sign in")
	return s.show(v, form.status(), loginView{Frame: f, Form: form, Next: next, Closed: s.community(v).Signup == "invite"})
}

func loginSend(s *site, v *visit) error {
	in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Next: account.LocalPath(v.form("next"))}
	send := func() (string, error) {
		_, err := s.Account.RequestMagicLink.Call(v.ctx(), v.by, in)
		if err == nil {
			s.setEmail(v, in.Email, 15*60)
		}
		return "/login/code", err
	}
	return s.submit(v, []string{"email"}, send, func(f Form) error { return s.showLogin(v, f, in.Next) })
}

// setEmail stores the address for maxAge seconds; -1 removes it.
func (s *site) setEmail(v *visit, email string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: emailCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(email)), Path: "/login", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.BaseURL, "https://"),
	})
}

func (v *visit) email() string {
	c, err := v.r.Cookie(emailCookie)
	if err != nil {
		return ""
	}
	b, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || len(b) > 254 {
		return ""
	}
	return strings.ToValidUTF8(string(b), "")
}

func (s *site) showCode(v *visit, form Form) error {
	email := v.email()
	if email == "" {
		return v.seeOther("/login")
	}
	f := s.loginFrame(v, "Sign in")
	return s.show(v, form.status(), loginCodeView{Frame: f, Form: form, Email: email, LogOnly: s.MailToLog,
		Closed: s.community(v).Signup == "invite"})
}

func loginCodeSend(s *site, v *visit) error {
	email, code := v.email(), strings.TrimSpace(v.form("code"))
	if email == "" {
		return v.seeOther("/login")
	}
	enter := func() (string, error) {
		if code == "" {
			return "", errNoCode
		}
		return s.signIn(v, account.VerifyMagicLinkIn{Email: email, Code: code})
	}
	return s.submit(v, []string{"code"}, enter, func(f Form) error { return s.showCode(v, codeForm(f)) })
}

var errNoCode = core.InvalidField("code", "Enter the six digits from the e-mail.")

// codeForm shows an error of the form beside the code, its only field.
func codeForm(f Form) Form {
	if f.Error != "" {
		f.Errors, f.Error = map[string]string{"code": f.Error}, ""
	}
	return f
}

func (s *site) signIn(v *visit, in account.VerifyMagicLinkIn) (next string, err error) {
	to, err := s.Account.Redeem.Call(v.ctx(), v.by, in)
	if err != nil {
		return "", err
	}
	if err := s.Account.SignIn(v.w, v.r, to.UserID); err != nil {
		return "", err
	}
	middleware.RecorderOf(v.w).SignedIn = to.UserID
	s.setEmail(v, "", -1)
	next = account.LocalPath(to.Next)
	switch {
	case to.Created && in.Name == "":
		return "/welcome" + withNext(next), nil
	case to.Created:
		return firstOf(next, "/home"), nil
	}
	return firstOf(next, "/?done=in"), nil
}

func withNext(next string) string {
	if next == "" {
		return ""
	}
	return "?next=" + url.QueryEscape(next)
}

// loginVerify changes nothing, because mail scanners follow links.
func loginVerify(s *site, v *visit) error {
	return s.showLink(v, v.query("token"), Form{})
}

func (s *site) showLink(v *visit, token string, form Form) error {
	email, unknown, err := s.Account.ShowLink(v.ctx(), token)
	if core.IsKind(err, core.NotFound) {
		return s.showVerify(v, http.StatusGone, loginVerifyView{})
	}
	if err != nil {
		return err
	}
	return s.showVerify(v, form.status(), loginVerifyView{Form: form, Token: token, Email: email, New: unknown})
}

func (s *site) showVerify(v *visit, code int, view loginVerifyView) error {
	view.Frame = s.loginFrame(v, "Sign in")
	return s.show(v, code, view)
}

func loginVerifySend(s *site, v *visit) error {
	next, err := s.signIn(v, account.VerifyMagicLinkIn{Token: v.form("token"), Name: v.form("name")})
	if e := core.As(err); err != nil && e.Kind == core.Invalid {
		if e.Field == "name" { // the link still works
			return s.refuse(v, []string{"name"}, err, func(f Form) error { return s.showLink(v, v.form("token"), f) })
		}
		view := loginVerifyView{}
		if e.Code == account.InvalidInvitation {
			view.Form.Error = e.Msg
		}
		return s.showVerify(v, http.StatusGone, view)
	}
	return v.next(next, err)
}

func logout(s *site, v *visit) error {
	return v.next("/?done=out", s.Account.SignOut(v.w, v.r))
}
