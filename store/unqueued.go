package store

// maxAdded is how many deliveries a group of writes adds for the messages that it
// sends. The worker adds the rest, as many in each write.
const maxAdded = 100

// Unqueued is a part of the deliveries that were not added with their messages: of
// one message, to at most maxAdded webhooks.
type Unqueued struct {
	ConversationID string
	at             Time        // of the first message whose deliveries are not all added
	message        sentMessage // the first from then on; without an id if there is none
	to             []subscriber
	more           bool // there may be more after the last in to
}

// leaveDeliveries leaves the deliveries of a message, and of those that are sent
// to its conversation until they are added, for the worker.
func (tx *Tx) leaveDeliveries(m sentMessage) error {
	_, err := tx.exec(`INSERT INTO unqueued (conversation_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING`, m.conversationID, int64(m.at))
	return err
}

// deliveriesLeft reports whether deliveries of earlier messages of a conversation are
// left for the worker.
func (r *Reader) deliveriesLeft(conversationID string) (yes bool, err error) {
	err = r.value([]any{&yes}, `SELECT EXISTS (SELECT 1 FROM unqueued WHERE conversation_id = ?)`, conversationID)
	return yes, err
}

// Unqueued returns deliveries to add next, of the first conversation that has some
// in the order of their ids after an id; ErrNoRow without one. QueueRest adds them.
func (r *Reader) Unqueued(after string) (u Unqueued, err error) {
	var member, webhook string
	if err = r.value([]any{&u.ConversationID, &u.at, &member, &webhook}, `SELECT conversation_id, at, after_member, after_webhook FROM unqueued WHERE conversation_id > ?
		ORDER BY conversation_id LIMIT 1`, after); err != nil {
		return u, err
	}
	m := &u.message
	m.conversationID = u.ConversationID
	var text bool // cards are not delivered
	err = r.value([]any{&m.id, &m.at, &m.senderID, &m.byAgent, &text}, `SELECT x.id, x.created_at, x.sender_id, x.agent_id IS NOT NULL, x.message_type = 'text'
		FROM message x WHERE x.conversation_id = ? AND x.created_at >= ? ORDER BY x.created_at LIMIT 1 /* server: the outbox */`, u.ConversationID, int64(u.at))
	if err == ErrNoRow {
		return u, nil
	}
	if err != nil || !text {
		return u, err
	}
	u.to, err = all(r, scanSubscriber, `SELECT m.conversation_id, w.id, `+queuePerson+`, u.id, m.joined_at FROM member m
		CROSS JOIN webhook w ON (w.conversation_id IS NULL OR w.conversation_id = ?1) AND w.disabled_at IS NULL AND w.created_at <= ?3 AND `+visibleMembership("m", "w.user_id")+`
		CROSS JOIN user u ON u.id = w.user_id
		WHERE m.conversation_id = ?1 AND m.user_id >= ?2 AND (m.user_id > ?2 OR w.id > ?5) AND m.joined_at <= ?3
		ORDER BY m.user_id, w.id LIMIT ?4 /* server: the outbox */`,
		u.ConversationID, member, int64(m.at), maxAdded, webhook)
	u.more = len(u.to) == maxAdded
	return u, err
}

// QueueRest adds the deliveries of u, which was the last that Unqueued returned of
// its conversation.
func (tx *Tx) QueueRest(u Unqueued) error {
	if err := tx.addDeliveries(u.message, u.to); err != nil {
		return err
	}
	if u.more {
		last := u.to[len(u.to)-1]
		_, err := tx.exec(`UPDATE unqueued SET at = ?2, after_member = ?3, after_webhook = ?4 WHERE conversation_id = ?1`,
			u.ConversationID, int64(u.message.at), last.userID, last.WebhookID)
		return err
	}
	next := u.at
	if u.message.id != "" {
		next = u.message.at + 1
	}
	n, err := tx.exec(`DELETE FROM unqueued WHERE conversation_id = ?1
		AND NOT EXISTS (SELECT 1 FROM message x WHERE x.conversation_id = ?1 AND x.created_at >= ?2 /* server: the outbox */)`, u.ConversationID, int64(next))
	if err != nil || n == 1 {
		return err
	}
	_, err = tx.exec(`UPDATE unqueued SET at = ?2, after_member = '', after_webhook = '' WHERE conversation_id = ?1`, u.ConversationID, int64(next))
	return err
}
