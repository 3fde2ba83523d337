package chat

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// EditMessageIn is what a message shall say from now on.
type EditMessageIn struct {
	ID      string `path:"id" json:"-"`
	Content string `json:"content" required:"true" min:"1" max:"20000"`
}

// editMessage changes what a text message of the caller's own says. Somebody
// else's is 403 if the caller can read it; a deleted one is not there: 404.
func (s *Service) editMessage(ctx context.Context, by store.Viewer, in EditMessageIn) (out Message, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		row, err := ownMessage(tx, by, in.ID)
		if err != nil {
			return err
		}
		if row.DeletedAt != 0 {
			return core.ErrNotFound
		}
		if row.Content != in.Content {
			if err := tx.EditMessage(&row, in.Content); err != nil {
				return err
			}
			if err := tx.Emit(store.Event{Topic: row.ConversationID, Kind: messageUpdated, ObjectID: row.ID, ActorID: by.UserID}); err != nil {
				return err
			}
		}
		out, err = newView(&tx.Reader, by.UserID).message(&row)
		return err
	})
	return out, core.Found(err)
}

// DeleteMessageIn names a message.
type DeleteMessageIn struct {
	ID string `path:"id" json:"-"`
}

// deleteMessage takes the words out of a message of the caller's own, for
// everybody, and returns what is left. Doing it again changes nothing.
// Somebody else's is 403 if the caller can read it.
func (s *Service) deleteMessage(ctx context.Context, by store.Viewer, in DeleteMessageIn) (out Message, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		row, err := ownMessage(tx, by, in.ID)
		if err != nil {
			return err
		}
		if row.DeletedAt == 0 {
			if err := tx.DeleteMessage(&row); err != nil {
				return err
			}
			if err := tx.Emit(store.Event{Topic: row.ConversationID, Kind: messageDeleted, ObjectID: row.ID, ActorID: by.UserID}); err != nil {
				return err
			}
		}
		out, err = newView(&tx.Reader, by.UserID).message(&row)
		return err
	})
	return out, core.Found(err)
}

func ownMessage(tx *store.Tx, by store.Viewer, id string) (store.Message, error) {
	row, err := tx.Message(by.UserID, id)
	if err == nil && (row.SenderID != by.UserID || row.Type != "text") {
		err = core.New(core.Forbidden, "not_your_message", "Only who wrote a message can change or delete it.")
	}
	return row, err
}
