package store

// Reaction is what one account added to a message.
type Reaction struct {
	UserID string
	Emoji  string
	Kind   string // filed, or ""
	Href   string // of kind filed
}

// ReactionCount is the reactions to one message with one emoji.
type ReactionCount struct {
	MessageAt Time // the message's CreatedAt, which is unique in the file
	Emoji     string
	Count     int
	ByViewer  bool
	Kind      string `row:"-"` // filed if one of them is
	Href      string // of the first that is filed
}

func (c *ReactionCount) derive() {
	if c.Kind = ""; c.Href != "" {
		c.Kind = "filed"
	}
}

// Reactions returns the reactions to the messages that by may see, in the order of the
// first reactions. It runs no query if no message has reactions.
func (r *Reader) Reactions(by Viewer, messages []Message) ([]ReactionCount, error) {
	keys := keysOf(messages, func(m *Message) bool { return m.Reacted })
	if keys == "" {
		return nil, nil
	}
	// The time in front of the address makes the minimum that of the first.
	return all[ReactionCount](r, `SELECT q.message_at, q.emoji, count(*), max(q.user_id = ?2),
			substr(min(printf('%020d', q.created_at) || q.href) FILTER (WHERE q.kind = 'filed'), 21)
		FROM json_each(?1) j CROSS JOIN reaction q ON q.conversation_id = j.value ->> 0 AND q.message_at = j.value ->> 1
		WHERE `+visibleConversation("q.conversation_id", "?2")+`
		GROUP BY q.conversation_id, q.message_at, q.emoji ORDER BY min(q.created_at)`, keys, by.UserID)
}

// Parts returns what accounts have to do with the message with the id, as one text
// by the account's id: whether they sent it, are named in it, and with which emoji
// they reacted. To all others who may see the message it looks the same.
func (r *Reader) Parts(messageID string) (map[string]string, error) {
	type part struct{ UserID, Text string }
	rows, err := all[part](r, `SELECT q.user_id, group_concat(q.part, ' ') FROM (
			SELECT x.sender_id AS user_id, 'sent' AS part FROM message x WHERE x.id = ?1
			UNION SELECT q.user_id, 'named' FROM message x JOIN mention q ON q.conversation_id = x.conversation_id AND q.message_at = x.created_at
				WHERE x.id = ?1
			UNION SELECT q.user_id, q.emoji FROM message x JOIN reaction q ON q.conversation_id = x.conversation_id AND q.message_at = x.created_at
				WHERE x.id = ?1 AND x.deleted_at IS NULL
			ORDER BY part) q
		GROUP BY q.user_id /* server: the recipients it differs for */ /* scan: the parts of one message */`, messageID)
	out := make(map[string]string, len(rows))
	for _, row := range rows {
		out[row.UserID] = row.Text
	}
	return out, err
}

// React adds a reaction to a message, or changes its kind and address. It reports
// whether anything changed.
func (tx *Tx) React(m *Message, q Reaction) (changed bool, err error) {
	n, err := tx.execCount(`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, kind, href, created_at)
		VALUES (?1, ?2, ?3, ?4, nullif(?5, ''), nullif(?6, ''), ?7)
		ON CONFLICT DO UPDATE SET kind = excluded.kind, href = excluded.href
			WHERE kind IS NOT excluded.kind OR href IS NOT excluded.href`,
		m.ConversationID, m.CreatedAt, q.Emoji, q.UserID, q.Kind, q.Href, tx.Now)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.setReacted(m, true)
}

// Unreact removes a reaction. It reports whether there was one.
func (tx *Tx) Unreact(m *Message, userID, emoji string) (changed bool, err error) {
	n, err := tx.execCount(`DELETE FROM reaction WHERE conversation_id = ? AND message_at = ? AND emoji = ? AND user_id = ?`,
		m.ConversationID, m.CreatedAt, emoji, userID)
	if err != nil || n == 0 {
		return false, err
	}
	has, err := one[bool](&tx.Reader, `SELECT EXISTS (SELECT 1 FROM reaction WHERE conversation_id = ? AND message_at = ?)
		/* server: the mark of the message */`,
		m.ConversationID, m.CreatedAt)
	if err != nil {
		return false, err
	}
	return true, tx.setReacted(m, has)
}

// setReacted marks a message as one with reactions or without.
func (tx *Tx) setReacted(m *Message, has bool) error {
	if has == m.Reacted {
		return nil
	}
	m.Reacted = has
	return tx.exec(`UPDATE message SET reacted = ?3 WHERE conversation_id = ?1 AND created_at = ?2`, m.ConversationID, m.CreatedAt, has)
}

// clearReactions removes the reactions of a message that is being deleted.
func (tx *Tx) clearReactions(m *Message) error {
	if !m.Reacted {
		return nil
	}
	if err := tx.exec(`DELETE FROM reaction WHERE conversation_id = ? AND message_at = ?`, m.ConversationID, m.CreatedAt); err != nil {
		return err
	}
	return tx.setReacted(m, false)
}
