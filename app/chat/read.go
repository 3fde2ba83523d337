package chat

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// MarkReadIn names a conversation, and how much of it was read.
type MarkReadIn struct {
	ConversationID string      `path:"id" json:"-"`
	UpTo           *store.Time `json:"upTo" doc:"The createdAt of the newest message that was shown, so that one which arrives meanwhile stays unread; all that was said until now if left out"`
}

// MarkReadOut says up to when everything is read.
type MarkReadOut struct {
	LastReadAt store.Time `json:"lastReadAt"`
}

// markRead makes what was said in a conversation read by the caller. With
// nothing unread it changes nothing, and what was read stays so.
func (s *Service) markRead(ctx context.Context, by store.Viewer, in MarkReadIn) (out MarkReadOut, err error) {
	var unread int
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out.LastReadAt, unread, err = r.ReadState(in.ConversationID, by.UserID)
		return err
	})
	var upTo store.Time
	if in.UpTo != nil {
		upTo = max(*in.UpTo, 1)
	}
	if err != nil || out.LastReadAt != 0 && (unread == 0 || upTo != 0 && upTo <= out.LastReadAt) {
		return out, core.Found(err)
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		out.LastReadAt, err = tx.MarkRead(in.ConversationID, by.UserID, upTo)
		if errors.Is(err, store.ErrTooFar) {
			return core.InvalidField("upTo", "upTo is too far back: read the newer messages first, or leave it out.")
		}
		if err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: by.UserID, Kind: readUpdated, ObjectID: in.ConversationID, ActorID: by.UserID})
	})
	return out, core.Found(err)
}

// UnreadTotalOut is how many messages wait for the caller.
type UnreadTotalOut struct {
	UnreadTotal int `json:"unreadTotal"`
}

// unreadTotal counts the messages of others that are not deleted and that the
// caller has not read, in all conversations.
func (s *Service) unreadTotal(ctx context.Context, by store.Viewer, _ core.None) (out UnreadTotalOut, err error) {
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

// Typing is the data of typing.
type Typing struct {
	ConversationID string `json:"conversationId"`
	UserID         string `json:"userId"`
	Name           string `json:"name"`
}

// showTyping notifies the other participants who are connected that the caller
// is typing. It is ephemeral.
func (s *Service) showTyping(ctx context.Context, by store.Viewer, in ShowTypingIn) (core.None, error) {
	var from store.Sender
	err := s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.Member(in.ConversationID, by.UserID)
		if err == nil {
			from, err = r.Sender(by.UserID)
		}
		return err
	})
	if err != nil {
		return core.None{}, core.Found(err)
	}
	data, err := encode(Typing{ConversationID: in.ConversationID, UserID: from.ID, Name: from.Name})
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, s.publish(ctx, in.ConversationID, by.UserID, typingShown, data)
}
