package store

// CommunityInvite is a link by which people who have no account get one, valid for
// a number of accounts until it expires. Its token is not stored.
type CommunityInvite struct {
	ID        string
	TokenHash string
	CreatedBy string
	UsesLeft  int64
	CreatedAt Time
	ExpiresAt Time
}

const communityInviteColumns = `i.id, i.token_hash, i.created_by, i.uses_left, i.created_at, i.expires_at`

// mayInvite is the condition that the account which made an invitation may still
// make one.
const mayInvite = `EXISTS (SELECT 1 FROM user u WHERE u.id = i.created_by AND u.suspended_at IS NULL
	AND (u.is_admin = 1 OR EXISTS (SELECT 1 FROM setting s WHERE s.name = '` + SettingMemberInvites + `')))`

// CommunityInvite returns the invitation with the hash of a token, which is the
// right to see it. It must be usable, and the account that made it must still be
// allowed to invite; ErrNoRow otherwise.
func (r *Reader) CommunityInvite(tokenHash string) (CommunityInvite, error) {
	return one[CommunityInvite](r, `SELECT `+communityInviteColumns+` FROM community_invite i
		WHERE i.token_hash = ?1 AND i.uses_left > 0 AND i.expires_at > ?2 AND `+mayInvite+` /* server: the token is the right */`,
		tokenHash, r.Now())
}

// InsertCommunityInvite adds an invitation, and deletes the account's invitations that
// are expired or used up, unless sign-in links that were requested with them are valid.
// It returns how many usable invitations the account then has.
func (tx *Tx) InsertCommunityInvite(i CommunityInvite) (valid int, err error) {
	if err := tx.exec(`DELETE FROM community_invite AS i WHERE i.created_by = ?1 AND (i.expires_at <= ?2 OR i.uses_left = 0)
		AND NOT EXISTS (SELECT 1 FROM login_link l WHERE l.invite_id = i.id AND l.expires_at > ?2)`, i.CreatedBy, tx.Reader.Now()); err != nil {
		return 0, err
	}
	if err := tx.exec(`INSERT INTO community_invite (id, token_hash, created_by, uses_left, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
		i.ID, i.TokenHash, i.CreatedBy, i.UsesLeft, tx.Now, i.ExpiresAt); err != nil {
		return 0, err
	}
	return one[int](&tx.Reader, `SELECT count(*) FROM community_invite WHERE created_by = ? AND expires_at > ? AND uses_left > 0
		/* server: the limit of invitations */`, i.CreatedBy, tx.Reader.Now())
}

// UseCommunityInvite takes one use from an invitation, by its id. It returns ErrNoRow
// if none is left, or the account that made it may no longer invite. When the
// invitation expires does not count: it was valid when its sign-in mail was
// requested.
func (tx *Tx) UseCommunityInvite(id string) error {
	return tx.exec1(`UPDATE community_invite AS i SET uses_left = uses_left - 1 WHERE i.id = ? AND i.uses_left > 0 AND `+mayInvite+
		` /* server: the link is the right */`, id)
}

// CommunityInvites returns the invitations that by may manage and that can be used,
// the oldest first.
func (r *Reader) CommunityInvites(by Viewer) ([]CommunityInvite, error) {
	return all[CommunityInvite](r, `SELECT `+communityInviteColumns+` FROM community_invite i
		WHERE i.uses_left > 0 AND i.expires_at > ?1 AND `+managedInvite("i", "?2")+`
		ORDER BY i.created_at, i.id LIMIT 500`, r.Now(), by.UserID)
}

// DeleteCommunityInvite deletes an invitation that by may manage, and the sign-in
// links that were requested with it, and returns who made it. It returns ErrNoRow
// if there is none.
func (tx *Tx) DeleteCommunityInvite(by Viewer, id string) (string, error) {
	return one[string](&tx.Reader, `DELETE FROM community_invite AS i WHERE i.id = ?1 AND `+managedInvite("i", "?2")+
		` RETURNING created_by`, id, by.UserID)
}
