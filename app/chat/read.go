package chat

import (
	"context"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// MarkReadIn names a conversation.
type MarkReadIn struct {
	ConversationID string `path:"id" json:"-"`
}

// MarkReadOut says up to when everything is read.
type MarkReadOut struct {
	LastReadAt store.Time `json:"lastReadAt"`
}

// MarkRead makes everything said in a conversation read by the caller. With
// nothing unread it changes nothing.
func (s *Service) MarkRead(ctx context.Context, by store.Viewer, in MarkReadIn) (out MarkReadOut, err error) {
	if err := core.Check(&in); err != nil {
		return out, err
	}
	var unread int
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out.LastReadAt, unread, err = r.ReadState(in.ConversationID, by.UserID)
		return err
	})
	if err != nil || unread == 0 && out.LastReadAt != 0 {
		return out, hidden(err)
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		out.LastReadAt = tx.Now
		if err := tx.MarkRead(in.ConversationID, by.UserID); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: by.UserID, Kind: "read.updated", ObjectID: in.ConversationID, ActorID: by.UserID})
	})
	return out, hidden(err)
}

// UnreadTotalOut is how many messages wait for the caller.
type UnreadTotalOut struct {
	UnreadTotal int `json:"unreadTotal"`
}

// UnreadTotal counts the messages of others that are not deleted and that the
// caller has not read, in all conversations.
func (s *Service) UnreadTotal(ctx context.Context, by store.Viewer, _ None) (out UnreadTotalOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out.UnreadTotal, err = r.UnreadTotal(by.UserID)
		return err
	})
	return out, err
}

// ShowTypingIn names a conversation.
type ShowTypingIn struct {
	ConversationID string `path:"id" json:"-"`
}

// Typing is what the others in a conversation are told while somebody writes.
type Typing struct {
	ConversationID string `json:"conversationId"`
	UserID         string `json:"userId"`
	Name           string `json:"name"`
}

// ShowTyping tells those who are in a conversation and connected now that the
// caller is writing. Nothing of it is kept.
func (s *Service) ShowTyping(ctx context.Context, by store.Viewer, in ShowTypingIn) (None, error) {
	if err := core.Check(&in); err != nil {
		return None{}, err
	}
	var from store.Sender
	err := s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.Member(in.ConversationID, by.UserID)
		if err == nil {
			from, err = r.Sender(by.UserID)
		}
		return err
	})
	if err != nil {
		return None{}, hidden(err)
	}
	data, err := json.Marshal(Typing{ConversationID: in.ConversationID, UserID: from.ID, Name: from.Name}, json.Deterministic(true))
	if err != nil {
		return None{}, err
	}
	return None{}, s.publish(ctx, in.ConversationID, by.UserID, "typing", data)
}
