package chat

import (
	"context"
	"errors"

	"hearth/store"
)

// MessagesByIDIn names messages of one conversation.
type MessagesByIDIn struct {
	ConversationID string   `path:"id" json:"-"`
	IDs            []string `json:"ids" max:"50"`
}

// messagesByID returns those of the messages that are in the conversation and
// that the caller may see, in the order of their ids in the input.
func (s *Service) messagesByID(ctx context.Context, by store.Viewer, in MessagesByIDIn) (out []Message, err error) {
	err = s.db.Snapshot(ctx, func(r *store.Reader) error {
		var rows []store.Message
		for _, id := range in.IDs {
			if !store.ValidID(id) {
				continue
			}
			row, err := r.Message(by.UserID, id)
			if err != nil && !errors.Is(err, store.ErrNoRow) {
				return err
			}
			if err == nil && row.ConversationID == in.ConversationID {
				rows = append(rows, row)
			}
		}
		out, err = newView(r, by.UserID).messages(rows)
		return err
	})
	return out, err
}
