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

func (s *site) invitationRoutes() []route {
	return []route{
		{"GET /invitations", person, s.invitations, "invitations"},
		{"POST /invitations", person, s.invitationCreate, "invitations"},
		{"POST /invitations/{id}/revoke", person, act(s, s.Account.RevokeInvitation, "/invitations?done=revoked-link"), ""},
		{"GET /join/{token}", anyone, s.showJoin, "join"},
		{"POST /join/{token}", bearer, s.joinSend, "join"},
		{"GET /welcome", person, s.welcome, "welcome"},
		{"POST /welcome", person, s.welcomeSave, "welcome"},
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

func (s *site) invitations(v *visit) error { return s.showInvitations(v, nil) }

func (s *site) showInvitations(v *visit, made *inviteLink) error {
	out := get(v, s.Account.ListInvitations, core.None{})
	view := invitationsView{SendID: store.NewID(), Form: v.filled(newForm("expiresInDays", "7", "maxUses", "25")),
		May: s.mayInvite(v), SendsMail: !s.MailToLog, Made: made,
		Invitations: core.Map(out.Invitations, func(i account.OwnInvitation) invitationView {
			return invitationView{i, i.CreatedBy.ID == v.by.UserID}
		})}
	return s.page(v, "Invite people", "people", "", &view)
}

func (s *site) mayInvite(v *visit) bool {
	return v.by.Admin || v.by.SignedIn() && s.community(v).MemberInvites
}

// invitationCreate shows the new link without a redirect. Only its hash is stored, and no address may contain
// it.
func (s *site) invitationCreate(v *visit) error {
	in := account.CreateInvitationIn{Email: strings.TrimSpace(v.form("email"))}
	if days, err := strconv.Atoi(v.form("expiresInDays")); err == nil {
		in.ExpiresInDays = &days
	}
	if uses, err := strconv.ParseInt(v.form("maxUses"), 10, 64); err == nil && in.Email == "" {
		in.MaxUses = &uses
	}
	made, err := s.invite(v, v.repeat(v.form("id")), in)
	if err != nil {
		return s.refuse(v, err, "email", "expiresInDays", "maxUses")
	}
	return s.showInvitations(v, made)
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

func (s *site) joinSend(v *visit) error {
	return s.submit(v, func() (string, error) {
		in := account.MagicLinkIn{Email: strings.TrimSpace(v.form("email")), Invitation: v.r.PathValue("token")}
		return "/login/code", s.sendCode(v, in)
	}, "email")
}

type welcomeView struct {
	Frame
	Form    Form
	Next    string
	Welcome string
}

func (s *site) welcome(v *visit) error {
	next := account.LocalPath(firstOf(v.form("next"), v.query("next")))
	return s.page(v, "Welcome", "welcome", "narrow", &welcomeView{Form: v.filled(Form{}), Next: next, Welcome: s.community(v).Welcome})
}

func (s *site) welcomeSave(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := send(v, s.Account.UpdateMe)
		return firstOf(account.LocalPath(v.form("next")), "/home"), err
	}, "name")
}
