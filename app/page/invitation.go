package page

import (
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"rsc.io/qr"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

func invitationRoutes() []route {
	return []route{
		{"GET /invitations", person, invitations, "invitations"},
		{"POST /invitations", person, invitationCreate, "invitations"},
		{"POST /invitations/{id}/revoke", person, invitationRevoke, ""},
		{"GET /join/{token}", anyone, fresh((*site).showJoin), "join"},
		{"POST /join/{token}", bearer, joinSend, "join"},
		{"GET /welcome", person, welcome, "welcome"},
		{"POST /welcome", person, welcomeSave, "welcome"},
	}
}

type inviteLink struct {
	URL      string
	Code     template.URL // a QR code
	UsesLeft int64
	Sent     string // the recipient's address, or ""
}

func linkOf(out account.CreateInvitationOut) (*inviteLink, error) {
	code, err := qr.Encode(out.URL, qr.M)
	if err != nil {
		return nil, err
	}
	picture := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svgOf(code))
	return &inviteLink{URL: out.URL, Code: template.URL(picture), UsesLeft: out.UsesLeft}, nil
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

func invitations(s *site, v *visit) error { return s.showInvitations(v, Form{}, nil) }

func (s *site) showInvitations(v *visit, form Form, made *inviteLink) error {
	f := s.frame(v, "Invite people", "people", "")
	out := get(v, s.Account.ListInvitations, core.None{})
	view := invitationsView{Frame: f, SendID: store.NewID(), Form: form.Or(newForm("expiresInDays", "7", "maxUses", "25")),
		May: s.mayInvite(v), SendsMail: !s.MailToLog, Made: made,
		Invitations: core.Map(out.Invitations, func(i account.OwnInvitation) invitationView {
			return invitationView{i, i.CreatedBy.ID == v.by.UserID}
		})}
	return s.show(v, form.status(), view)
}

func (s *site) mayInvite(v *visit) bool {
	return v.by.Admin || v.by.SignedIn() && s.community(v).MemberInvites
}

// invitationCreate shows the new link without a redirect. Only its hash is stored, and no address may contain
// it.
func invitationCreate(s *site, v *visit) error {
	in := account.CreateInvitationIn{Email: strings.TrimSpace(v.form("email"))}
	if days, err := strconv.Atoi(v.form("expiresInDays")); err == nil {
		in.ExpiresInDays = &days
	}
	if uses, err := strconv.ParseInt(v.form("maxUses"), 10, 64); err == nil && in.Email == "" {
		in.MaxUses = &uses
	}
	made, err := s.invite(v, v.repeat(v.form("id")), in)
	if err != nil {
		return s.refuse(v, []string{"email", "expiresInDays", "maxUses"}, err, func(f Form) error { return s.showInvitations(v, f, nil) })
	}
	return s.showInvitations(v, Form{}, made)
}

// invite makes one invitation for each shown form. A repeated form gets the same link.
func (s *site) invite(v *visit, repeat *op.Repeat, in account.CreateInvitationIn) (*inviteLink, error) {
	out, err := once(v, repeat, s.Account.CreateInvitation, in)
	if err != nil {
		return nil, err
	}
	made, err := linkOf(out)
	if err == nil {
		made.Sent = in.Email
	}
	return made, err
}

func invitationRevoke(s *site, v *visit) error {
	_, err := s.Account.RevokeInvitation.Call(v.ctx(), v.by, account.RevokeInvitationIn{ID: v.id("id")})
	return v.next("/invitations?done=revoked-link", err)
}

type joinView struct {
	Frame
	Form       Form
	Token      string // "" for an invalid invitation
	Invitation account.Invitation
	Welcome    string
}

func (s *site) showJoin(v *visit, form Form) error {
	var err error
	f := s.frame(v, "Invitation", "login", "narrow")
	view := joinView{Frame: f, Form: form, Token: v.r.PathValue("token"), Welcome: s.community(v).Welcome}
	view.Invitation, err = s.Account.GetInvitation.Call(v.ctx(), v.by, account.InvitationIn{Token: view.Token})
	if core.IsKind(err, core.NotFound) {
		return s.show(v, http.StatusGone, joinView{Frame: f})
	}
	if err != nil {
		return err
	}
	return s.show(v, form.status(), view)
}

func joinSend(s *site, v *visit) error {
	in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Invitation: v.r.PathValue("token")}
	send := func() (string, error) {
		_, err := s.Account.RequestMagicLink.Call(v.ctx(), v.by, in)
		if err == nil {
			s.setEmail(v, in.Email, 15*60)
		}
		return "/login/code", err
	}
	return s.submit(v, []string{"email"}, send, func(f Form) error { return s.showJoin(v, f) })
}

type welcomeView struct {
	Frame
	Form    Form
	Next    string
	Welcome string
}

func welcome(s *site, v *visit) error {
	return s.showWelcome(v, Form{}, account.LocalPath(v.query("next")))
}

func (s *site) showWelcome(v *visit, form Form, next string) error {
	f := s.frame(v, "Welcome", "welcome", "narrow")
	return s.show(v, form.status(), welcomeView{Frame: f, Form: form, Next: next, Welcome: s.community(v).Welcome})
}

func welcomeSave(s *site, v *visit) error {
	next := account.LocalPath(v.form("next"))
	save := func() (string, error) {
		_, err := s.Account.UpdateMe.Call(v.ctx(), v.by, account.UpdateMeIn{Name: core.Some(v.form("name"))})
		return firstOf(next, "/home"), err
	}
	return s.submit(v, []string{"name"}, save, func(f Form) error { return s.showWelcome(v, f, next) })
}
