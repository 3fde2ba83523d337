package page

import (
	"net/http"
	"strings"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/app/middleware"
)

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
