package live

import (
	"context"
	"slices"

	"hearth/store"
)

// PublishUsers tells the feeds of the accounts something that is not kept:
// whoever is not connected never learns of it. data is JSON.
func (h *Hub) PublishUsers(userIDs []string, name string, data []byte) {
	var subs []*Subscription
	for _, id := range userIDs {
		for _, s := range h.indexed(h.users, id) {
			if s.list == "" {
				subs = append(subs, s)
			}
		}
	}
	h.push(subs, newFrame(name, data))
}

// PublishConversation is PublishUsers for all who may see a conversation but
// exceptUser, who is commonly the one that does what is told.
func (h *Hub) PublishConversation(ctx context.Context, conversationID, exceptUser, name string, data []byte) error {
	var ids []string
	err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		ids, err = h.cfg.Audience(r, conversationID)
		return err
	})
	if err != nil {
		return err
	}
	h.PublishUsers(slices.DeleteFunc(ids, func(id string) bool { return id == exceptUser }), name, data)
	return nil
}

// PublishList tells the streams of a list something that is not kept.
func (h *Hub) PublishList(listID, name string, data []byte) {
	h.push(h.indexed(h.lists, listID), newFrame(name, data))
}
