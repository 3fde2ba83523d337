package chat

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// MessagesAroundIn asks for a part of a conversation: around a message, or else
// from after a moment on.
type MessagesAroundIn struct {
	ConversationID string     `path:"id" json:"-"`
	ID             string     `json:"id" format:"uuid"`
	After          store.Time `json:"after"`
}

// MessagesAroundOut is that part, the oldest first.
type MessagesAroundOut struct {
	MessagePage
	HasNewer bool `json:"hasNewer"`
}

// aroundLimit is how many messages a part has: half of them before a message.
const aroundLimit = 50

// messagesAround returns a part of a conversation. It returns NotFound if the
// caller cannot see the conversation, or the message in it.
func (s *Service) messagesAround(ctx context.Context, by store.Viewer, in MessagesAroundIn) (out MessagesAroundOut, err error) {
	err = s.db.Snapshot(ctx, func(r *store.Reader) error {
		from, older := in.After+1, 1
		if in.ID != "" {
			m, err := r.Message(by, in.ID)
			if err != nil {
				return err
			}
			if m.ConversationID != in.ConversationID {
				return store.ErrNoRow
			}
			from, older = m.CreatedAt, aroundLimit/2
		}
		before, err := r.Messages(by, in.ConversationID, from, older+1)
		if err != nil {
			return err
		}
		if in.ID == "" {
			out.HasMore, before = len(before) > 0, nil
		} else if out.HasMore = len(before) > older; out.HasMore {
			before = before[:older]
		}
		slices.Reverse(before)
		limit := aroundLimit - len(before)
		rows, err := r.MessagesFrom(by, in.ConversationID, from, limit+1)
		if err != nil {
			return err
		}
		if out.HasNewer = len(rows) > limit; out.HasNewer {
			rows = rows[:limit]
		}
		out.Messages, err = newView(r, by).messages(append(before, rows...))
		return err
	})
	return out, core.Found(err)
}
