package chat

import (
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

func (s *Service) messagesAround(r *store.Reader, by store.Viewer, in MessagesAroundIn) (out MessagesAroundOut, err error) {
	from, older := in.After+1, 0
	if in.ID != "" {
		m, err := r.Message(by, in.ID)
		if err == nil && m.ConversationID != in.ConversationID {
			err = store.ErrNoRow
		}
		if err != nil {
			return out, err
		}
		from, older = m.CreatedAt, aroundLimit/2
	}
	before, err := r.Messages(by, in.ConversationID, from, older+1)
	if err != nil {
		return out, err
	}
	before, out.HasMore = core.Cut(before, older)
	slices.Reverse(before)
	limit := aroundLimit - len(before)
	rows, err := r.MessagesFrom(by, in.ConversationID, from, limit+1)
	if err != nil {
		return out, err
	}
	rows, out.HasNewer = core.Cut(rows, limit)
	out.Messages, err = newView(r, by).messages(append(before, rows...))
	return out, err
}

// FirstUnreadOut is the oldest unread message; ID is "" without one.
type FirstUnreadOut struct {
	ID        string     `json:"id"`
	CreatedAt store.Time `json:"createdAt"`
}

func (s *Service) firstUnread(r *store.Reader, by store.Viewer, in core.ByID) (out FirstUnreadOut, err error) {
	st, err := r.ReadState(by, in.ID)
	if err != nil || st.Unread == 0 {
		return out, err
	}
	out.ID, out.CreatedAt, err = r.FirstUnread(by, in.ID, st.LastReadAt)
	return out, store.Optional(err)
}

// MessagesByIDIn names messages of one conversation.
type MessagesByIDIn struct {
	ConversationID string   `path:"id" json:"-"`
	IDs            []string `json:"ids" max:"50"`
}

// messagesByID leaves out messages that the caller may not see. It keeps the order of the input.
func (s *Service) messagesByID(r *store.Reader, by store.Viewer, in MessagesByIDIn) ([]Message, error) {
	rows, err := r.MessagesByID(by, in.IDs...)
	if err != nil {
		return nil, err
	}
	return newView(r, by).messages(slices.DeleteFunc(rows, func(m store.Message) bool { return m.ConversationID != in.ConversationID }))
}
