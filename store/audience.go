package store

// ConversationAudience returns the accounts that may see the conversation:
// those who are told of its events.
func (r *Reader) ConversationAudience(conversationID string) ([]string, error) {
	return all(r, scanOne[string], `SELECT m.user_id FROM member m WHERE m.conversation_id = ?1 AND `+
		visibleConversation("m.conversation_id", "m.user_id"), conversationID)
}
