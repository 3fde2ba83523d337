package store

// Change is an entry in the log of a group: who joined or left it, or renamed it. It
// is no message.
type Change struct {
	ConversationID string
	At             Time
	Kind           string // joined, added, left, removed, renamed
	UserID         string // who joined or left, or renamed it
	ActorID        string // who added or removed them; "" for the other kinds, and if that account was deleted
	Title          string // the new one of a group that was renamed; "" without one
}

// LogChange adds a change of a group to its log, at a time of its own.
func (tx *Tx) LogChange(c Change) error {
	return tx.exec(`INSERT INTO conversation_change (conversation_id, at, kind, user_id, actor_id, title)
		VALUES (?, ?, ?, ?, nullif(?, ''), ?)`,
		c.ConversationID, tx.Tick(), c.Kind, c.UserID, c.ActorID, c.Title)
}

// Changes returns up to limit changes of a group that by may see, after a moment and
// before another (0: no bound), the newest first.
func (r *Reader) Changes(by Viewer, conversationID string, after, before Time, limit int) ([]Change, error) {
	return all[Change](r, `SELECT x.conversation_id, x.at, x.kind, x.user_id, coalesce(x.actor_id, ''), x.title FROM conversation_change x
		WHERE x.conversation_id = ?1 AND x.at > ?2 AND x.at < ?3 AND `+visibleConversation("?1", "?4")+`
		ORDER BY x.at DESC LIMIT ?5`, conversationID, after, orEnd(before), by.UserID, limit)
}
