package live

import (
	"context"

	"hearth/app/core"
	"hearth/app/list"
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

// PublishConversation is PublishUsers for what an account does in a conversation:
// for those to whom ShownTo shows it.
func (h *Hub) PublishConversation(ctx context.Context, conversationID, userID string, kind store.EventKind, data []byte) error {
	e, err := h.events.ephemeral(kind, core.ToConversation)
	if err != nil {
		return err
	}
	var ids []string
	err = h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		ids, err = h.cfg.ShownTo(r, conversationID, userID)
		return err
	})
	if err != nil {
		return err
	}
	h.pushFeeds(ids, newFrame(e.ClientName(), data))
	return nil
}

func (h *Hub) pushFeeds(userIDs []string, f *frame) {
	var subs []*Subscription
	for _, id := range userIDs {
		for _, s := range h.indexed(h.users, id) {
			if s.feed() {
				subs = append(subs, s)
			}
		}
	}
	h.push(subs, f)
}

// publishPresence sends who watches a list to those who do: the same to all with a
// part in it, and to all others, but for viewers with blocks.
func (h *Hub) publishPresence(listID string) {
	all := map[bool][]*Subscription{}
	for _, s := range h.indexed(h.lists, listID) {
		if to := h.presence.shown(s); len(to.Blocks) > 0 {
			h.push([]*Subscription{s}, h.presenceFrame(listID, to))
		} else {
			all[to.Part] = append(all[to.Part], s)
		}
	}
	for part, subs := range all {
		h.push(subs, h.presenceFrame(listID, list.Watcher{Part: part}))
	}
}

func (h *Hub) presenceFrame(listID string, to list.Watcher) *frame {
	f := newFrame(h.events.presence, h.presence.encoded(listID, to))
	f.presence = true
	return f
}
