package page

import (
	"cmp"
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
		{"POST /login", bearer, s.posted(s.codeSend, "email"), "login"},
		{"GET /login/code", anyone, s.showCode, "login_code"},
		{"POST /login/code", bearer, s.posted(s.loginCodeSend, "code"), "login_code"},
		{"GET /login/verify", anyone, s.loginVerify, "login_verify"},
		{"POST /login/verify", bearer, s.loginVerifySend, "login_verify"},
		{"POST /logout", bearer, s.posted(s.logout), ""},
		{"GET /deleted", anyone, s.accountDeleted, "account_deleted"},
		{"GET /claim", anyone, s.claim, "claim"},
		{"POST /claim", bearer, s.claimSend, "claim"},
	}
}

type loginView struct {
	Frame
	Form    Form
	Next    string // path to follow after signing in
	Closed  bool   // only invited people can join
	LogOnly bool   // the server sends no mail
	Admin   string // who can give a sign-in link; "" without one
}

type loginCodeView struct {
	Frame
	Form    Form
	Email   string
	LogOnly bool   // the server sends no mail
	Admin   string // who can give a sign-in link then; or ""
	Closed  bool   // only invited people can join
}

type loginVerifyView struct {
	Frame
	Form   Form
	Token  string // "" for a used or expired link
	Link   account.Link
	Closed bool // only invited people can join
}

// emailCookie has the address that a code was sent to, while the code works. No address bar and no log may
// have it.
const emailCookie = "hearth_login"

func (s *site) login(v *visit) error {
	next := account.LocalPath(cmp.Or(v.form("next"), v.query("next")))
	if v.by.SignedIn() && v.again == nil {
		return v.seeOther(cmp.Or(next, "/"))
	}
	view := loginView{Form: v.filled(Form{}), Next: next, Closed: s.community(v).Signup == "invite", LogOnly: s.SMTPURL == ""}
	if view.LogOnly {
		view.Admin = get(v, s.Admin.GetAdminName, core.None{})
	}
	return s.page(v, "Sign in", "login", "narrow", &view)
}

// codeSend answers the form of the sign-in page, and of the settings of a person without an address.
func (s *site) codeSend(v *visit) (string, error) {
	in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Next: account.LocalPath(v.form("next"))}
	_, err := s.Account.RequestMagicLink.Call(v.ctx(), v.by, in)
	if err == nil {
		s.setEmail(v, in.Email, 15*60)
	}
	return "/login/code", err
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
	switch {
	case email == "" && v.by.SignedIn():
		return v.seeOther("/settings")
	case email == "":
		return v.seeOther("/login")
	}
	view := loginCodeView{Form: v.filled(Form{}), Email: email, LogOnly: s.SMTPURL == "",
		Closed: s.community(v).Signup == "invite" && !v.by.SignedIn()}
	if view.LogOnly {
		view.Admin = get(v, s.Admin.GetAdminName, core.None{})
	}
	if view.Form.Error != "" { // it belongs beside the only field
		view.Form.Errors, view.Form.Error = map[string]string{"code": view.Form.Error}, ""
	}
	return s.page(v, "Sign in", "login", "narrow", &view)
}

func (s *site) loginCodeSend(v *visit) (string, error) {
	in := account.VerifyMagicLinkIn{Email: v.email(), Code: strings.TrimSpace(v.form("code"))}
	switch {
	case in.Email == "":
		return "/login", nil
	case in.Code == "":
		return "", errNoCode
	}
	return s.signIn(v, in)
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
	case to.Proven:
		return "/settings?done=proven", nil
	case to.Created && in.Name == "":
		if next != "" {
			next = "?next=" + url.QueryEscape(next)
		}
		return "/welcome" + next, nil
	case to.Created:
		return cmp.Or(next, "/home"), nil
	}
	return cmp.Or(next, "/?done=in"), nil
}

// loginVerify changes nothing, because mail scanners follow links.
func (s *site) loginVerify(v *visit) error {
	view := loginVerifyView{Token: cmp.Or(v.form("token"), v.query("token")), Closed: s.community(v).Signup == "invite"}
	var err error
	view.Link, err = s.Account.ShowLink(v.ctx(), v.by, view.Token)
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
	case err == nil:
		return v.seeOther(next)
	case e.Kind != core.Invalid:
		return err
	case e.Field == "name": // the link still works
		return s.refuse(v, err, "name")
	case e.Code == account.InvalidInvitation:
		return s.linkGone(v, e.Msg)
	}
	return s.linkGone(v, "")
}

func (s *site) logout(v *visit) (string, error) { return "/?done=out", s.Account.SignOut(v.w, v.r) }

// claimView is a step of the claim. The first step asks for a name and, if the server sends mail, for an address. The
// second confirms the address with a code.
type claimView struct {
	Frame
	Form      Form
	Token     string // "" if the server has an admin
	Confirm   bool
	SendsMail bool
}

func (s *site) claim(v *visit) error { return s.showClaim(v, false) }

func (s *site) showClaim(v *visit, confirm bool) error {
	view := claimView{Form: v.filled(Form{}), Token: cmp.Or(v.form("token"), v.query("token")), SendsMail: s.SMTPURL != ""}
	view.Confirm = confirm || view.Form.At("code") != ""
	if err := s.Account.CanClaim(v.ctx(), view.Token); core.As(err).Code == account.InvalidClaim {
		v.status, view.Token = http.StatusGone, ""
	} else if err != nil {
		return err
	}
	return s.page(v, "Set up your server", "login", "narrow", &view)
}

func (s *site) claimSend(v *visit) error {
	fields := []string{"email", "name", "code"}
	switch {
	case v.form("step") == "change":
		return s.showAgain(v)
	case s.SMTPURL == "", v.form("step") == "confirm":
		return s.submit(v, func() (string, error) { return "/setup?done=claimed", s.claimConfirm(v) }, fields...)
	}
	if _, err := send(v, s.Account.StartClaim); err != nil {
		return s.refuse(v, err, fields...)
	}
	v.again = &Form{Values: v.r.PostForm}
	return s.showClaim(v, true)
}

func (s *site) claimConfirm(v *visit) error {
	if s.SMTPURL != "" && strings.TrimSpace(v.form("code")) == "" {
		return errNoCode
	}
	claimed, err := send(v, s.Account.Claim, func(in *account.ClaimIn) {
		if s.SMTPURL == "" {
			in.Email = ""
		}
	})
	if err != nil {
		return err
	}
	middleware.RecorderOf(v.w).SignedIn = claimed.UserID
	return s.Account.SignIn(v.w, v.r, claimed.UserID)
}
