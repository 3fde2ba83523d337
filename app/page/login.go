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

// claimView is a step of the claim. The first step asks for name and address. The second confirms the
// address, with a code if the server sends mail. Otherwise a typo could make a stranger the admin.
type claimView struct {
	Frame
	Form    Form
	Token   string // "" if the server has an admin
	Confirm bool
	ByCode  bool
}

func (s *site) claim(v *visit) error {
	view := claimView{Form: v.filled(Form{}), Token: firstOf(v.form("token"), v.query("token"))}
	if err := s.Account.CanClaim(v.ctx(), view.Token); err != nil {
		return s.claimGone(v, err)
	}
	view.Confirm = view.Form.At("code") != ""
	return s.showClaim(v, view)
}

func (s *site) showClaim(v *visit, view claimView) error {
	view.ByCode = !s.MailToLog
	return s.page(v, "Set up your server", "login", "narrow", &view)
}

// claimGone shows that a claim link does not work. It returns any other error.
func (s *site) claimGone(v *visit, err error) error {
	if core.As(err).Code != account.InvalidClaim {
		return err
	}
	v.status = http.StatusGone
	return s.showClaim(v, claimView{})
}

func (s *site) claimFailed(v *visit, err error) error {
	if core.As(err).Code == account.InvalidClaim {
		return s.claimGone(v, err)
	}
	return s.refuse(v, err, "email", "name", "code")
}

func (s *site) claimSend(v *visit) error {
	in := account.ClaimIn{Token: v.form("token"), Email: strings.TrimSpace(v.form("email")), Name: v.form("name")}
	view := claimView{Token: in.Token, Form: Form{Values: v.r.PostForm}}
	switch v.form("step") {
	case "confirm":
		return s.claimConfirm(v, in)
	case "change":
	default:
		if _, err := s.Account.StartClaim.Call(v.ctx(), v.by, account.StartClaimIn{ClaimIn: in, SendCode: !s.MailToLog}); err != nil {
			return s.claimFailed(v, err)
		}
		view.Confirm = true
	}
	return s.showClaim(v, view)
}

func (s *site) claimConfirm(v *visit, in account.ClaimIn) error {
	in.Code = strings.TrimSpace(v.form("code"))
	if !s.MailToLog && in.Code == "" {
		return s.claimFailed(v, errNoCode)
	}
	claimed, err := s.Account.Claim.Call(v.ctx(), v.by, in)
	if err != nil {
		return s.claimFailed(v, err)
	}
	middleware.RecorderOf(v.w).SignedIn = claimed.UserID
	return v.next("/setup?done=claimed", s.Account.SignIn(v.w, v.r, claimed.UserID))
}
