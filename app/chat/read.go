package chat

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// MarkReadIn is the input of MarkRead.
type MarkReadIn struct {
	ConversationID string      `path:"id" json:"-"`
	UpTo           *store.Time `json:"upTo" doc:"The createdAt of the newest message that was shown, so that one which arrives meanwhile stays unread; all that was said until now if left out"`
}

// MarkReadOut has the time up to which all messages are read.
type MarkReadOut struct {
	LastReadAt store.Time `json:"lastReadAt"`
}

// markRead never marks messages as unread.
func (s *Service) markRead(ctx context.Context, by store.Viewer, in MarkReadIn) (out MarkReadOut, err error) {
	var unread int
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out.LastReadAt, unread, err = r.ReadState(by, in.ConversationID)
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
		out.LastReadAt, err = tx.MarkRead(by, in.ConversationID, upTo)
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

// MarkUnreadIn is the input of MarkUnread.
type MarkUnreadIn struct {
	ConversationID string `path:"id" json:"-"`
	MessageID      string `json:"messageId" format:"uuid" required:"true" doc:"The first message that is to be unread"`
}

// MarkUnreadOut has the read position after it.
type MarkUnreadOut struct {
	LastReadAt  *store.Time `json:"lastReadAt"`
	UnreadCount int         `json:"unreadCount" read:"others"`
}

func (s *Service) markUnread(ctx context.Context, by store.Viewer, in MarkUnreadIn) (out MarkUnreadOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		m, err := tx.Message(by, in.MessageID)
		if err != nil {
			return err
		}
		if m.ConversationID != in.ConversationID {
			return store.ErrNoRow
		}
		changed, err := tx.MarkUnread(by, in.ConversationID, m.CreatedAt)
		if errors.Is(err, store.ErrTooFar) {
			return core.InvalidField("messageId", "The message is too far back: choose a newer one.")
		}
		if err != nil {
			return err
		}
		last, unread, err := tx.ReadState(by, in.ConversationID)
		if out = (MarkUnreadOut{LastReadAt: last.Ptr(), UnreadCount: unread}); err != nil || !changed {
			return err
		}
		return tx.Emit(store.Event{Topic: by.UserID, Kind: readUpdated, ObjectID: in.ConversationID, ActorID: by.UserID})
	})
	return out, core.Found(err)
}

// UnreadTotalOut has the number of unread messages.
type UnreadTotalOut struct {
	UnreadTotal int `json:"unreadTotal"`

	Newest store.Time `json:"-"` // of the messages, read or not
}

func (s *Service) unreadTotal(ctx context.Context, by store.Viewer, _ core.None) (out UnreadTotalOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out.UnreadTotal, out.Newest, err = r.UnreadTotal(by)
		return err
	})
	return out, err
}

// ShowTypingIn is the input of ShowTyping.
type ShowTypingIn struct {
	ConversationID string `path:"id" json:"-"`
}

// Typing is the data of typing.
type Typing struct {
	ConversationID string `json:"conversationId"`
	UserID         string `json:"userId"`
	Name           string `json:"name"`
}

// A person who hides their presence is not shown, nor an absent person while their key is typing. It would reveal who
// is invisible and who is signed out.
func (s *Service) showTyping(ctx context.Context, by store.Viewer, in ShowTypingIn) (core.None, error) {
	var from store.User
	err := s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.Member(by, in.ConversationID, by.UserID)
		if err == nil {
			from, err = r.User(by.UserID)
		}
		return err
	})
	if err != nil {
		return core.None{}, core.Found(err)
	}
	if core.HidesPresence(from.PresenceStatus) || by.ActsForPerson() && !from.Online {
		return core.None{}, nil
	}
	data, err := encode(Typing{ConversationID: in.ConversationID, UserID: from.ID, Name: from.Name})
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, s.publish(ctx, in.ConversationID, by.UserID, typingShown, data)
}
