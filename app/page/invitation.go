package page

import (
	"cmp"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"rsc.io/qr"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

func (s *site) invitationRoutes() []route {
	return []route{
		{"GET /invitations", person, fresh(s.showInvitations), "invitations"},
		{"POST /invitations", person,
			made(s, s.createInvitation, s.showInvitations, "email", "expiresInDays", "maxUses"), "invitations"},
		{"POST /invitations/{id}/revoke", person, act(s, s.Account.RevokeInvitation, "/invitations?done=revoked-link"), ""},
		{"GET /join/{token}", anyone, s.showJoin, "join"},
		{"POST /join/{token}", joiner, s.joinSend, "join"},
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
	code, err := codeOf(out.URL)
	return &inviteLink{URL: out.URL, Code: code, UsesLeft: out.UsesLeft, Sent: in.Email}, err
}

// codeOf returns an address as a picture of a QR code.
func codeOf(address string) (template.URL, error) {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return "", err
	}
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svgOf(code))), nil
}

// linkView is a link with its QR code.
type linkView struct {
	URL  string
	Code template.URL
}

type joinView struct {
	Frame
	Form       Form
	Token      string // "" for an invalid invitation
	SendID     string // makes a repeated form harmless
	SendsMail  bool
	Invitation account.Invitation
	Welcome    string
}

func (s *site) showJoin(v *visit) error {
	view := joinView{Token: v.r.PathValue("token"), SendID: cmp.Or(v.form("id"), store.NewID()), SendsMail: s.SMTPURL != ""}
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
	next, err := s.join(v)
	switch {
	case core.IsKind(err, core.NotFound):
		return s.showJoin(v)
	case err != nil:
		return s.refuse(v, err, "name", "email")
	}
	return v.seeOther(next)
}

// join lets the person in. A picture that cannot be used keeps nobody out.
func (s *site) join(v *visit) (string, error) {
	in := account.AcceptInvitationIn{Token: v.id("token"), Name: v.form("name"), Email: strings.TrimSpace(v.form("email"))}
	joined, err := once(v, v.repeat(v.form("id")), s.Account.Join, in)
	if err != nil {
		return "", err
	}
	if err := s.Account.SignIn(v.w, v.r, joined.UserID); err != nil {
		return "", err
	}
	middleware.RecorderOf(v.w).SignedIn = joined.UserID
	if u, err := v.upload(); len(v.uploads) > 0 || v.uploadErr != nil {
		if err == nil {
			me := store.Viewer{Kind: store.Human, UserID: joined.UserID, CanRead: true, CanWrite: true}
			_, err = s.Account.SetAvatar.Call(v.ctx(), me, file.In{File: u})
		}
		if err != nil {
			return "/settings?done=joined#picture-title", nil
		}
	}
	if in.Email != "" {
		s.setEmail(v, in.Email, 15*60)
		return "/home?done=mailed", nil
	}
	return "/home", nil
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
