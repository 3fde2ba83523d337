package store

// User is an account's row. Email, PasswordHash and Epoch are private: they
// never leave in an answer to anybody but, for Email, the person themselves.
type User struct {
	ID             string
	Email          string
	VerifiedAt     Time
	Name           string
	AvatarURL      string
	IsBot          bool
	IsSystem       bool
	IsAdmin        bool
	SuspendedAt    Time
	DiscoveryMode  string // name, email_only, hidden
	PresenceStatus string // available, away, busy, invisible, offline
	StatusText     string
	StatusEmoji    string
	StatusAt       Time
	LastSeenAt     Time
	PasswordHash   string
	Epoch          int64
	SignupProvider string
	CreatedAt      Time
	UpdatedAt      Time
}

const userColumns = `u.id, u.email, coalesce(u.verified_at, 0), u.name, u.avatar_url, u.is_bot, u.is_system, u.is_admin,
	coalesce(u.suspended_at, 0), u.discovery_mode, u.presence_status, u.status_text, u.status_emoji, coalesce(u.status_at, 0),
	coalesce(u.last_seen_at, 0), u.password_hash, u.epoch, u.signup_provider, u.created_at, u.updated_at`

func scanUser(s scanner) (u User, err error) {
	err = s.Scan(&u.ID, &u.Email, &u.VerifiedAt, &u.Name, &u.AvatarURL, &u.IsBot, &u.IsSystem, &u.IsAdmin,
		&u.SuspendedAt, &u.DiscoveryMode, &u.PresenceStatus, &u.StatusText, &u.StatusEmoji, &u.StatusAt,
		&u.LastSeenAt, &u.PasswordHash, &u.Epoch, &u.SignupProvider, &u.CreatedAt, &u.UpdatedAt)
	return u, err
}

// User returns the account with the id, for the server's own use; ErrNoRow
// if there is none.
func (r *Reader) User(id string) (User, error) {
	return one(r, scanUser, `SELECT `+userColumns+` FROM user u WHERE u.id = ?`, id)
}

// UserByEmail returns the account with the address, compared without regard
// to case; ErrNoRow if there is none.
func (r *Reader) UserByEmail(email string) (User, error) {
	return one(r, scanUser, `SELECT `+userColumns+` FROM user u WHERE u.email_key = ?`, Fold(email))
}

// InsertUser adds an account. ID, Epoch, CreatedAt and UpdatedAt are filled
// in where they are zero; DiscoveryMode is "name" and PresenceStatus
// "available" by default. It returns ErrTaken if the address is in use.
func (tx *Tx) InsertUser(u User) (User, error) {
	if u.ID == "" {
		u.ID = NewID()
	}
	if u.DiscoveryMode == "" {
		u.DiscoveryMode = "name"
	}
	if u.PresenceStatus == "" {
		u.PresenceStatus = "available"
	}
	u.Epoch = max(u.Epoch, 1)
	u.CreatedAt, u.UpdatedAt = tx.Now, tx.Now
	_, err := tx.exec(`INSERT INTO user (id, email, email_key, verified_at, name, name_key, avatar_url, is_bot, is_system, is_admin,
			discovery_mode, presence_status, password_hash, epoch, signup_provider, created_at, updated_at)
		VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		u.ID, u.Email, Fold(u.Email), int64(u.VerifiedAt), u.Name, Fold(u.Name), u.AvatarURL, u.IsBot, u.IsSystem, u.IsAdmin,
		u.DiscoveryMode, u.PresenceStatus, u.PasswordHash, u.Epoch, u.SignupProvider, int64(u.CreatedAt), int64(u.UpdatedAt))
	return u, err
}
