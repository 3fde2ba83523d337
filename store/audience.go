package store

// ConversationAudience returns the accounts that may see the conversation:
// those who are told of its events.
func (r *Reader) ConversationAudience(conversationID string) ([]string, error) {
	return all(r, scanOne[string], `SELECT m.user_id FROM member m WHERE m.conversation_id = ?1 AND `+
		visibleConversation("m.conversation_id", "m.user_id"), conversationID)
}

// mostAudience is how many people are told when somebody changes.
const mostAudience = 5000

// UserAudience returns the accounts, other than the user's own, that may see
// a conversation the user is in: those who are told when the user changes. It
// returns 5,000 of them at most.
func (r *Reader) UserAudience(userID string) ([]string, error) {
	return all(r, scanOne[string], `SELECT DISTINCT o.user_id FROM member m JOIN member o ON o.conversation_id = m.conversation_id
		WHERE m.user_id = ?1 AND o.user_id <> ?1 AND `+visibleConversation("m.conversation_id", "o.user_id")+` LIMIT ?2`, userID, mostAudience)
}
