package store

// LoginLink is a sign-in link with its six-digit code. Both are stored as hashes. It is for
// an address; or, with a UserID, for an account that asked to prove the address, or
// that has none.
type LoginLink struct {
	TokenHash string
	Email     string // as it was typed; "" without one
	CodeHash  string
	Next      string // local path to go to after sign-in; may be ""
	Attempts  int    // wrong codes tried for the address while this link was valid
	CreatedAt Time
	ExpiresAt Time
	InviteID  string // of the invitation to the community that it was requested with; "" without one
	UserID    string
}

// MaxCodeAttempts is how many wrong codes may be tried for an address before its
// codes are refused; its links stay valid.
const MaxCodeAttempts = 5

const linkColumns = `l.token_hash, l.email, l.code_hash, l.next, l.attempts, l.created_at, l.expires_at, coalesce(l.invite_id, ''), coalesce(l.user_id, '')`

// LoginLink returns the link with the token's hash if it is neither used nor
// expired; ErrNoRow otherwise.
func (r *Reader) LoginLink(tokenHash string) (LoginLink, error) {
	return one[LoginLink](r, `SELECT `+linkColumns+` FROM login_link l
		WHERE l.token_hash = ? AND l.used_at IS NULL AND l.expires_at > ?`, tokenHash, r.Now())
}

// LiveLinks returns the links of an address that are neither used nor expired,
// the oldest first.
func (r *Reader) LiveLinks(email string) ([]LoginLink, error) {
	return all[LoginLink](r, `SELECT `+linkColumns+` FROM login_link l
		WHERE l.email_key = ? AND l.expires_at > ? AND l.used_at IS NULL ORDER BY l.created_at`, Fold(email), r.Now())
}

// NewestLink returns the last link that was made for an address if it is neither used nor
// expired; ErrNoRow otherwise, also if older ones are not.
func (r *Reader) NewestLink(email string) (LoginLink, error) {
	return one[LoginLink](r, `SELECT `+linkColumns+` FROM login_link l WHERE l.used_at IS NULL AND l.token_hash = (SELECT n.token_hash
		FROM login_link n WHERE n.email_key = ? AND n.expires_at > ? ORDER BY n.created_at DESC LIMIT 1)`, Fold(email), r.Now())
}

// InsertLink adds a link.
func (tx *Tx) InsertLink(l LoginLink) error {
	return tx.exec(`INSERT INTO login_link (token_hash, email, email_key, code_hash, next, attempts, created_at, expires_at, invite_id, user_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''))`,
		l.TokenHash, l.Email, Fold(l.Email), l.CodeHash, l.Next, l.Attempts, tx.Now, l.ExpiresAt, l.InviteID, l.UserID)
}

// UseLink marks a link as used. It returns ErrNoRow if the link is used or
// expired, so that of two uses at once one succeeds.
func (tx *Tx) UseLink(tokenHash string) error {
	return tx.exec1(`UPDATE login_link SET used_at = ?1 WHERE token_hash = ?2 AND used_at IS NULL AND expires_at > ?3`,
		tx.Now, tokenHash, tx.Reader.Now())
}

// CountWrongCode counts a wrong code for the links of an address.
func (tx *Tx) CountWrongCode(email string) error {
	return tx.exec(`UPDATE login_link SET attempts = attempts + 1
		WHERE email_key = ? AND expires_at > ? AND used_at IS NULL AND attempts < ?`, Fold(email), tx.Reader.Now(), MaxCodeAttempts)
}
