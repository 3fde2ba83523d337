package chat

import (
	"cmp"
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

func (s *Service) listOpen(r *store.Reader, by store.Viewer, _ core.None) (ListOpenOut, error) {
	rows, err := r.OpenConversations(by, maxOpen)
	return ListOpenOut{core.Map(rows, func(c store.OpenConversation) OpenConversation {
		return OpenConversation{c.ID, c.Title, core.OrNil(c.AvatarURL), c.MemberCount, c.Default, c.Member}
	})}, err
}

func (s *Service) joinConversation(tx *store.Tx, by store.Viewer, in core.ByID) (Conversation, error) {
	err := joinOnce(tx, by, in.ID, func() error {
		_, err := tx.OpenConversation(by, in.ID)
		return err
	})
	return shownAfter(tx, by, in.ID, err)
}

// JoinDefault adds a new account to the default group. It does nothing if there is none, it is full, or the account
// was in it before: an unverified account may have left it or been removed.
func JoinDefault(tx *store.Tx, userID string) error {
	id, err := tx.DefaultConversation()
	former := false
	if err == nil {
		former, err = tx.FormerMember(id, userID)
	}
	if errors.Is(err, store.ErrNoRow) || former {
		return nil
	}
	if err != nil {
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
func (s *Service) setDefault(tx *store.Tx, by store.Viewer, in SetDefaultIn) (out ListOpenOut, err error) {
	if !in.ConversationID.Set {
		return out, core.InvalidField("conversationId", "conversationId is required: send the id of an open group, or null.")
	}
	if err := chooseDefault(tx, by, in.ConversationID.V); err != nil {
		return out, err
	}
	return s.listOpen(&tx.Reader, by, core.None{})
}

func chooseDefault(tx *store.Tx, by store.Viewer, id string) error {
	if err := tx.CheckAdmin(by); errors.Is(err, store.ErrNoRow) {
		return core.ErrAdminOnly
	} else if err != nil {
		return err
	}
	chosen := "none"
	if id != "" {
		chosen = "chosen"
		c, err := tx.OpenConversation(by, id)
		if err == nil && !c.Member || errors.Is(err, store.ErrNoRow) {
			err = core.InvalidField("conversationId", "conversationId must be that of an open group that you are in.")
		}
		if err != nil {
			return err
		}
	}
	was, err := tx.DefaultConversation() // "" with ErrNoRow
	if err = store.Optional(err); err != nil || id == was {
		return err
	}
	return cmp.Or(tx.SetDefaultConversation(id), tx.Audit(by, "settings.update", "", "defaultConversation "+chosen))
}

// The title is all that others see of an open group.
func checkOpen(open bool, title string) error {
	if !open || title != "" {
		return nil
	}
	e := core.InvalidField("title", "A room needs a name, by which others find it.")
	e.Code = "title_required"
	return e
}
