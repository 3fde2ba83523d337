package store

// The queries behind live streams: what a subscriber has missed, and which of
// many subscribers may still see what they watch, in one statement each.

// Credential is what decides whether a session or a key is valid.
type Credential struct {
	ID          string // of the session or key
	SuspendedAt Time   // of its account; 0: not
	RevokedAt   Time   // of a key; 0: not
	Epoch       int64  // of a session when it began, which must be that of
	UserEpoch   int64  // its account; both are 0 for a key
	ExpiresAt   Time   // 0: never
	CanRead     bool   // scopes; a session has both
	CanWrite    bool
}

// Credentials returns the existing sessions and keys with the ids, in no order.
func (r *Reader) Credentials(ids []string) ([]Credential, error) {
	return all[Credential](r, `
		SELECT s.id, coalesce(u.suspended_at, 0), 0, s.epoch, u.epoch, s.expires_at, 1, 1
		FROM json_each(?1) j JOIN session s ON s.id = j.value JOIN user u ON u.id = s.user_id
		UNION ALL
		SELECT k.id, coalesce(u.suspended_at, o.suspended_at, 0), coalesce(k.revoked_at, 0), 0, 0,
			coalesce(k.expires_at, 0), k.can_read, k.can_write
		FROM json_each(?1) j JOIN api_key k ON k.id = j.value JOIN user u ON u.id = k.user_id LEFT JOIN user o ON o.id = u.bot_owner_id
		/* server: authentication */`, jsonList(ids))
}

// ListWatcher is a viewer who watches a list.
type ListWatcher struct {
	ListID         string
	UserID         string // "" if anonymous
	Name           string // read with the row, as the following
	Role           string // in the list: owner, editor, viewer or ""
	PresenceStatus string
	DiscoveryMode  string
	Online         bool
	Blocks         IDs // accounts with a part in the list that have a block with the viewer
}

// ListWatchers returns the elements of ws that may see their list, in no order. It sets
// their Blocks to accounts with a part in the list that are not shown to them: there is
// a block between them, or between the owners of bots.
func (r *Reader) ListWatchers(ws []ListWatcher) ([]ListWatcher, error) {
	pairs := make([][2]string, len(ws))
	for i, w := range ws {
		pairs[i] = [2]string{w.ListID, w.UserID}
	}
	const user = `(j.value ->> 1)`
	return all[ListWatcher](r, `SELECT l.id, `+user+`, coalesce(u.name, ''), CASE WHEN u.id IS NULL THEN '' WHEN l.owner_id = u.id THEN 'owner'
			ELSE coalesce((SELECT lm.role FROM list_member lm WHERE lm.list_id = l.id AND lm.user_id = u.id), '') END,
			coalesce(u.presence_status, ''), coalesce(u.discovery_mode, ''), coalesce(u.online, 0), coalesce((SELECT group_concat(o.id, '') FROM (
				SELECT h.id FROM (SELECT b.blocked_id AS id FROM block b WHERE b.blocker_id IN (u.id, u.bot_owner_id)
					UNION SELECT b.blocker_id FROM block b WHERE b.blocked_id IN (u.id, u.bot_owner_id)) p
					CROSS JOIN user h ON h.id = p.id OR h.bot_owner_id = p.id) o
				WHERE o.id = l.owner_id OR EXISTS (SELECT 1 FROM list_member lm WHERE lm.list_id = l.id AND lm.user_id = o.id)
				/* scan: those with a block */), '')
		FROM json_each(?1) j JOIN list l ON l.id = j.value ->> 0 LEFT JOIN user u ON u.id = `+user+`
		WHERE `+visibleList("l", user)+` /* server: those who watch a list together know of each other */`, jsonList(pairs))
}

// FeedEvents returns, in order, up to limit of the events that UserEvents has,
// numbered above after and up to upTo, and the number that they are complete
// up to: with fewer than limit events there may be more.
//
// UserEvents has to sort all events between its bounds, so the log is read in
// windows of numbers. Each window is four times as wide as the previous window,
// until about half of the requested events are there. Whatever the length of the
// log, and however few of its events are the user's, the work is in proportion to
// what is returned.
func (r *Reader) FeedEvents(by Viewer, after, upTo int64, limit int) (out []Event, next int64, err error) {
	for width := int64(limit); after < upTo && len(out) < (limit+1)/2; width *= 4 {
		end := min(upTo, after+width)
		events, err := r.UserEvents(by, after, end, limit-len(out))
		if err != nil {
			return nil, 0, err
		}
		if out = append(out, events...); len(out) == limit {
			return out, out[limit-1].ID, nil
		}
		after = end
	}
	return out, after, nil
}

// ConversationsByID returns the conversations with the ids that by is a member of, in
// no order.
func (r *Reader) ConversationsByID(by Viewer, ids ...string) ([]Conversation, error) {
	return all[Conversation](r, conversationQuery(`SELECT `+conversationColumns+conversationTables+`
		m.conversation_id IN (SELECT value FROM json_each(?1)) AND `+visibleMembership("m", "?2")), jsonList(ids), by.UserID)
}
