package store

// OpenConversation is what accounts see of a group that is open to all of them,
// whether or not they are members.
type OpenConversation struct {
	ID          string
	Title       string
	AvatarURL   string
	MemberCount int
	Default     bool // everybody joins it with a new account
	Member      bool // the viewer is in it
}

// openConversationQuery selects open groups for the viewer ?1.
func openConversationQuery() string {
	return `SELECT c.id, coalesce(c.title, ''), c.avatar_url, c.member_count, c.is_default,
		EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = c.id AND ` + visibleMembership("m", "?1") + `)
		FROM conversation c WHERE ` + openConversation("c", "?1")
}

// OpenConversations returns up to limit open groups, the one that everybody joins
// first and then by their titles.
func (r *Reader) OpenConversations(by Viewer, limit int) ([]OpenConversation, error) {
	return all[OpenConversation](r, openConversationQuery()+
		` ORDER BY c.is_default DESC, c.title, c.id LIMIT ?2 /* scan: the index of open groups alone */`, by.UserID, limit)
}

// OpenConversation returns the open group with the id; ErrNoRow if there is none.
func (r *Reader) OpenConversation(by Viewer, id string) (OpenConversation, error) {
	return one[OpenConversation](r, openConversationQuery()+` AND c.id = ?2`, by.UserID, id)
}

// DefaultConversation returns the id of the group that everybody joins with a new
// account; ErrNoRow if there is none.
func (r *Reader) DefaultConversation() (string, error) {
	return one[string](r, `SELECT c.id FROM conversation c WHERE c.is_default = 1 AND c.member_count > 0 /* server: for new accounts */`)
}

// FormerMember reports whether an account left a conversation or was removed from it,
// and is not in it again.
func (r *Reader) FormerMember(conversationID, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM former_member f WHERE f.conversation_id = ? AND f.user_id = ?)
		/* server: for the account itself */`, conversationID, userID)
}

// SetOpen opens a group to all accounts, or closes it; a closed one is not joined
// with new accounts either.
func (tx *Tx) SetOpen(id string, open bool) error {
	return tx.exec1(`UPDATE conversation SET open = ?2, is_default = min(is_default, ?2), updated_at = ?3 WHERE id = ?1`, id, open, tx.Now)
}

// SetDefaultConversation has everybody join an open group with a new account; "" is
// none.
func (tx *Tx) SetDefaultConversation(id string) error {
	if err := tx.exec(`UPDATE conversation SET is_default = 0 WHERE is_default = 1`); err != nil || id == "" {
		return err
	}
	return tx.exec1(`UPDATE conversation SET is_default = 1 WHERE id = ?`, id)
}
