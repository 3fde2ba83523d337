package chat

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
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

func (s *Service) createInvite(ctx context.Context, by store.Viewer, in CreateInviteIn) (out CreateInviteOut, err error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	out.Token = base64.RawURLEncoding.EncodeToString(secret)
	out.URL = s.baseURL + "/chat/invite/" + out.Token
	out.UsesLeft = *in.MaxUses
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := ownGroup(tx, by, in.ConversationID); err != nil {
			return err
		}
		out.ExpiresAt = tx.In(time.Duration(*in.ExpiresInDays) * 24 * time.Hour)
		good, err := tx.InsertInvite(store.Invite{
			TokenHash: core.Digest(out.Token), ConversationID: in.ConversationID, CreatedBy: by.UserID,
			UsesLeft: *in.MaxUses, ExpiresAt: out.ExpiresAt,
		})
		if err == nil && good > maxInvites {
			err = core.New(core.Conflict, "too_many_invites",
				"This group has %d open invitations already. Use one of them, or wait until one has ended.", maxInvites)
		}
		return err
	})
	if err != nil {
		return CreateInviteOut{}, core.Found(err)
	}
	return out, nil
}

// InviteIn is the input of GetInvite and AcceptInvite.
type InviteIn struct {
	Token string `path:"token" json:"-"`
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

func (s *Service) getInvite(ctx context.Context, by store.Viewer, in InviteIn) (out Invite, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		i, err := r.Invite(by, core.Digest(in.Token))
		if err != nil {
			return err
		}
		title, members, err := r.GroupTitle(i)
		if err != nil {
			return err
		}
		from, err := r.Sender(i.CreatedBy)
		if err != nil {
			return err
		}
		_, err = r.Member(by, i.ConversationID, by.UserID)
		out = Invite{Title: core.OrNil(title), InvitedBy: from.Name, MemberCount: members, ExpiresAt: i.ExpiresAt, UsesLeft: i.UsesLeft,
			Member: err == nil}
		if errors.Is(err, store.ErrNoRow) {
			err = nil
		}
		return err
	})
	return out, core.Found(err)
}

// A member's call does not count as a use.
func (s *Service) acceptInvite(ctx context.Context, by store.Viewer, in InviteIn) (out Conversation, err error) {
	hash := core.Digest(in.Token)
	out, err = s.joinShown(ctx, by, func(tx *store.Tx) (string, error) {
		i, err := tx.Invite(by, hash)
		if err != nil {
			return "", err
		}
		if _, err = tx.Member(by, i.ConversationID, by.UserID); errors.Is(err, store.ErrNoRow) {
			if err = tx.UseInvite(hash); err == nil {
				err = join(tx, by, i.ConversationID, by.UserID)
			}
		}
		return i.ConversationID, err
	})
	return out, core.Found(err)
}

// ListInvitesIn is the input of ListInvites.
type ListInvitesIn struct {
	ConversationID string `path:"id" json:"-"`
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
type InvitedBy struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (s *Service) listInvites(ctx context.Context, by store.Viewer, in ListInvitesIn) (out ListInvitesOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		if _, err := groupOf(r, by, in.ConversationID); err != nil {
			return err
		}
		found, err := r.Invites(by, in.ConversationID)
		if err != nil {
			return err
		}
		ids := make([]string, len(found))
		for i := range found {
			ids[i] = found[i].CreatedBy
		}
		people, err := r.Senders(ids...)
		names := make(map[string]string, len(people))
		for _, p := range people {
			names[p.ID] = p.Name
		}
		out.Invites = core.Map(found, func(i store.Invite) GroupInvite {
			return GroupInvite{ID: i.ID, CreatedBy: InvitedBy{i.CreatedBy, names[i.CreatedBy]}, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt,
				UsesLeft: i.UsesLeft}
		})
		return err
	})
	return out, core.Found(err)
}

// RevokeInviteIn is the input of RevokeInvite.
type RevokeInviteIn struct {
	ConversationID string `path:"id" json:"-"`
	InviteID       string `path:"inviteId" json:"-"`
}

func (s *Service) revokeInvite(ctx context.Context, by store.Viewer, in RevokeInviteIn) (core.None, error) {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := ownGroup(tx, by, in.ConversationID); err != nil {
			return err
		}
		return tx.DeleteInvite(in.ConversationID, in.InviteID)
	})
	return core.None{}, core.Found(err)
}
