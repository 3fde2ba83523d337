package store

// ConversationAudience returns the accounts that may see the conversation: the
// recipients of its events.
func (r *Reader) ConversationAudience(conversationID string) ([]string, error) {
	return all(r, scanOne[string], `SELECT m.user_id FROM member m WHERE m.conversation_id = ?1 AND `+
		visibleConversation("m.conversation_id", "m.user_id"), conversationID)
}

// maxUserAudience bounds how many accounts are notified of a change of one.
const maxUserAudience = 5000

// UserAudience returns the accounts, other than the user's own, that share a
// conversation with the user: the recipients of a change of the user. It
// returns 5,000 of them at most.
func (r *Reader) UserAudience(userID string) ([]string, error) {
	return all(r, scanOne[string], `SELECT DISTINCT o.user_id FROM member m JOIN member o ON o.conversation_id = m.conversation_id
		WHERE m.user_id = ?1 AND o.user_id <> ?1 AND `+visibleConversation("m.conversation_id", "o.user_id")+` LIMIT ?2`, userID, maxUserAudience)
}
