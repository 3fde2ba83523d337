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

func claim(s *site, v *visit) error {
	token := v.query("token")
	if err := s.Account.CanClaim(v.ctx(), token); err != nil {
		return s.claimFailed(v, err)
	}
	return s.showClaim(v, http.StatusOK, claimView{Token: token})
}

func (s *site) showClaim(v *visit, code int, view claimView) error {
	view.Frame = s.loginFrame(v, "Set up your server")
	view.ByCode = !s.MailToLog
	return s.show(v, code, view)
}

// claimFailed shows that a claim link does not work. It returns any other error.
func (s *site) claimFailed(v *visit, err error) error {
	if core.As(err).Code != account.InvalidClaim {
		return err
	}
	return s.showClaim(v, http.StatusGone, claimView{})
}

func claimSend(s *site, v *visit) error {
	in := account.ClaimIn{Token: v.form("token"), Email: strings.TrimSpace(v.form("email")), Name: v.form("name")}
	form := Form{Values: v.r.PostForm}
	view := claimView{Token: in.Token, Form: form}
	switch v.form("step") {
	case "confirm":
		return s.claimConfirm(v, in)
	case "change":
	default:
		if _, err := s.Account.StartClaim.Call(v.ctx(), v.by, account.StartClaimIn{ClaimIn: in, SendCode: !s.MailToLog}); err != nil {
			return s.claimAgain(v, in, err)
		}
		view.Confirm = true
	}
	return s.showClaim(v, http.StatusOK, view)
}

func (s *site) claimConfirm(v *visit, in account.ClaimIn) error {
	in.Code = strings.TrimSpace(v.form("code"))
	if !s.MailToLog && in.Code == "" {
		return s.claimAgain(v, in, errNoCode)
	}
	claimed, err := s.Account.Claim.Call(v.ctx(), v.by, in)
	if err != nil {
		return s.claimAgain(v, in, err)
	}
	middleware.RecorderOf(v.w).SignedIn = claimed.UserID
	return v.next("/setup?done=claimed", s.Account.SignIn(v.w, v.r, claimed.UserID))
}

// claimAgain shows the step of the claim that err is about.
func (s *site) claimAgain(v *visit, in account.ClaimIn, err error) error {
	if core.As(err).Code == account.InvalidClaim {
		return s.claimFailed(v, err)
	}
	return s.refuse(v, []string{"email", "name", "code"}, err, func(f Form) error {
		return s.showClaim(v, f.status(), claimView{Token: in.Token, Form: f, Confirm: f.At("code") != ""})
	})
}
