package store

import "errors"

// PushPreference is how an account is notified.
type PushPreference struct {
	HideContent        bool
	QuietFrom, QuietTo string // HH:MM in TimeZone; both "" without quiet hours
	TimeZone           string
}

// PushPreference returns how by is notified.
func (r *Reader) PushPreference(by Viewer) (p PushPreference, err error) {
	err = r.value([]any{&p.HideContent, &p.QuietFrom, &p.QuietTo, &p.TimeZone}, `SELECT p.hide_content, p.quiet_from, p.quiet_to, p.time_zone
		FROM push_preference p WHERE `+ownPush("p", "?1"), by.UserID)
	if errors.Is(err, ErrNoRow) {
		return PushPreference{TimeZone: "UTC"}, nil
	}
	return p, err
}

// PutPushPreference sets how an account is notified.
func (tx *Tx) PutPushPreference(userID string, p PushPreference) error {
	return tx.exec(`INSERT OR REPLACE INTO push_preference (user_id, hide_content, quiet_from, quiet_to, time_zone) VALUES (?, ?, ?, ?, ?)`,
		userID, p.HideContent, p.QuietFrom, p.QuietTo, p.TimeZone)
}

// newPushes selects what the events with ids above ?1 and up to ?2 are worth to the subscriptions that existed then: a
// message for those who want to know of it, and what is new to an account: a match, a request to be friends, a Story, or
// an item that waits on a list that it keeps.
var newPushes = `SELECT s.id, n.tag, n.id, n.kind, n.object_id, n.at FROM (
		SELECT e.id, e.kind, e.topic AS tag, e.object_id, e.at, e.actor_id, m.user_id FROM event e
		CROSS JOIN message x ON x.id = e.object_id AND x.message_type = 'text' CROSS JOIN conversation c ON c.id = x.conversation_id
		CROSS JOIN member m ON m.conversation_id = c.id AND (` + notifyOf + ` = 'all' OR ` + notifyOf + ` = 'mentions' AND x.mentioned = 1
			AND EXISTS (SELECT 1 FROM mention q WHERE q.user_id = m.user_id AND q.conversation_id = c.id AND q.message_at = x.created_at))
		WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'message.created'
		UNION ALL SELECT e.id, e.kind, e.object_id, e.object_id, e.at, e.actor_id, e.topic FROM event e
		WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'match.updated'
			AND EXISTS (SELECT 1 FROM intent_match x WHERE x.id = e.object_id AND x.created_at >= e.at)
		UNION ALL SELECT e.id, e.kind, e.object_id, e.object_id, e.at, e.actor_id, e.topic FROM event e
		WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'friend.updated' AND EXISTS (SELECT 1 FROM friend f
			WHERE f.user_id = e.topic AND f.other_id = e.object_id AND f.state = 'incoming' AND f.updated_at = e.at)
		UNION ALL SELECT e.id, e.kind, e.object_id, e.object_id, e.at, e.actor_id, coalesce(a.user_id, m.user_id) FROM event e
		CROSS JOIN story s ON s.id = e.object_id AND s.created_at = e.at CROSS JOIN story_audience a ON a.story_id = s.id
		LEFT JOIN member m ON m.conversation_id = a.conversation_id
		WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'story.updated'
		UNION ALL SELECT e.id, e.kind, l.id, e.object_id, e.at, e.actor_id, l.owner_id FROM event e CROSS JOIN list l ON l.id = e.topic
		WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'item.held'
		UNION ALL SELECT e.id, e.kind, m.list_id, e.object_id, e.at, e.actor_id, m.user_id FROM event e
		CROSS JOIN list_member m ON m.list_id = e.topic AND m.role = 'editor'
		WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'item.held'
	) n CROSS JOIN push_subscription s ON s.user_id = n.user_id AND s.created_at <= n.at
	WHERE n.user_id <> n.actor_id /* server: the outbox */ /* scan: what the new events are worth */`

// PushedMessage returns a message that by is notified of: one that they see and have not read, of an account without a block
// between them, in a conversation that they did not mute; ErrNoRow otherwise.
func (r *Reader) PushedMessage(by Viewer, id string) (Message, error) {
	return one[Message](r, `SELECT `+messageColumns+` FROM message x CROSS JOIN conversation c ON c.id = x.conversation_id
		CROSS JOIN member m ON m.conversation_id = c.id
		WHERE x.id = ?1 AND `+visibleMembership("m", "?2")+` AND x.deleted_at IS NULL AND x.created_at > coalesce(m.last_read_at, 0)
			AND coalesce(m.muted_until, 0) <= ?3 AND `+notifyOf+` <> 'none' AND `+unblocked("x.sender_id", ownerOf("x.sender_id"), "?2"),
		id, by.UserID, r.Now())
}

// HasPushes reports whether events with ids above after and up to upTo are worth a notification.
func (r *Reader) HasPushes(after, upTo int64) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM push_subscription /* scan: up to the first */) AND EXISTS (`+newPushes+`)`, after, upTo)
}

// QueuePushes adds the notifications of the events with ids above after and up to upTo.
func (tx *Tx) QueuePushes(after, upTo int64) error {
	return tx.exec(`INSERT INTO push (subscription_id, tag, event_id, kind, object_id, at) `+newPushes+` ORDER BY n.id
		ON CONFLICT DO UPDATE SET event_id = excluded.event_id, kind = excluded.kind, object_id = excluded.object_id, at = excluded.at,
			attempts = 0`, after, upTo)
}

// WaitingPushes returns the subscriptions for which notifications wait, those first that are due first.
func (r *Reader) WaitingPushes() ([]WaitingQueue, error) {
	return all[WaitingQueue](r, `SELECT s.id, '', s.retry_at, s.endpoint FROM (SELECT DISTINCT subscription_id AS id FROM push) q
		CROSS JOIN push_subscription s ON s.id = q.id ORDER BY s.retry_at /* server: delivery */ /* scan: what waits */`)
}

// Push is a notification that waits, with where it is sent.
type Push struct {
	Tag      string
	EventID  int64
	Kind     string // of the event, as the rest
	ObjectID string
	At       Time
	Attempts int
	RetryAt  Time // of the subscription
	Active   bool // the receiver is not suspended
	To       PushSubscription
}

// NextPush returns the first notification that waits for a subscription; ErrNoRow without one.
func (r *Reader) NextPush(subscriptionID string) (Push, error) {
	return one[Push](r, `SELECT p.tag, p.event_id, p.kind, p.object_id, p.at, p.attempts, s.retry_at, `+notSuspended("u")+`, `+pushColumns+`
		FROM push p JOIN push_subscription s ON s.id = p.subscription_id JOIN user u ON u.id = s.user_id
		WHERE p.subscription_id = ? ORDER BY p.event_id LIMIT 1 /* server: delivery */`, subscriptionID)
}

// EndPush deletes a notification that was sent or is not to be sent, unless a newer one took its place.
func (tx *Tx) EndPush(p Push) error {
	return tx.exec(`DELETE FROM push WHERE subscription_id = ? AND tag = ? AND event_id = ?`, p.To.ID, p.Tag, p.EventID)
}

// PutOffPush has what waits for the subscription of a notification wait until a moment. It stores the attempts.
func (tx *Tx) PutOffPush(p Push, until Time) error {
	if err := tx.exec(`UPDATE push_subscription SET retry_at = ? WHERE id = ?`, until, p.To.ID); err != nil {
		return err
	}
	return tx.exec(`UPDATE push SET attempts = ?4 WHERE subscription_id = ?1 AND tag = ?2 AND event_id = ?3`, p.To.ID, p.Tag, p.EventID,
		p.Attempts)
}
