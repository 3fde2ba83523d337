package store

// ConversationAudience returns the accounts that may see the conversation: the
// recipients of its events.
func (r *Reader) ConversationAudience(conversationID string) ([]string, error) {
	return all[string](r, `SELECT m.user_id FROM member m WHERE m.conversation_id = ?1 AND `+
		visibleConversation("m.conversation_id", "m.user_id"), conversationID)
}

// ShownTo returns the accounts that see what an account does in a conversation
// while it does so, such as typing: the other members without a block between
// them and it.
func (r *Reader) ShownTo(conversationID, userID string) ([]string, error) {
	return all[string](r, `SELECT m.user_id FROM member m WHERE m.conversation_id = ?1 AND m.user_id <> ?2 AND `+
		visibleConversation("m.conversation_id", "m.user_id")+` AND `+unblocked("m.user_id", ownerOf("m.user_id"), "?2"), conversationID, userID)
}

// maxUserAudience bounds how many accounts are notified of a change of one.
const maxUserAudience = 5000

// UserAudience returns the accounts, other than the user's own, that share a
// conversation with the user and have no block with it: the recipients of a
// change of the user. It returns 5,000 of them at most.
func (r *Reader) UserAudience(userID string) ([]string, error) {
	return all[string](r, `SELECT u.user_id
		FROM (SELECT DISTINCT o.user_id FROM member m JOIN member o ON o.conversation_id = m.conversation_id
			WHERE m.user_id = ?1 AND o.user_id <> ?1 AND `+visibleMembership("o", "o.user_id")+`) u /* scan: the other members */
		WHERE `+unblocked("u.user_id", ownerOf("u.user_id"), "?1")+` LIMIT ?2`, userID, maxUserAudience)
}
