package store

import "cmp"

// Session is one sign-in: a browser's, or an issued user token, whose jti is
// its id.
type Session struct {
	ID        string
	UserID    string
	ParentID  string // the session that requested this token, which ends with it
	Kind      string // browser, token, embedded, bridge
	TokenHash string // browser: the hash of the cookie's token
	Epoch     int64
	UserAgent string
	CreatedAt Time
	ExpiresAt Time
}

// SessionUser is a session with what of its account decides whether it is valid.
type SessionUser struct {
	Session
	UserName    string
	UserEmail   string
	UserEpoch   int64
	SuspendedAt Time
	IsAdmin     bool
}

const sessionColumns = `s.id, s.user_id, coalesce(s.parent_id, ''), s.kind, coalesce(s.token_hash, ''), s.epoch, s.user_agent,
	s.created_at, s.expires_at`

const sessionUserQuery = `SELECT ` + sessionColumns + `, u.name, u.email, u.epoch, coalesce(u.suspended_at, 0), u.is_admin
	FROM session s JOIN user u ON u.id = s.user_id WHERE /* server: authentication */ `

// SessionUser returns the session with the id and its account; ErrNoRow without
// one. The caller decides whether it is valid.
func (r *Reader) SessionUser(id string) (SessionUser, error) {
	return one[SessionUser](r, sessionUserQuery+`s.id = ?`, id)
}

// SessionUserByHash is SessionUser for the hash of a browser's token.
func (r *Reader) SessionUserByHash(hash string) (SessionUser, error) {
	return one[SessionUser](r, sessionUserQuery+`s.token_hash = ?`, hash)
}

// Sessions returns the sessions of by that are not expired, the newest first,
// without embedded tokens, which expire within minutes.
func (r *Reader) Sessions(by Viewer) ([]Session, error) {
	return all[Session](r, `SELECT `+sessionColumns+` FROM session s
		WHERE `+ownSession("s", "?1")+` AND s.kind <> 'embedded' AND s.expires_at > ?2 ORDER BY s.created_at DESC`, by.UserID, r.Now())
}

// SessionFamily returns the ids of the account's session with the id and of the
// tokens that end with it; none if the account has no such session.
func (r *Reader) SessionFamily(userID, id string) ([]string, error) {
	return all[string](r, `WITH RECURSIVE f (id) AS (
			SELECT s.id FROM session s WHERE s.id = ?2 AND `+ownSession("s", "?1")+`
			UNION SELECT c.id FROM f JOIN session c ON c.parent_id = f.id)
		SELECT id FROM f /* scan: the few rows just found */`, userID, id)
}

// OldSessions returns the ids of the account's sessions beyond the newest keep.
func (r *Reader) OldSessions(userID string, keep int) ([]string, error) {
	return all[string](r, `SELECT s.id FROM session s WHERE s.user_id = ?
		ORDER BY s.created_at DESC LIMIT -1 OFFSET ? /* server: pruning */`, userID, keep)
}

// InsertSession adds a session and returns it with CreatedAt set, and ID if that
// is "".
func (tx *Tx) InsertSession(s Session) (Session, error) {
	s.ID, s.CreatedAt = cmp.Or(s.ID, NewID()), tx.In(0) // its life is reckoned from it
	return s, tx.exec(`INSERT INTO session (id, user_id, parent_id, kind, token_hash, epoch, user_agent, created_at, expires_at)
		VALUES (?, ?, nullif(?, ''), ?, nullif(?, ''), ?, ?, ?, ?)`,
		s.ID, s.UserID, s.ParentID, s.Kind, s.TokenHash, s.Epoch, s.UserAgent, s.CreatedAt, s.ExpiresAt)
}

// credentialsChanged records that sessions, keys or the row of the account
// change in this write. Every write that changes one of them must call it.
func (tx *Tx) credentialsChanged(userID string) { tx.changed = append(tx.changed, userID) }

// ExtendSession moves the end of a session of the account.
func (tx *Tx) ExtendSession(userID, id string, expiresAt Time) error {
	tx.credentialsChanged(userID)
	return tx.exec(`UPDATE session SET expires_at = ? WHERE id = ? AND user_id = ?`, expiresAt, id, userID)
}

// DeleteSession ends a session of the account and the tokens created with it.
// One that does not exist is no error.
func (tx *Tx) DeleteSession(userID, id string) error {
	tx.credentialsChanged(userID)
	return tx.exec(`DELETE FROM session WHERE id = ? AND user_id = ?`, id, userID)
}

// DeleteSessions ends every session of an account.
func (tx *Tx) DeleteSessions(userID string) error {
	tx.credentialsChanged(userID)
	return tx.exec(`DELETE FROM session WHERE user_id = ?`, userID)
}
