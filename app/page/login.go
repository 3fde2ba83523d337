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

func (s *site) accountRoutes() []route {
	return []route{
		{"GET /login", anyone, s.login, "login"},
		{"POST /login", bearer, s.loginSend, "login"},
		{"GET /login/code", anyone, s.showCode, "login_code"},
		{"POST /login/code", bearer, s.loginCodeSend, "login_code"},
		{"GET /login/verify", anyone, s.loginVerify, "login_verify"},
		{"POST /login/verify", bearer, s.loginVerifySend, "login_verify"},
		{"POST /logout", bearer, s.logout, ""},
		{"GET /deleted", anyone, s.accountDeleted, "account_deleted"},
		{"GET /claim", anyone, s.claim, "claim"},
		{"POST /claim", bearer, s.claimSend, "claim"},
	}
}

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

func (s *site) login(v *visit) error {
	next := account.LocalPath(firstOf(v.form("next"), v.query("next")))
	if v.by.SignedIn() && v.again == nil {
		return v.seeOther(firstOf(next, "/"))
	}
	return s.page(v, "Sign in", "login", "narrow", &loginView{Form: v.filled(Form{}), Next: next, Closed: s.community(v).Signup == "invite"})
}

func (s *site) loginSend(v *visit) error {
	return s.submit(v, func() (string, error) {
		in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Next: account.LocalPath(v.form("next"))}
		return "/login/code", s.sendCode(v, in)
	}, "email")
}

func (s *site) sendCode(v *visit, in account.MagicLinkIn) error {
	_, err := s.Account.RequestMagicLink.Call(v.ctx(), v.by, in)
	if err == nil {
		s.setEmail(v, in.Email, 15*60)
	}
	return err
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

func (s *site) showCode(v *visit) error {
	email := v.email()
	if email == "" {
		return v.seeOther("/login")
	}
	view := loginCodeView{Form: v.filled(Form{}), Email: email, LogOnly: s.MailToLog, Closed: s.community(v).Signup == "invite"}
	if view.Form.Error != "" { // it belongs beside the only field
		view.Form.Errors, view.Form.Error = map[string]string{"code": view.Form.Error}, ""
	}
	return s.page(v, "Sign in", "login", "narrow", &view)
}

func (s *site) loginCodeSend(v *visit) error {
	email, code := v.email(), strings.TrimSpace(v.form("code"))
	if email == "" {
		return v.seeOther("/login")
	}
	return s.submit(v, func() (string, error) {
		if code == "" {
			return "", errNoCode
		}
		return s.signIn(v, account.VerifyMagicLinkIn{Email: email, Code: code})
	}, "code")
}

var errNoCode = core.InvalidField("code", "Enter the six digits from the e-mail.")

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
		if next != "" {
			next = "?next=" + url.QueryEscape(next)
		}
		return "/welcome" + next, nil
	case to.Created:
		return firstOf(next, "/home"), nil
	}
	return firstOf(next, "/?done=in"), nil
}

// loginVerify changes nothing, because mail scanners follow links.
func (s *site) loginVerify(v *visit) error {
	view := loginVerifyView{Token: firstOf(v.form("token"), v.query("token"))}
	var err error
	view.Email, view.New, err = s.Account.ShowLink(v.ctx(), view.Token)
	if core.IsKind(err, core.NotFound) {
		return s.linkGone(v, "")
	}
	if err != nil {
		return err
	}
	view.Form = v.filled(Form{})
	return s.page(v, "Sign in", "login", "narrow", &view)
}

func (s *site) linkGone(v *visit, why string) error {
	v.status = http.StatusGone
	return s.page(v, "Sign in", "login", "narrow", &loginVerifyView{Form: Form{Error: why}})
}

func (s *site) loginVerifySend(v *visit) error {
	next, err := s.signIn(v, account.VerifyMagicLinkIn{Token: v.form("token"), Name: v.form("name")})
	e := core.As(err)
	switch {
	case err == nil || e.Kind != core.Invalid:
		return v.next(next, err)
	case e.Field == "name": // the link still works
		return s.refuse(v, err, "name")
	case e.Code == account.InvalidInvitation:
		return s.linkGone(v, e.Msg)
	}
	return s.linkGone(v, "")
}

func (s *site) logout(v *visit) error {
	return v.next("/?done=out", s.Account.SignOut(v.w, v.r))
}
