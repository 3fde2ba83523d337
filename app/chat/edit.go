package chat

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

// EditMessageIn is the input of EditMessage.
type EditMessageIn struct {
	ID      string  `path:"id" json:"-"`
	Content *string `json:"content" required:"true" max:"20000" doc:"Empty only if the message has attachments"`
}

// editMessage is Forbidden for another's message that the caller can read, and NotFound for a deleted one.
func (s *Service) editMessage(tx *store.Tx, by store.Viewer, in EditMessageIn) (out Message, err error) {
	row, err := ownMessage(tx, by, in.ID)
	if err == nil && row.DeletedAt != 0 {
		err = store.ErrNoRow
	}
	if err == nil && *in.Content == "" && row.Attachments == "" {
		err = core.InvalidField("content", "content must be text of 1 to 20000 characters.")
	}
	if err == nil && row.Content != *in.Content {
		err = edit(tx, by, &row, *in.Content)
	}
	if err != nil {
		return out, err
	}
	return newView(&tx.Reader, by).message(&row)
}

func edit(tx *store.Tx, by store.Viewer, row *store.Message, content string) error {
	hadTags := core.TagsIn(row.Content) != nil
	return cmp.Or(tx.EditMessage(row, content), tx.Recapture(row, hadTags, core.CaptureOf(content)),
		tx.Emit(store.Event{Topic: row.ConversationID, Kind: messageUpdated, ObjectID: row.ID, ActorID: by.UserID}))
}

// A second call changes nothing. Another's message that the caller can read is Forbidden.
func (s *Service) deleteMessage(tx *store.Tx, by store.Viewer, in core.ByID) (out Message, err error) {
	row, err := ownMessage(tx, by, in.ID)
	if err == nil {
		err = Redact(tx, &row)
	}
	if err != nil {
		return out, err
	}
	return newView(&tx.Reader, by).message(&row)
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
	return cmp.Or(tx.DeleteMessage(row),
		tx.Emit(store.Event{Topic: row.ConversationID, Kind: messageDeleted, ObjectID: row.ID, ActorID: row.SenderID}))
}

func ownMessage(tx *store.Tx, by store.Viewer, id string) (store.Message, error) {
	row, err := tx.Message(by, id)
	if err == nil && (row.SenderID != by.UserID || row.Type != "text") {
		err = core.New(core.Forbidden, "not_your_message", "Only the sender of a message can change or delete it.")
	}
	return row, err
}
