package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/mail"
	"hearth/app/op"
	"hearth/store"
)

const maxInvitations = 50

// InvitationPath is the prefix of the paths of invitation pages.
const InvitationPath = "/join/"

// CreateInvitationIn is the input of CreateInvitation.
type CreateInvitationIn struct {
	ExpiresInDays *int   `json:"expiresInDays" default:"7" min:"1" max:"30"`
	MaxUses       *int64 `json:"maxUses" min:"1" max:"1000" doc:"How many people can get an account by it: 25 if left out, or 1 with email."`
	Email         string `json:"email" max:"254" format:"email" doc:"Where to send it. It is not stored. Needs a server that sends mail."`
}

// CreateInvitationOut is an invitation with its token, which is not shown again.
type CreateInvitationOut struct {
	ID        string     `json:"id"`
	Token     string     `json:"token"`
	URL       string     `json:"url"`
	ExpiresAt store.Time `json:"expiresAt"`
	UsesLeft  int64      `json:"usesLeft"`
}

// createInvitation refuses a token that was issued for less than a day: the invitation would outlive it. The response
// is the same for every address.
func (s *Service) createInvitation(ctx context.Context, by store.Viewer, in CreateInvitationIn) (out CreateInvitationOut, err error) {
	if in.Email != "" && !s.cfg.SendsMail {
		return out, core.New(core.Conflict, "no_mail_server",
			"This server sends no mail. Leave the address out, and give the link to the person yourself.")
	}
	uses := int64(25)
	if in.Email != "" {
		if err := s.mailReady(); err != nil {
			return out, err
		}
		uses = 1
	}
	out.Token, out.UsesLeft = core.NewSecret(24), cmp.Or(core.OrZero(in.MaxUses), uses)
	out.URL = s.base + InvitationPath + out.Token
	var site string
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		err := cmp.Or(checkMayInvite(&tx.Reader, by), op.CheckLasting(&tx.Reader, by, "an invitation"))
		if err == nil && in.Email != "" {
			err = limit.InvitationMails.CallStored(tx, by)
		}
		if err != nil {
			return err
		}
		out.ID, out.ExpiresAt = store.NewID(), tx.In(time.Duration(*in.ExpiresInDays)*24*time.Hour)
		valid, err := tx.InsertCommunityInvite(store.CommunityInvite{ID: out.ID, TokenHash: core.Digest(out.Token), CreatedBy: by.UserID,
			UsesLeft: out.UsesLeft, ExpiresAt: out.ExpiresAt})
		if err != nil {
			return err
		}
		if valid > maxInvitations {
			return core.New(core.Conflict, "too_many_invitations", "You have %d open invitations already. Use one of them, or revoke one.",
				maxInvitations)
		}
		site, err = s.siteName(&tx.Reader)
		return err
	})
	if err != nil {
		return CreateInvitationOut{}, err
	}
	if in.Email != "" {
		s.send(ctx, s.invitationMail(in.Email, by.Name, site, out))
	}
	return out, nil
}

func checkMayInvite(r *store.Reader, by store.Viewer) error {
	open, err := r.Setting(store.SettingMemberInvites)
	if err != nil || open != "" {
		return err
	}
	if err = r.CheckAdmin(by); errors.Is(err, store.ErrNoRow) {
		err = core.New(core.Forbidden, "invites_closed", "Only administrators can invite people to this community. Ask one of them.")
	}
	return err
}

func (s *Service) invitationMail(to, from, site string, i CreateInvitationOut) mail.Message {
	return mail.Message{
		To: to, FromName: site,
		Subject: from + " invites you to " + site,
		Text: fmt.Sprintf("%s invites you to %s.\n\nOpen this link to join:\n\n%s\n\nIt works until %s. If you don’t know who this is, "+
			"ignore this e-mail.\n",
			from, site, i.URL, i.ExpiresAt.Go().Format("2 January 2006")),
	}
}

// Invitation is what is visible to anyone with the link.
type Invitation struct {
	Community string     `json:"community" doc:"The name of the community"`
	InvitedBy string     `json:"invitedBy" doc:"The name of who made the invitation"`
	ExpiresAt store.Time `json:"expiresAt"`
	UsesLeft  int64      `json:"usesLeft"`
	Member    bool       `json:"member" doc:"Whether the caller has an account already"`
}

func (s *Service) getInvitation(r *store.Reader, by store.Viewer, in core.ByToken) (out Invitation, err error) {
	i, err := r.CommunityInvite(core.Digest(in.Token))
	if err != nil {
		return out, err
	}
	from, err := r.Names(i.CreatedBy)
	if err != nil {
		return out, err
	}
	site, err := s.siteName(r)
	return Invitation{site, from[i.CreatedBy], i.ExpiresAt, i.UsesLeft, by.SignedIn()}, err
}

// AcceptInvitationIn is who joins by an invitation.
type AcceptInvitationIn struct {
	Token string `path:"token" json:"-"`
	Name  string `json:"name" required:"true" max:"80" line:"true" plain:"true"`
	Email string `json:"email" max:"254" format:"email" doc:"A link and a code are sent to it. Sign in with one of them, with the token of the new account, and the account gets the address. Before, the address is not stored with the account."`
}

// acceptInvitation creates an account without an address: a typed one proves nothing.
func (s *Service) acceptInvitation(ctx context.Context, by store.Viewer, in AcceptInvitationIn) (out VerifyMagicLinkOut, err error) {
	var row store.Session
	u, err := s.join(ctx, by, in, func(tx *store.Tx, u store.User) (err error) {
		row, err = addToken(tx, u, "token", by.Device, tokenLife)
		return err
	})
	if err != nil {
		return out, err
	}
	out.User = meOf(u)
	out.TokenOut, err = s.tokenFor(u, row)
	return out, err
}

func (s *Service) joinForPage(ctx context.Context, by store.Viewer, in AcceptInvitationIn) (out Redeemed, err error) {
	u, err := s.join(ctx, by, in, func(*store.Tx, store.User) error { return nil })
	return Redeemed{UserID: u.ID, Created: err == nil}, err
}

func (s *Service) join(ctx context.Context, by store.Viewer, in AcceptInvitationIn, then func(*store.Tx, store.User) error) (u store.User,
	err error) {
	if by.SignedIn() {
		return u, core.New(core.Conflict, "already_member", "You have an account here. Sign out first to create another one.")
	}
	if in.Email != "" {
		if err := s.mailReady(); err != nil {
			return u, err
		}
		if err := s.rates.Call(limit.SignInMails, by); err != nil {
			return u, err
		}
	}
	token, code := core.NewSecret(32), newCode()
	var to, site string
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.CommunityInvite(core.Digest(in.Token))
		if err == nil {
			err = tx.UseCommunityInvite(i.ID)
		}
		if err == nil {
			u, err = tx.InsertUser(store.User{Name: in.Name, SignupProvider: "invitation"})
		}
		if err != nil {
			return err
		}
		if err := cmp.Or(s.cfg.Joined(tx, u.ID), then(tx, u)); err != nil || in.Email == "" {
			return err
		}
		if to, err = s.addLink(tx, MagicLinkIn{Email: in.Email}, store.LoginLink{UserID: u.ID}, token, code); err == nil {
			site, err = s.siteName(&tx.Reader)
		}
		return err
	})
	if err == nil && to != "" {
		s.send(ctx, s.linkMail(to, site, token, code, true))
	}
	return u, err
}

// ListInvitationsOut has the invitations that can be used, the oldest first.
type ListInvitationsOut struct {
	Invitations []OwnInvitation `json:"invitations"`
}

// OwnInvitation is an invitation as shown to people who can revoke it. Only its creator sees its link, once.
type OwnInvitation struct {
	ID        string     `json:"id"`
	CreatedBy Inviter    `json:"createdBy"`
	CreatedAt store.Time `json:"createdAt"`
	ExpiresAt store.Time `json:"expiresAt"`
	UsesLeft  int64      `json:"usesLeft"`
}

// Inviter is the creator of an invitation.
type Inviter struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (s *Service) listInvitations(r *store.Reader, by store.Viewer, _ core.None) (out ListInvitationsOut, err error) {
	found, err := r.CommunityInvites(by)
	if err != nil {
		return out, err
	}
	names, err := r.Names(core.Map(found, func(i store.CommunityInvite) string { return i.CreatedBy })...)
	out.Invitations = core.Map(found, func(i store.CommunityInvite) OwnInvitation {
		return OwnInvitation{i.ID, Inviter{i.CreatedBy, names[i.CreatedBy]}, i.CreatedAt, i.ExpiresAt, i.UsesLeft}
	})
	return out, err
}

func (s *Service) revokeInvitation(tx *store.Tx, by store.Viewer, in core.ByID) (core.None, error) {
	createdBy, err := tx.DeleteCommunityInvite(by, in.ID)
	if err == nil && createdBy != by.UserID {
		err = tx.Audit(by, "invitation.revoke", createdBy, "")
	}
	return core.None{}, err
}

// InvalidInvitation is the code of the error for an invitation that is not valid.
const InvalidInvitation = "invalid_invitation"

// errInvitation is the same for every reason and every address.
var errInvitation = &core.Error{Kind: core.Invalid, Code: InvalidInvitation, Field: "invitation",
	Msg: "This invitation is not valid, or no longer valid. Ask for a new one."}

func invitedBy(r *store.Reader, token string) (id string, err error) {
	if token == "" {
		return "", nil
	}
	i, err := r.CommunityInvite(core.Digest(token))
	if errors.Is(err, store.ErrNoRow) {
		err = errInvitation
	}
	return i.ID, err
}

func useInvitation(tx *store.Tx, id string, closed bool) error {
	err := tx.UseCommunityInvite(id)
	if errors.Is(err, store.ErrNoRow) && closed {
		return errInvitation
	}
	return store.Optional(err)
}

func (s *Service) ownInvitations(r *store.Reader, by store.Viewer) ([]OwnInvitation, error) {
	out, err := s.listInvitations(r, by, core.None{})
	return slices.DeleteFunc(out.Invitations, func(i OwnInvitation) bool { return i.CreatedBy.ID != by.UserID }), err
}
