package live

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// PublishUsers sends an ephemeral event, with JSON as its data, to the open
// feeds of the accounts. It fails if the kind is not declared as such.
func (h *Hub) PublishUsers(userIDs []string, kind store.EventKind, data []byte) error {
	e, err := h.events.ephemeral(kind, core.ToUser)
	if err == nil {
		h.pushFeeds(userIDs, newFrame(e.ClientName(), data))
	}
	return err
}

// PublishConversation is PublishUsers for all who may see a conversation
// except one account, usually the one that caused the event.
func (h *Hub) PublishConversation(ctx context.Context, conversationID, exceptUser string, kind store.EventKind, data []byte) error {
	e, err := h.events.ephemeral(kind, core.ToConversation)
	if err != nil {
		return err
	}
	var ids []string
	err = h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		ids, err = h.cfg.Audience(r, conversationID)
		return err
	})
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == exceptUser })
	h.pushFeeds(ids, newFrame(e.ClientName(), data))
	return nil
}

func (h *Hub) pushFeeds(userIDs []string, f *frame) {
	var subs []*Subscription
	for _, id := range userIDs {
		for _, s := range h.indexed(h.users, id) {
			if s.list == "" {
				subs = append(subs, s)
			}
		}
	}
	h.push(subs, f)
}

// publishPresence sends who watches a list to those who do.
func (h *Hub) publishPresence(listID string) {
	h.push(h.indexed(h.lists, listID), h.presenceFrame(listID))
}

func (h *Hub) presenceFrame(listID string) *frame {
	f := newFrame(h.events.presence, h.presence.encoded(listID))
	f.presence = true
	return f
}
