package chat

import (
	"context"
	"errors"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// EditMessageIn is the input of EditMessage.
type EditMessageIn struct {
	ID      string  `path:"id" json:"-"`
	Content *string `json:"content" required:"true" max:"20000" doc:"Empty only if the message has attachments"`
}

// editMessage is Forbidden for another's message that the caller can read, and NotFound for a deleted one.
func (s *Service) editMessage(ctx context.Context, by store.Viewer, in EditMessageIn) (out Message, err error) {
	capture := core.CaptureOf(*in.Content)
	mentions, err := s.mentionsOfEdit(ctx, by, in.ID, *in.Content)
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		row, err := ownMessage(tx, by, in.ID)
		if err != nil {
			return err
		}
		if row.DeletedAt != 0 {
			return core.ErrNotFound
		}
		content := *in.Content
		if content == "" && row.Attachments == "" {
			return core.InvalidField("content", "content must be text of 1 to 20000 characters.")
		}
		if row.Content != content {
			hadTags := core.TagsIn(row.Content) != nil
			row.Mentions = mentions
			if err := tx.EditMessage(&row, content); err != nil {
				return err
			}
			if err := tx.Recapture(&row, hadTags, capture); err != nil {
				return err
			}
			if err := tx.Emit(store.Event{Topic: row.ConversationID, Kind: messageUpdated, ObjectID: row.ID, ActorID: by.UserID}); err != nil {
				return err
			}
		}
		out, err = newView(&tx.Reader, by).message(&row)
		return err
	})
	return out, core.Found(err)
}

func (s *Service) mentionsOfEdit(ctx context.Context, by store.Viewer, id, content string) (mentions []store.Mention, err error) {
	if !strings.Contains(content, "@") {
		return nil, nil
	}
	err = s.db.Read(ctx, func(r *store.Reader) error {
		row, err := r.Message(by, id)
		if err == nil {
			mentions, err = r.MentionsIn(by, row.ConversationID, content)
		}
		return err
	})
	if errors.Is(err, store.ErrNoRow) {
		err = nil
	}
	return mentions, err
}

// DeleteMessageIn is the input of DeleteMessage.
type DeleteMessageIn struct {
	ID string `path:"id" json:"-"`
}

// A second call changes nothing. Another's message that the caller can read is Forbidden.
func (s *Service) deleteMessage(ctx context.Context, by store.Viewer, in DeleteMessageIn) (out Message, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		row, err := ownMessage(tx, by, in.ID)
		if err != nil {
			return err
		}
		if err := Redact(tx, &row); err != nil {
			return err
		}
		out, err = newView(&tx.Reader, by).message(&row)
		return err
	})
	return out, core.Found(err)
}

// Redact deletes the content of a message for everybody, as its sender would. A deleted message stays unchanged. A
// card is a Conflict with the code card. The caller checks the right to do it.
func Redact(tx *store.Tx, row *store.Message) error {
	if row.DeletedAt != 0 {
		return nil
	}
	if row.Type != "text" {
		return core.New(core.Conflict, "card", "This is a card of a match, which cannot be deleted.")
	}
	if err := tx.DeleteMessage(row); err != nil {
		return err
	}
	return tx.Emit(store.Event{Topic: row.ConversationID, Kind: messageDeleted, ObjectID: row.ID, ActorID: row.SenderID})
}

func ownMessage(tx *store.Tx, by store.Viewer, id string) (store.Message, error) {
	row, err := tx.Message(by, id)
	if err == nil && (row.SenderID != by.UserID || row.Type != "text") {
		err = core.New(core.Forbidden, "not_your_message", "Only the sender of a message can change or delete it.")
	}
	return row, err
}
