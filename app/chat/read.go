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
	UpTo           *store.Time `json:"upTo" doc:"The createdAt of the newest message shown; without it, all messages until now"`
}

// MarkReadOut has the time up to which all messages are read.
type MarkReadOut struct {
	LastReadAt store.Time `json:"lastReadAt"`
}

// markRead never marks messages as unread.
func (s *Service) markRead(ctx context.Context, by store.Viewer, in MarkReadIn) (out MarkReadOut, err error) {
	st, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.ReadState, error) { return r.ReadState(by, in.ConversationID) })
	out.LastReadAt = st.LastReadAt
	upTo := core.Before(in.UpTo)
	if err != nil || out.LastReadAt != 0 && (st.Unread == 0 || upTo != 0 && upTo <= out.LastReadAt) {
		return out, core.Found(err)
	}
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		out.LastReadAt, err = tx.MarkRead(by, in.ConversationID, upTo)
		if errors.Is(err, store.ErrTooFar) {
			return core.InvalidField("upTo", "upTo is too far back: read the newer messages first, or leave it out.")
		}
		if err != nil {
			return err
		}
		return readChanged(tx, by, in.ConversationID)
	})
	return out, core.Found(err)
}

func readChanged(tx *store.Tx, by store.Viewer, conversationID string) error {
	return tx.Emit(store.Event{Topic: by.UserID, Kind: readUpdated, ObjectID: conversationID, ActorID: by.UserID})
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

func (s *Service) markUnread(tx *store.Tx, by store.Viewer, in MarkUnreadIn) (out MarkUnreadOut, err error) {
	m, err := tx.Message(by, in.MessageID)
	if err == nil && m.ConversationID != in.ConversationID {
		err = store.ErrNoRow
	}
	if err != nil {
		return out, err
	}
	changed, err := tx.MarkUnread(by, in.ConversationID, m.CreatedAt)
	if errors.Is(err, store.ErrTooFar) {
		return out, core.InvalidField("messageId", "The message is too far back: choose a newer one.")
	}
	if err != nil {
		return out, err
	}
	st, err := tx.ReadState(by, in.ConversationID)
	if err == nil && changed {
		err = readChanged(tx, by, in.ConversationID)
	}
	return MarkUnreadOut{LastReadAt: st.LastReadAt.Ptr(), UnreadCount: st.Unread}, err
}

// UnreadTotalOut has the number of unread messages.
type UnreadTotalOut struct {
	UnreadTotal int `json:"unreadTotal"`

	Newest store.Time `json:"-"` // of the messages, read or not
}

func (s *Service) unreadTotal(r *store.Reader, by store.Viewer, _ core.None) (out UnreadTotalOut, err error) {
	out.UnreadTotal, out.Newest, err = r.UnreadTotal(by)
	return out, err
}

// Typing is the data of typing.
type Typing struct {
	ConversationID string `json:"conversationId"`
	UserID         string `json:"userId"`
	Name           string `json:"name"`
}

// A person who hides their presence is not shown, nor an absent person while their key is typing. It would reveal who
// is invisible and who is signed out.
func (s *Service) showTyping(ctx context.Context, by store.Viewer, in core.ByID) (core.None, error) {
	from, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.User, error) {
		if _, err := r.Member(by, in.ID, by.UserID); err != nil {
			return store.User{}, err
		}
		return r.User(by.UserID)
	})
	if err != nil {
		return core.None{}, core.Found(err)
	}
	if core.HidesPresence(from.PresenceStatus) || by.ActsForPerson() && !from.Online {
		return core.None{}, nil
	}
	data, err := encode(Typing{ConversationID: in.ID, UserID: from.ID, Name: from.Name})
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, s.Publish(ctx, in.ID, by.UserID, typingShown, data)
}
