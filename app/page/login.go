package page

import (
	"cmp"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"rsc.io/qr"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
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
	Form   Form
	Next   string // path to follow after signing in
	Closed bool   // only invited people can join
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
	Form  Form
	Token string // "" for a used or expired link
	Email string
	New   bool // no account has the address: the person must enter a name
}

// emailCookie has the address that a code was sent to, while the code works. No address bar and no log may
// have it.
const emailCookie = "hearth_login"

func (s *site) login(v *visit) error {
	next := account.LocalPath(cmp.Or(v.form("next"), v.query("next")))
	if v.by.SignedIn() && v.again == nil {
		return v.seeOther(cmp.Or(next, "/"))
	}
	return s.page(v, "Sign in", "login", "narrow", &loginView{Form: v.filled(Form{}), Next: next, Closed: s.community(v).Signup == "invite"})
}

// codeSend answers the form of the sign-in page, and of an invitation.
func (s *site) codeSend(v *visit) (string, error) {
	in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Next: account.LocalPath(v.form("next")), Invitation: v.id("token")}
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
	if email == "" {
		return v.seeOther("/login")
	}
	view := loginCodeView{Form: v.filled(Form{}), Email: email, LogOnly: s.SMTPURL == "", Closed: s.community(v).Signup == "invite"}
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
	view := loginVerifyView{Token: cmp.Or(v.form("token"), v.query("token"))}
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

// claimView is a step of the claim. The first step asks for name and address. The second confirms the
// address, with a code if the server sends mail. Otherwise a typo could make a stranger the admin.
type claimView struct {
	Frame
	Form    Form
	Token   string // "" if the server has an admin
	Confirm bool
	ByCode  bool
}

func (s *site) claim(v *visit) error { return s.showClaim(v, false) }

func (s *site) showClaim(v *visit, confirm bool) error {
	view := claimView{Form: v.filled(Form{}), Token: cmp.Or(v.form("token"), v.query("token")), ByCode: s.SMTPURL != ""}
	view.Confirm = confirm || view.Form.At("code") != ""
	if err := s.Account.CanClaim(v.ctx(), view.Token); core.As(err).Code == account.InvalidClaim {
		v.status, view.Token = http.StatusGone, ""
	} else if err != nil {
		return err
	}
	return s.page(v, "Set up your server", "login", "narrow", &view)
}

func (s *site) claimSend(v *visit) error {
	in := account.ClaimIn{Token: v.form("token"), Email: strings.TrimSpace(v.form("email")), Name: v.form("name")}
	fields := []string{"email", "name", "code"}
	switch v.form("step") {
	case "confirm":
		return s.submit(v, func() (string, error) { return "/setup?done=claimed", s.claimConfirm(v, in) }, fields...)
	case "change":
		return s.showAgain(v)
	}
	if _, err := s.Account.StartClaim.Call(v.ctx(), v.by, account.StartClaimIn{ClaimIn: in, SendCode: s.SMTPURL != ""}); err != nil {
		return s.refuse(v, err, fields...)
	}
	v.again = &Form{Values: v.r.PostForm}
	return s.showClaim(v, true)
}

func (s *site) claimConfirm(v *visit, in account.ClaimIn) error {
	if in.Code = strings.TrimSpace(v.form("code")); s.SMTPURL != "" && in.Code == "" {
		return errNoCode
	}
	claimed, err := s.Account.Claim.Call(v.ctx(), v.by, in)
	if err != nil {
		return err
	}
	middleware.RecorderOf(v.w).SignedIn = claimed.UserID
	return s.Account.SignIn(v.w, v.r, claimed.UserID)
}

func (s *site) invitationRoutes() []route {
	return []route{
		{"GET /invitations", person, fresh(s.showInvitations), "invitations"},
		{"POST /invitations", person,
			made(s, s.createInvitation, s.showInvitations, "email", "expiresInDays", "maxUses"), "invitations"},
		{"POST /invitations/{id}/revoke", person, act(s, s.Account.RevokeInvitation, "/invitations?done=revoked-link"), ""},
		{"GET /join/{token}", anyone, s.showJoin, "join"},
		{"POST /join/{token}", bearer, s.posted(s.codeSend, "email"), "join"},
		{"GET /welcome", person, s.welcome, "welcome"},
		{"POST /welcome", person, s.posted(s.welcomeSave, "name"), "welcome"},
	}
}

type inviteLink struct {
	URL      string
	Code     template.URL // a QR code
	UsesLeft int64
	Sent     string // the recipient's address, or ""
}

type invitationsView struct {
	Frame
	Form        Form
	SendID      string // makes a repeated form harmless
	May         bool   // the person may invite
	SendsMail   bool
	Made        *inviteLink
	Invitations []invitationView
}

type invitationView struct {
	account.OwnInvitation
	You bool
}

func (s *site) showInvitations(v *visit, made *inviteLink) error {
	out := get(v, s.Account.ListInvitations, core.None{})
	view := invitationsView{SendID: store.NewID(), Form: v.filled(newForm("expiresInDays", "7", "maxUses", "25")),
		May: s.mayInvite(v), SendsMail: s.SMTPURL != "", Made: made,
		Invitations: core.Map(out.Invitations, func(i account.OwnInvitation) invitationView {
			return invitationView{i, i.CreatedBy.ID == v.by.UserID}
		})}
	return s.page(v, "Invite people", "people", "", &view)
}

func (s *site) mayInvite(v *visit) bool {
	return v.by.Admin || v.by.SignedIn() && s.community(v).MemberInvites
}

func (s *site) createInvitation(v *visit) (*inviteLink, error) {
	in := account.CreateInvitationIn{Email: strings.TrimSpace(v.form("email"))}
	if days, err := strconv.Atoi(v.form("expiresInDays")); err == nil {
		in.ExpiresInDays = &days
	}
	if uses, err := strconv.ParseInt(v.form("maxUses"), 10, 64); err == nil && in.Email == "" {
		in.MaxUses = &uses
	}
	return s.invite(v, v.repeat(v.form("id")), in)
}

// invite makes one invitation for each shown form. A repeated form gets the same link.
func (s *site) invite(v *visit, repeat *op.Repeat, in account.CreateInvitationIn) (*inviteLink, error) {
	out, err := once(v, repeat, s.Account.CreateInvitation, in)
	if err != nil {
		return nil, err
	}
	code, err := qr.Encode(out.URL, qr.M)
	if err != nil {
		return nil, err
	}
	picture := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svgOf(code))
	return &inviteLink{URL: out.URL, Code: template.URL(picture), UsesLeft: out.UsesLeft, Sent: in.Email}, nil
}

type joinView struct {
	Frame
	Form       Form
	Token      string // "" for an invalid invitation
	Invitation account.Invitation
	Welcome    string
}

func (s *site) showJoin(v *visit) error {
	view := joinView{Token: v.r.PathValue("token")}
	var err error
	view.Invitation, err = send(v, s.Account.GetInvitation)
	switch {
	case core.IsKind(err, core.NotFound):
		v.status, view.Token = http.StatusGone, ""
	case err != nil:
		return err
	default:
		view.Form, view.Welcome = v.filled(Form{}), s.community(v).Welcome
	}
	return s.page(v, "Invitation", "login", "narrow", &view)
}

type welcomeView struct {
	Frame
	Form    Form
	Next    string
	Welcome string
}

func (s *site) welcome(v *visit) error {
	next := account.LocalPath(cmp.Or(v.form("next"), v.query("next")))
	return s.page(v, "Welcome", "welcome", "narrow", &welcomeView{Form: v.filled(Form{}), Next: next, Welcome: s.community(v).Welcome})
}

func (s *site) welcomeSave(v *visit) (string, error) {
	_, err := send(v, s.Account.UpdateMe)
	return cmp.Or(account.LocalPath(v.form("next")), "/home"), err
}
