package store

// LastWrite returns the time of the newest write.
func (r *Reader) LastWrite() (Time, error) {
	return one[Time](r, `SELECT at FROM clock WHERE one = 1`)
}

// ConversationIDs returns the ids of all conversations that by may see.
func (r *Reader) ConversationIDs(by Viewer) ([]string, error) {
	return all[string](r, `SELECT m.conversation_id FROM member m WHERE `+visibleMembership("m", "?1")+` ORDER BY m.conversation_id`,
		by.UserID)
}

// CountMessages counts the messages of conversations from after a moment up to another, deleted or not.
func (r *Reader) CountMessages(by Viewer, conversationIDs []string, after, upTo Time) (int, error) {
	return one[int](r, `SELECT count(*) FROM json_each(?1) j CROSS JOIN message x ON x.conversation_id = j.value
		WHERE x.created_at > ?2 AND x.created_at <= ?3 AND `+visibleConversation("x.conversation_id", "?4"),
		jsonList(conversationIDs), after, upTo, by.UserID)
}

// MessagesBetween returns up to limit messages of a conversation that by may
// see, from after a moment up to another, the oldest first. It ends with the one with
// which they have more than size bytes of text together.
func (r *Reader) MessagesBetween(by Viewer, conversationID string, after, upTo Time, limit, size int) ([]Message, error) {
	return r.messagesWithin(size, `SELECT `+messageColumns+` FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND x.created_at <= ?3 AND `+visibleConversation("?1", "?4")+`
		ORDER BY x.created_at LIMIT ?5`, conversationID, after, upTo, by.UserID, limit)
}
