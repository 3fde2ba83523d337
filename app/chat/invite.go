package chat

import (
	"time"

	"hearth/app/core"
	"hearth/store"
)

// CreateInviteIn is the input of CreateInvite.
type CreateInviteIn struct {
	ConversationID string `path:"id" json:"-"`
	ExpiresInDays  *int   `json:"expiresInDays" default:"7" min:"1" max:"30"`
	MaxUses        *int64 `json:"maxUses" default:"10" min:"1" max:"100" doc:"How many people may join by it"`
}

// CreateInviteOut is an invite with its token, which is not shown again.
type CreateInviteOut struct {
	Token     string     `json:"token"`
	URL       string     `json:"url"`
	ExpiresAt store.Time `json:"expiresAt"`
	UsesLeft  int64      `json:"usesLeft"`
}

const maxInvites = 50

func (s *Service) createInvite(tx *store.Tx, by store.Viewer, in CreateInviteIn) (out CreateInviteOut, err error) {
	if _, err := ownGroup(&tx.Reader, by, in.ConversationID); err != nil {
		return out, err
	}
	token := core.NewSecret(32)
	out = CreateInviteOut{Token: token, URL: s.BaseURL + "/chat/invite/" + token, UsesLeft: *in.MaxUses,
		ExpiresAt: tx.In(time.Duration(*in.ExpiresInDays) * 24 * time.Hour)}
	good, err := tx.InsertInvite(store.Invite{TokenHash: core.Digest(token), ConversationID: in.ConversationID, CreatedBy: by.UserID,
		UsesLeft: out.UsesLeft, ExpiresAt: out.ExpiresAt})
	if err == nil && good > maxInvites {
		err = core.New(core.Conflict, "too_many_invites",
			"This group has %d open invitations already. Use one of them, or wait until one has ended.", maxInvites)
	}
	return out, err
}

// Invite is what is visible to anyone with the link, before joining.
type Invite struct {
	Title       *string    `json:"title"`
	InvitedBy   string     `json:"invitedBy" doc:"The name of who made the invitation"`
	MemberCount int        `json:"memberCount"`
	ExpiresAt   store.Time `json:"expiresAt"`
	UsesLeft    int64      `json:"usesLeft"`
	Member      bool       `json:"member" doc:"Whether the caller is in the group already"`
}

func (s *Service) getInvite(r *store.Reader, by store.Viewer, in core.ByToken) (out Invite, err error) {
	i, err := r.Invite(by, core.Digest(in.Token))
	if err != nil {
		return out, err
	}
	title, members, err := r.GroupTitle(i)
	if err != nil {
		return out, err
	}
	names, err := r.Names(i.CreatedBy)
	if err != nil {
		return out, err
	}
	_, err = r.Member(by, i.ConversationID, by.UserID)
	out = Invite{core.OrNil(title), names[i.CreatedBy], members, i.ExpiresAt, i.UsesLeft, err == nil}
	return out, store.Optional(err)
}

// A member's call does not count as a use.
func (s *Service) acceptInvite(tx *store.Tx, by store.Viewer, in core.ByToken) (Conversation, error) {
	hash := core.Digest(in.Token)
	i, err := tx.Invite(by, hash)
	if err == nil {
		err = joinOnce(tx, by, i.ConversationID, func() error { return tx.UseInvite(hash) })
	}
	return shownAfter(tx, by, i.ConversationID, err)
}

// ListInvitesOut has the invites of a group that can be used, oldest first.
type ListInvitesOut struct {
	Invites []GroupInvite `json:"invites"`
}

// GroupInvite is an invite as shown to the owners of its group. Only its creator sees its link, once.
type GroupInvite struct {
	ID        string     `json:"id"`
	CreatedBy InvitedBy  `json:"createdBy"`
	CreatedAt store.Time `json:"createdAt"`
	ExpiresAt store.Time `json:"expiresAt"`
	UsesLeft  int64      `json:"usesLeft"`
}

// InvitedBy is the owner who created an invite.
type InvitedBy Named

func (s *Service) listInvites(r *store.Reader, by store.Viewer, in core.ByID) (out ListInvitesOut, err error) {
	if _, err := ownGroup(r, by, in.ID); err != nil {
		return out, err
	}
	found, err := r.Invites(by, in.ID)
	if err != nil {
		return out, err
	}
	names, err := r.Names(core.Map(found, func(i store.Invite) string { return i.CreatedBy })...)
	out.Invites = core.Map(found, func(i store.Invite) GroupInvite {
		return GroupInvite{i.ID, InvitedBy{i.CreatedBy, names[i.CreatedBy]}, i.CreatedAt, i.ExpiresAt, i.UsesLeft}
	})
	return out, err
}

// RevokeInviteIn is the input of RevokeInvite.
type RevokeInviteIn struct {
	ConversationID string `path:"id" json:"-"`
	InviteID       string `path:"inviteId" json:"-"`
}

func (s *Service) revokeInvite(tx *store.Tx, by store.Viewer, in RevokeInviteIn) (core.None, error) {
	if _, err := ownGroup(&tx.Reader, by, in.ConversationID); err != nil {
		return core.None{}, err
	}
	return core.None{}, tx.DeleteInvite(in.ConversationID, in.InviteID)
}
