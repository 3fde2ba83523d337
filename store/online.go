package store

// OnlineUsers returns the ids of the people who are online.
func (r *Reader) OnlineUsers() ([]string, error) {
	return all[string](r, `SELECT id FROM user WHERE online = 1 /* server: who came and went */ /* scan: the index of those online */`)
}

// SetOnline marks people as online. It returns those who were not.
func (tx *Tx) SetOnline(userIDs []string) ([]string, error) {
	return all[string](&tx.Reader,
		`UPDATE user SET online = 1 WHERE online = 0 AND id IN (SELECT value FROM json_each(?)) RETURNING id`, jsonList(userIDs))
}

// SetSignedOut marks a person who has no session any more as not online, since now.
// It reports whether they were. It keeps the last_seen_at of those who hide their
// presence.
func (tx *Tx) SetSignedOut(userID string) (bool, error) {
	n, err := tx.execCount(`UPDATE user SET online = 0, last_seen_at = iif(presence_status IN ('invisible', 'offline'), last_seen_at, ?3)
		WHERE id = ?1 AND online = 1 AND NOT EXISTS (SELECT 1 FROM session s WHERE s.user_id = ?1 AND s.expires_at > ?2)
		/* server: who came and went */`, userID,
		tx.Reader.Now(), tx.Now)
	return n > 0, err
}

// SetOffline marks people as not online, with when each was last here, in one
// statement. For those who hide their presence that stays when they began to.
func (tx *Tx) SetOffline(last map[string]Time) error {
	return tx.touch(`UPDATE user SET online = 0, last_seen_at = CASE WHEN presence_status IN ('invisible', 'offline') THEN last_seen_at
			ELSE max(coalesce(last_seen_at, 0), t.at) END FROM (`+touched+`) t
		WHERE user.id = t.id`, last)
}
