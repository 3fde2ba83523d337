package store

import "sort"

// MessagesSince returns up to limit messages from after a moment, of all
// conversations that by may see, the oldest first, and whether there are more.
// Deleted messages are left out. It ends before they have more than size bytes of
// text together, but not before the first.
//
// Of each conversation it reads what is older than the last message that was found so far,
// beginning with those that have the oldest.
func (r *Reader) MessagesSince(by Viewer, since Time, limit, size int) (out []Message, more bool, err error) {
	found, err := all[head](r, `SELECT h.id, h.at FROM (SELECT c.id, (SELECT x.created_at FROM message x
				WHERE x.conversation_id = c.id AND x.created_at > ?2 AND `+liveMessage("x")+` ORDER BY x.created_at LIMIT 1) AS at
			FROM member m JOIN conversation c ON c.id = m.conversation_id
			WHERE `+visibleMembership("m", "?1")+` AND c.last_message_at > ?2) h
		WHERE h.at IS NOT NULL ORDER BY h.at`, by.UserID, since)
	until := orEnd(0)
	for _, h := range found {
		if h.At >= until {
			break
		}
		run, err := r.messagesWithin(size, `SELECT `+messageColumns+` FROM message x
			WHERE x.conversation_id = ?1 AND x.created_at >= ?2 AND x.created_at < ?3 AND `+liveMessage("x")+`
				AND `+visibleConversation("?1", "?4")+`
			ORDER BY x.created_at LIMIT ?5`, h.ConversationID, h.At, until, by.UserID, limit+1)
		if err != nil {
			return nil, false, err
		}
		out = append(out, run...)
		sort.Slice(out, func(i, j int) bool { return out[i].CreatedAt < out[j].CreatedAt })
		left := size
		for n := range out {
			if left -= out[n].Size(); n == limit || left < 0 {
				out, until, more = out[:n+1], out[n].CreatedAt, true
				break
			}
		}
	}
	if more && len(out) > 1 {
		out = out[:len(out)-1]
	}
	return out, more, err
}

// head is the time of the first message of a conversation.
type head struct {
	ConversationID string
	At             Time
}
