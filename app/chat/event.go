package chat

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"hearth/store"
)

// MessageEvent is the data of message.created, message.updated and
// message.deleted: the message as it is now.
type MessageEvent struct {
	ConversationID string  `json:"conversationId"`
	Message        Message `json:"message"`
}

// RenderMessage gives the event of a message for viewer. It is the same for
// all but the sender, who sees their own address.
func (s *Service) RenderMessage(_ context.Context, r *store.Reader, ev store.Event, viewer store.Viewer) (name string, data []byte, ok bool, err error) {
	row, err := r.Message(viewer, ev.ObjectID)
	if err != nil {
		return unseen(err)
	}
	m, err := newView(r, viewer).message(&row)
	if err != nil {
		return unseen(err)
	}
	return rendered(ev.Kind, MessageEvent{ConversationID: m.ConversationID, Message: m})
}

// ConversationEvent is the data of conversation.updated. What is each
// member's own is not in it; the conversation itself has it.
type ConversationEvent struct {
	ConversationID string             `json:"conversationId"`
	Removed        bool               `json:"removed" doc:"Whether the caller is no longer in it; then there is no conversation"`
	Conversation   *ConversationState `json:"conversation,omitzero"`
}

// ConversationState is the part of a Conversation that all members see alike.
type ConversationState struct {
	ID           string        `json:"id"`
	Type         string        `json:"type" enum:"direct|group"`
	Title        *string       `json:"title"`
	ContainsBot  bool          `json:"containsBot"`
	Participants []Participant `json:"participants" doc:"With every address masked"`
	CreatedAt    store.Time    `json:"createdAt"`
	UpdatedAt    store.Time    `json:"updatedAt"`
}

// RenderConversation gives conversation.updated for any member.
func (s *Service) RenderConversation(_ context.Context, r *store.Reader, ev store.Event, viewer store.Viewer) (name string, data []byte, ok bool, err error) {
	row, err := r.Conversation(viewer, ev.ObjectID)
	if err != nil {
		return unseen(err)
	}
	c, err := newView(r, viewer).state(row)
	if err != nil {
		return unseen(err)
	}
	return rendered("conversation.updated", ConversationEvent{ConversationID: row.ID, Conversation: c})
}

// RenderLeft tells somebody who was taken out of a conversation, or left it,
// that it is no longer theirs.
func (s *Service) RenderLeft(_ context.Context, r *store.Reader, ev store.Event, viewer store.Viewer) (name string, data []byte, ok bool, err error) {
	switch _, err := r.Member(viewer, ev.ObjectID, viewer.UserID); {
	case err == nil: // back again
		return "", nil, false, nil
	case !errors.Is(err, store.ErrNoRow):
		return "", nil, false, err
	}
	return rendered("conversation.updated", ConversationEvent{ConversationID: ev.ObjectID, Removed: true})
}

// ReadEvent is the data of read.updated, which goes to the reader alone.
type ReadEvent struct {
	ConversationID string      `json:"conversationId"`
	LastReadAt     *store.Time `json:"lastReadAt"`
	UnreadCount    int         `json:"unreadCount"`
}

// RenderRead gives read.updated for who has read.
func (s *Service) RenderRead(_ context.Context, r *store.Reader, ev store.Event, viewer store.Viewer) (name string, data []byte, ok bool, err error) {
	at, unread, err := r.ReadState(viewer, ev.ObjectID)
	if err != nil {
		return unseen(err)
	}
	return rendered("read.updated", ReadEvent{ConversationID: ev.ObjectID, LastReadAt: at.Ptr(), UnreadCount: unread})
}

// unseen makes no event of what the viewer may no longer see.
func unseen(err error) (string, []byte, bool, error) {
	if errors.Is(err, store.ErrNoRow) {
		err = nil
	}
	return "", nil, false, err
}

func rendered(name string, v any) (string, []byte, bool, error) {
	data, err := json.Marshal(v, json.Deterministic(true))
	return name, data, err == nil, err
}
