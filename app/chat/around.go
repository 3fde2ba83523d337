package chat

import (
	"context"
	"errors"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// MessagesAroundIn asks for the messages around a message, or from a time on.
type MessagesAroundIn struct {
	ConversationID string     `path:"id" json:"-"`
	ID             string     `json:"id" format:"uuid"`
	After          store.Time `json:"after"`
}

// MessagesAroundOut has the messages, oldest first.
type MessagesAroundOut struct {
	MessagePage
	HasNewer bool `json:"hasNewer"`
}

const aroundLimit = 50 // half of them before the message

func (s *Service) messagesAround(ctx context.Context, by store.Viewer, in MessagesAroundIn) (out MessagesAroundOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
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

// FirstUnreadIn is the input of FirstUnread.
type FirstUnreadIn struct {
	ConversationID string `path:"id" json:"-"`
}

// FirstUnreadOut is the oldest unread message; ID is "" without one.
type FirstUnreadOut struct {
	ID        string     `json:"id"`
	CreatedAt store.Time `json:"createdAt"`
}

func (s *Service) firstUnread(ctx context.Context, by store.Viewer, in FirstUnreadIn) (out FirstUnreadOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		after, unread, err := r.ReadState(by, in.ConversationID)
		if err != nil || unread == 0 {
			return err
		}
		out.ID, out.CreatedAt, err = r.FirstUnread(by, in.ConversationID, after)
		if errors.Is(err, store.ErrNoRow) {
			err = nil
		}
		return err
	})
	return out, core.Found(err)
}
