package store

// LastWrite returns the time of the newest write.
func (r *Reader) LastWrite() (at Time, err error) {
	err = r.value([]any{&at}, `SELECT at FROM clock WHERE one = 1`)
	return at, err
}

// ConversationIDs returns the ids of all conversations that by may see.
func (r *Reader) ConversationIDs(by Viewer) ([]string, error) {
	return all(r, scanOne[string], `SELECT m.conversation_id FROM member m WHERE `+visibleMembership("m", "?1")+` ORDER BY m.conversation_id`,
		by.UserID)
}

// CountMessages counts up to limit messages of a conversation from after a
// moment up to another, deleted or not, and returns when the last of them was
// sent.
func (r *Reader) CountMessages(by Viewer, conversationID string, after, upTo Time, limit int) (n int, last Time, err error) {
	err = r.value([]any{&n, &last}, `SELECT count(*), coalesce(max(created_at), 0) FROM (SELECT x.created_at FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND x.created_at <= ?3 AND `+visibleConversation("?1", "?4")+`
		ORDER BY x.created_at LIMIT ?5)`, conversationID, int64(after), int64(upTo), by.UserID, limit)
	return n, last, err
}

// MessagesBetween returns up to limit messages of a conversation that by may
// see, from after a moment up to another, the oldest first. It ends with the one with
// which they have more than size bytes of text together.
func (r *Reader) MessagesBetween(by Viewer, conversationID string, after, upTo Time, limit, size int) ([]Message, error) {
	return r.messagesWithin(conversationID, limit, size, `SELECT `+messageColumns+` FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND x.created_at <= ?3 AND `+visibleConversation("?1", "?4")+`
		ORDER BY x.created_at LIMIT ?5`, conversationID, int64(after), int64(upTo), by.UserID, limit)
}
