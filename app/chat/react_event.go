package chat

import "hearth/store"

// ReactionEvent is the data of reaction.updated: the reactions as they are now.
type ReactionEvent struct {
	ConversationID string            `json:"conversationId"`
	MessageID      string            `json:"messageId"`
	Reactions      []ReactionSummary `json:"reactions"`
}

func renderReactions(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	rows, err := r.MessagesByID(viewer, ev.ObjectID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	m := rows[0]
	found, err := newView(r, viewer).loadReactions(rows)
	return ReactionEvent{ConversationID: m.ConversationID, MessageID: m.ID, Reactions: found[m.CreatedAt]}, err
}
