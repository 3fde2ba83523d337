package page

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"hearth/app/account"
	"hearth/app/core"
)

type loginView struct {
	Frame
	Form Form
	Next string // where signing in leads, a path of this server
}

type loginCodeView struct {
	Frame
	Form    Form
	Email   string
	LogOnly bool // the server sends no mail
}

type loginVerifyView struct {
	Frame
	Form  Form
	Token string // "" when the link is used up
	Email string
}

type claimView struct {
	Frame
	Form  Form
	Token string // "" when the server has an owner
}

// askedCookie remembers, for as long as a code is good, which address asked
// for it and where to go then: neither belongs into an address or a log.
const askedCookie = "hearth_login"

func (s *site) loginFrame(v *visit, title string) (Frame, error) {
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
	f, err := s.loginFrame(v, "Sign in")
	if err != nil {
		return err
	}
	return s.show(v, form.status(), "login", loginView{Frame: f, Form: form, Next: next})
}

func loginSend(s *site, v *visit) error {
	in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Next: account.LocalPath(v.form("next"))}
	if _, err := s.Account.RequestMagicLink.Call(v.ctx(), v.by, in); err != nil {
		if !typed(err) {
			return err
		}
		return s.showLogin(v, failed(v.r.PostForm, err, "email"), in.Next)
	}
	s.setAsked(v, in.Email, 15*60)
	return v.seeOther("/login/code")
}

func (s *site) setAsked(v *visit, email string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: askedCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(email)), Path: "/login", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.BaseURL, "https://"),
	})
}

// asked returns the address a code was asked for with this browser, or "".
func (v *visit) asked() string {
	c, err := v.r.Cookie(askedCookie)
	if err != nil {
		return ""
	}
	b, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || len(b) > 254 {
		return ""
	}
	return strings.ToValidUTF8(string(b), "")
}

func loginCode(s *site, v *visit) error { return s.showCode(v, Form{}) }

func (s *site) showCode(v *visit, form Form) error {
	email := v.asked()
	if email == "" {
		return v.seeOther("/login")
	}
	f, err := s.loginFrame(v, "Sign in")
	if err != nil {
		return err
	}
	return s.show(v, form.status(), "login_code", loginCodeView{Frame: f, Form: form, Email: email, LogOnly: s.MailToLog})
}

func loginCodeSend(s *site, v *visit) error {
	email := v.asked()
	if email == "" {
		return v.seeOther("/login")
	}
	code := strings.TrimSpace(v.form("code"))
	if code == "" {
		return s.showCode(v, failed(v.r.PostForm, core.InvalidField("code", "Type the six digits of the mail."), "code"))
	}
	err := s.enter(v, account.VerifyMagicLinkIn{Email: email, Code: code})
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err)
		form.Errors, form.Error = map[string]string{"code": form.Error}, ""
		return s.showCode(v, form)
	}
	return err
}

// enter uses a link or a code up, begins the session and goes to where the
// person wanted to be.
func (s *site) enter(v *visit, in account.VerifyMagicLinkIn) error {
	to, err := s.Account.Redeem.Call(v.ctx(), v.by, in)
	if err != nil {
		return err
	}
	if err := s.Account.SignIn(v.w, v.r, to.UserID); err != nil {
		return err
	}
	s.setAsked(v, "", -1)
	return v.seeOther(firstOf(account.LocalPath(to.Next), "/?done=in"))
}

// loginVerify shows a button and changes nothing: programs that scan mail
// follow its links.
func loginVerify(s *site, v *visit) error {
	token := v.query("token")
	email, err := s.Account.ShowLink(v.ctx(), token)
	if core.IsKind(err, core.NotFound) {
		return s.showVerify(v, loginVerifyView{}, http.StatusGone)
	}
	if err != nil {
		return err
	}
	return s.showVerify(v, loginVerifyView{Token: token, Email: email}, http.StatusOK)
}

func (s *site) showVerify(v *visit, view loginVerifyView, code int) (err error) {
	if view.Frame, err = s.loginFrame(v, "Sign in"); err != nil {
		return err
	}
	return s.show(v, code, "login_verify", view)
}

func loginVerifySend(s *site, v *visit) error {
	err := s.enter(v, account.VerifyMagicLinkIn{Token: v.form("token")})
	if core.IsKind(err, core.Invalid) {
		return s.showVerify(v, loginVerifyView{}, http.StatusGone)
	}
	return err
}

func logout(s *site, v *visit) error {
	if err := s.Account.SignOut(v.w, v.r); err != nil {
		return err
	}
	return v.seeOther("/?done=out")
}

func claim(s *site, v *visit) error {
	token := v.query("token")
	err := s.Account.CanClaim(v.ctx(), token)
	if core.IsKind(err, core.Invalid) {
		return s.showClaim(v, claimView{}, http.StatusGone)
	}
	if err != nil {
		return err
	}
	return s.showClaim(v, claimView{Token: token}, http.StatusOK)
}

func (s *site) showClaim(v *visit, view claimView, code int) (err error) {
	if view.Frame, err = s.loginFrame(v, "Claim this server"); err != nil {
		return err
	}
	return s.show(v, code, "claim", view)
}

func claimSend(s *site, v *visit) error {
	in := account.ClaimIn{Token: v.form("token"), Email: v.form("email"), Name: v.form("name")}
	claimed, err := s.Account.Claim.Call(v.ctx(), v.by, in)
	if err != nil && core.As(err).Code == "invalid_claim" {
		return s.showClaim(v, claimView{}, http.StatusGone)
	}
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err, "email", "name")
		return s.showClaim(v, claimView{Form: form, Token: in.Token}, form.status())
	}
	if err != nil {
		return err
	}
	if err := s.Account.SignIn(v.w, v.r, claimed.UserID); err != nil {
		return err
	}
	return v.seeOther("/?done=claimed")
}

// loginAddress is the sign-in page that leads back to where v wanted to go.
func loginAddress(v *visit) string {
	if v.r.Method != http.MethodGet {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(v.r.URL.RequestURI())
}
