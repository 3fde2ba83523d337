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

// ListViewers returns those of the viewers, given by account id, that may see
// the list; "" is a viewer without an account. Without such a list it returns
// none.
func (r *Reader) ListViewers(listID string, viewerIDs []string) ([]string, error) {
	return all(r, scanOne[string], `SELECT j.value FROM list l CROSS JOIN json_each(?2) j
		WHERE l.id = ?1 AND `+visibleList("l", "j.value"), listID, jsonList(viewerIDs))
}

// ValidSessions returns those of the sessions, by id, that are neither over
// nor revoked and whose account is not suspended.
func (r *Reader) ValidSessions(ids []string) ([]string, error) {
	return all(r, scanOne[string], `SELECT s.id FROM json_each(?1) j JOIN session s ON s.id = j.value JOIN user u ON u.id = s.user_id
		WHERE s.expires_at > ?2 AND s.epoch = u.epoch AND u.suspended_at IS NULL /* server: authentication */`, jsonList(ids), int64(r.Now()))
}

// ValidKeys returns those of the keys, by id, that are neither revoked nor
// expired and whose account is not suspended, with their scopes.
func (r *Reader) ValidKeys(ids []string) ([]Key, error) {
	return all(r, scanKey, `SELECT `+keyColumns+` FROM json_each(?1) j JOIN api_key k ON k.id = j.value JOIN user u ON u.id = k.user_id
		WHERE k.revoked_at IS NULL AND coalesce(k.expires_at > ?2, 1) AND u.suspended_at IS NULL /* server: authentication */`, jsonList(ids), int64(r.Now()))
}
