package store

// Invite is a link by which people join a group, valid for a number of uses
// until it expires. Its token is not stored.
type Invite struct {
	ID             string // to list and revoke it by
	TokenHash      string
	ConversationID string
	CreatedBy      string
	UsesLeft       int64
	CreatedAt      Time
	ExpiresAt      Time
}

const inviteColumns = `i.id, i.token_hash, i.conversation_id, i.created_by, i.uses_left, i.created_at, i.expires_at`

// Invite returns the invite with the hash of a token, which is the right to see it,
// if the invite is valid. The account that made it must be an owner of the group,
// not suspended, and without a block between it and by. Neither by, its owner nor
// another bot of its owner may have been removed from the group; ErrNoRow
// otherwise.
func (r *Reader) Invite(by Viewer, tokenHash string) (Invite, error) {
	return one[Invite](r, `SELECT `+inviteColumns+` FROM invite i
		WHERE i.token_hash = ?1 AND i.uses_left > 0 AND i.expires_at > ?2 AND `+unblocked("i.created_by", ownerOf("i.created_by"), "?3")+`
		AND EXISTS (SELECT 1 FROM user u WHERE u.id = i.created_by AND `+notSuspended("u")+`)
		AND EXISTS (SELECT 1 FROM member m WHERE m.conversation_id = i.conversation_id AND m.user_id = i.created_by AND m.role = 'owner')
		AND `+notRemoved("i.conversation_id", "?3")+` /* server: the token is the right */`, tokenHash, r.Now(), by.UserID)
}

// GroupTitle returns the title of the group that an invite is for and the number
// of its members, which anyone with the invite may see.
func (r *Reader) GroupTitle(i Invite) (title string, members int, err error) {
	err = r.value([]any{&title, &members}, `SELECT c.title, (SELECT count(*) FROM member m WHERE m.conversation_id = c.id)
		FROM conversation c WHERE c.id = ? /* server: the invite is the right */`, i.ConversationID)
	return title, members, err
}

// InsertInvite adds an invite and deletes its conversation's invites that are
// expired or used up. It returns how many the conversation has then.
func (tx *Tx) InsertInvite(i Invite) (valid int, err error) {
	if err := tx.exec(`DELETE FROM invite WHERE conversation_id = ? AND (expires_at <= ? OR uses_left = 0)`, i.ConversationID,
		tx.Reader.Now()); err != nil {
		return 0, err
	}
	if err := tx.exec(`INSERT INTO invite (id, token_hash, conversation_id, created_by, uses_left, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		NewID(), i.TokenHash, i.ConversationID, i.CreatedBy, i.UsesLeft, tx.Now, i.ExpiresAt); err != nil {
		return 0, err
	}
	return one[int](&tx.Reader, `SELECT count(*) FROM invite WHERE conversation_id = ? /* server: the limit of invites */`, i.ConversationID)
}

// deleteInvites deletes the invites to a group that an account has made.
const deleteInvites = `DELETE FROM invite WHERE conversation_id = ? AND created_by = ?`

// UseInvite takes one use from an invite. It returns ErrNoRow if the invite is
// not valid.
func (tx *Tx) UseInvite(tokenHash string) error {
	return tx.exec1(`UPDATE invite SET uses_left = uses_left - 1 WHERE token_hash = ? AND uses_left > 0 AND expires_at > ?`, tokenHash,
		tx.Reader.Now())
}

// Invites returns the invites of a group that by may see and that can be used,
// the oldest first.
func (r *Reader) Invites(by Viewer, conversationID string) ([]Invite, error) {
	return all[Invite](r, `SELECT `+inviteColumns+` FROM invite i
		WHERE i.conversation_id = ?1 AND i.uses_left > 0 AND i.expires_at > ?2 AND `+visibleConversation("?1", "?3")+`
		ORDER BY i.created_at`, conversationID, r.Now(), by.UserID)
}

// DeleteInvite deletes an invite of a group. It returns ErrNoRow if there is none
// that can be used.
func (tx *Tx) DeleteInvite(conversationID, id string) error {
	return tx.exec1(`DELETE FROM invite WHERE id = ?1 AND conversation_id = ?2 AND uses_left > 0 AND expires_at > ?3`, id, conversationID,
		tx.Reader.Now())
}
