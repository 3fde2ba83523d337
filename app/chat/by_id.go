package chat

import (
	"context"
	"slices"
	"sort"

	"hearth/store"
)

// MessagesByIDIn names messages of one conversation.
type MessagesByIDIn struct {
	ConversationID string   `path:"id" json:"-"`
	IDs            []string `json:"ids" max:"50"`
}

// messagesByID leaves out messages that the caller may not see. It keeps the order of the input.
func (s *Service) messagesByID(ctx context.Context, by store.Viewer, in MessagesByIDIn) (out []Message, err error) {
	ids := slices.DeleteFunc(slices.Clone(in.IDs), func(id string) bool { return !store.ValidID(id) })
	err = s.db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.MessagesByID(by, ids...)
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(m store.Message) bool { return m.ConversationID != in.ConversationID })
		sort.Slice(rows, func(i, j int) bool { return slices.Index(ids, rows[i].ID) < slices.Index(ids, rows[j].ID) })
		out, err = newView(r, by).messages(rows)
		return err
	})
	return out, err
}

// ConversationsByIDIn names conversations.
type ConversationsByIDIn struct {
	IDs []string `json:"ids" max:"50"`
}

func (s *Service) conversationsByID(ctx context.Context, by store.Viewer, in ConversationsByIDIn) (out []Conversation, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.ConversationsByID(by, in.IDs...)
		if err != nil {
			return err
		}
		sort.Slice(rows, func(i, j int) bool { return slices.Index(in.IDs, rows[i].ID) < slices.Index(in.IDs, rows[j].ID) })
		out, err = newView(r, by).shortConversations(rows)
		return err
	})
	return out, err
}
