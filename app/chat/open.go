package chat

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// OpenConversation is a group that every member of the community may join, as shown also to people outside it.
type OpenConversation struct {
	ID               string  `json:"id"`
	Title            string  `json:"title"`
	AvatarURL        *string `json:"avatarUrl"`
	ParticipantCount int     `json:"participantCount"`
	Default          bool    `json:"default" doc:"Whether everybody joins it with a new account"`
	Member           bool    `json:"member" doc:"Whether the caller is in it"`
}

// ListOpenOut has the open groups: the default one first, then by title.
type ListOpenOut struct {
	Conversations []OpenConversation `json:"conversations"`
}

const maxOpen = 200

func (s *Service) listOpen(ctx context.Context, by store.Viewer, _ core.None) (out ListOpenOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out, err = openIn(r, by)
		return err
	})
	return out, err
}

func openIn(r *store.Reader, by store.Viewer) (ListOpenOut, error) {
	rows, err := r.OpenConversations(by, maxOpen)
	return ListOpenOut{core.Map(rows, func(c store.OpenConversation) OpenConversation {
		return OpenConversation{c.ID, c.Title, core.OrNil(c.AvatarURL), c.MemberCount, c.Default, c.Member}
	})}, err
}

// JoinConversationIn is the input of JoinConversation.
type JoinConversationIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) joinConversation(ctx context.Context, by store.Viewer, in JoinConversationIn) (Conversation, error) {
	out, err := s.joinShown(ctx, by, func(tx *store.Tx) (string, error) {
		if _, err := tx.Member(by, in.ID, by.UserID); !errors.Is(err, store.ErrNoRow) {
			return in.ID, err
		}
		if _, err := tx.OpenConversation(by, in.ID); err != nil {
			return "", err
		}
		return in.ID, join(tx, by, in.ID, by.UserID)
	})
	return out, core.Found(err)
}

// JoinDefault adds a new account to the default group. It does nothing if there is none, it is full, or the account
// was in it before: an unverified account may have left it or been removed.
func JoinDefault(tx *store.Tx, userID string) error {
	id, err := tx.DefaultConversation()
	if errors.Is(err, store.ErrNoRow) {
		return nil
	}
	if err != nil {
		return err
	}
	if former, err := tx.FormerMember(id, userID); err != nil || former {
		return err
	}
	err = join(tx, store.Viewer{UserID: userID}, id, userID)
	if errors.Is(err, store.ErrTaken) || core.IsKind(err, core.Conflict) {
		return nil
	}
	return err
}

// SetDefaultIn is the input of SetDefaultConversation.
type SetDefaultIn struct {
	ConversationID core.Opt[string] `json:"conversationId,omitzero" max:"100" doc:"An open group that the caller is in. Null is none."`
}

// Existing accounts are not added. Choosing the same group again changes nothing.
func (s *Service) setDefault(ctx context.Context, by store.Viewer, in SetDefaultIn) (out ListOpenOut, err error) {
	if !in.ConversationID.Set {
		return out, core.InvalidField("conversationId", "conversationId is required: send the id of an open group, or null.")
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := chooseDefault(tx, by, in.ConversationID.V); err != nil {
			return err
		}
		out, err = openIn(&tx.Reader, by)
		return err
	})
	return out, err
}

func chooseDefault(tx *store.Tx, by store.Viewer, id string) error {
	if err := tx.CheckAdmin(by); errors.Is(err, store.ErrNoRow) {
		return core.ErrAdminOnly
	} else if err != nil {
		return err
	}
	if id != "" {
		c, err := tx.OpenConversation(by, id)
		if err == nil && !c.Member || errors.Is(err, store.ErrNoRow) {
			err = core.InvalidField("conversationId", "conversationId must be that of an open group that you are in.")
		}
		if err != nil {
			return err
		}
	}
	was, err := tx.DefaultConversation() // "" with ErrNoRow
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		return err
	}
	if id == was {
		return nil
	}
	if err := tx.SetDefaultConversation(id); err != nil {
		return err
	}
	return tx.Audit(by, "settings.update", "", "defaultConversation "+map[bool]string{true: "none", false: "chosen"}[id == ""])
}

// The title is all that others see of an open group.
func checkOpen(open bool, title string) error {
	if !open || title != "" {
		return nil
	}
	e := core.InvalidField("title", "An open group needs a name, by which others find it.")
	e.Code = "title_required"
	return e
}
