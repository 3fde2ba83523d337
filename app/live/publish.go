package live

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// PublishUsers sends an ephemeral event, with JSON as its data, to the open
// feeds of the accounts. It fails if the kind is not declared as such.
func (h *Hub) PublishUsers(userIDs []string, kind store.EventKind, data []byte) error {
	return h.toFeeds(userIDs, core.ToUser, kind, data)
}

// PublishConversation is PublishUsers for what an account does in a conversation:
// for those to whom ShownTo shows it.
func (h *Hub) PublishConversation(ctx context.Context, conversationID, userID string, kind store.EventKind, data []byte) error {
	var ids []string
	err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		ids, err = h.cfg.ShownTo(r, conversationID, userID)
		return err
	})
	if err != nil {
		return err
	}
	return h.toFeeds(ids, core.ToConversation, kind, data)
}

func (h *Hub) toFeeds(userIDs []string, scope core.Scope, kind store.EventKind, data []byte) error {
	e, err := h.events.ephemeral(kind, scope)
	if err != nil {
		return err
	}
	f := newFrame(e.ClientName(), data)
	for _, id := range userIDs {
		h.push(h.watching(id), f)
	}
	return nil
}
