package store

// Invite is a link by which people join a group, good for a number of uses
// until it expires. Its token is known to those who have the link alone.
type Invite struct {
	TokenHash      string
	ConversationID string
	CreatedBy      string
	UsesLeft       int64
	CreatedAt      Time
	ExpiresAt      Time
}

const inviteColumns = `i.token_hash, i.conversation_id, i.created_by, i.uses_left, i.created_at, i.expires_at`

func scanInvite(s scanner) (i Invite, err error) {
	err = s.Scan(&i.TokenHash, &i.ConversationID, &i.CreatedBy, &i.UsesLeft, &i.CreatedAt, &i.ExpiresAt)
	return i, err
}

// Invite returns the invitation whose token has the hash, while it is good and
// who made it is not suspended; ErrNoRow otherwise.
func (r *Reader) Invite(tokenHash string) (Invite, error) {
	return one(r, scanInvite, `SELECT `+inviteColumns+` FROM invite i
		WHERE i.token_hash = ? AND i.uses_left > 0 AND i.expires_at > ?
		AND EXISTS (SELECT 1 FROM user u WHERE u.id = i.created_by AND u.suspended_at IS NULL)`, tokenHash, int64(r.Now()))
}

// GroupTitle returns the title of the group that an invitation is for and how
// many are in it: what whoever holds the invitation may know.
func (r *Reader) GroupTitle(i Invite) (title string, members int, err error) {
	err = r.value([]any{(*text)(&title), &members}, `SELECT c.title, (SELECT count(*) FROM member m WHERE m.conversation_id = c.id)
		FROM conversation c WHERE c.id = ?`, i.ConversationID)
	return title, members, err
}

// InsertInvite keeps an invitation and drops those of its conversation that
// are over. It returns how many good ones the conversation has now.
func (tx *Tx) InsertInvite(i Invite) (good int, err error) {
	if _, err := tx.exec(`DELETE FROM invite WHERE conversation_id = ? AND (expires_at <= ? OR uses_left = 0)`, i.ConversationID, int64(tx.Now)); err != nil {
		return 0, err
	}
	if _, err := tx.exec(`INSERT INTO invite (token_hash, conversation_id, created_by, uses_left, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
		i.TokenHash, i.ConversationID, i.CreatedBy, i.UsesLeft, int64(tx.Now), int64(i.ExpiresAt)); err != nil {
		return 0, err
	}
	err = tx.value([]any{&good}, `SELECT count(*) FROM invite WHERE conversation_id = ?`, i.ConversationID)
	return good, err
}

// UseInvite uses an invitation up by one; ErrNoRow if it is not good any more.
func (tx *Tx) UseInvite(tokenHash string) error {
	return tx.exec1(`UPDATE invite SET uses_left = uses_left - 1 WHERE token_hash = ? AND uses_left > 0 AND expires_at > ?`, tokenHash, int64(tx.Now))
}
