package store

import "cmp"

// User is an account's row. Email, PasswordHash and Epoch are private: no
// answer has them, but for Email in those to the account itself.
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
	GroupAdds      string // who may add it to groups: everybody, friends, nobody
	PresenceStatus string // available, away, busy, invisible, offline
	StatusText     string
	StatusEmoji    string
	StatusAt       Time
	LastSeenAt     Time // for those who hide their presence, when they began to
	Online         bool // the person has a stream, or made a request a short time ago
	PasswordHash   string
	Epoch          int64
	SignupProvider string
	CreatedAt      Time
	UpdatedAt      Time
	BotOwnerID     string // of a bot that belongs to an account; "" for all others
}

// HasAddress reports whether the account has an e-mail address, proven or not. Otherwise
// Email is a placeholder.
func (u User) HasAddress() bool { return u.Email != noAddress(u.ID) }

const userColumns = `u.id, u.email, u.verified_at, u.name, u.avatar_url, u.is_bot, u.is_system, u.is_admin,
	u.suspended_at, u.discovery_mode, u.group_adds, u.presence_status, u.status_text, u.status_emoji, u.status_at,
	u.last_seen_at, u.online, u.password_hash, u.epoch, u.signup_provider, u.created_at, u.updated_at, u.bot_owner_id`

// User returns the account with the id, for the server's own use and for the
// account itself; ErrNoRow if there is none.
func (r *Reader) User(id string) (User, error) {
	return one[User](r, `SELECT `+userColumns+` FROM user u WHERE u.id = ? /* server: its own use */`, id)
}

// UserByEmail returns the account with the address, compared without regard to
// case, for the server's own use; ErrNoRow if there is none.
func (r *Reader) UserByEmail(email string) (User, error) {
	return one[User](r, `SELECT `+userColumns+` FROM user u WHERE u.email_key = ? /* server: sign-in */`, Fold(email))
}

// InsertUser adds an account and returns it with CreatedAt and UpdatedAt set,
// and ID, Epoch and Email if they are zero. DiscoveryMode is "name", PresenceStatus
// "available" and GroupAdds "everybody" by default. It returns ErrTaken if the address is in use.
func (tx *Tx) InsertUser(u User) (User, error) {
	u.ID, u.DiscoveryMode, u.PresenceStatus = cmp.Or(u.ID, NewID()), cmp.Or(u.DiscoveryMode, "name"), cmp.Or(u.PresenceStatus, "available")
	u.Email, u.GroupAdds = cmp.Or(u.Email, noAddress(u.ID)), cmp.Or(u.GroupAdds, "everybody")
	u.Epoch = max(u.Epoch, 1)
	u.CreatedAt, u.UpdatedAt = tx.Now, tx.Now
	err := tx.exec(`INSERT INTO user (id, email, email_key, verified_at, name, name_key, avatar_url, is_bot, is_system, is_admin,
			discovery_mode, presence_status, password_hash, epoch, signup_provider, created_at, updated_at, bot_owner_id, group_adds)
		VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?)`,
		u.ID, u.Email, Fold(u.Email), u.VerifiedAt, u.Name, Fold(u.Name), u.AvatarURL, u.IsBot, u.IsSystem, u.IsAdmin,
		u.DiscoveryMode, u.PresenceStatus, u.PasswordHash, u.Epoch, u.SignupProvider, u.CreatedAt, u.UpdatedAt, u.BotOwnerID, u.GroupAdds)
	if err != nil {
		return u, err
	}
	return u, tx.setWords(u)
}

// UpdateUser writes everything of u that can change and sets UpdatedAt. The
// caller reads u in the same write, or changes in between are lost.
func (tx *Tx) UpdateUser(u User) (User, error) {
	u.UpdatedAt = tx.Now
	tx.credentialsChanged(u.ID)
	if err := tx.botCredentialsChanged(u); err != nil {
		return u, err
	}
	err := tx.exec1(`UPDATE user SET verified_at = nullif(?, 0), name = ?, name_key = ?, avatar_url = ?, is_admin = ?,
			suspended_at = nullif(?, 0), discovery_mode = ?, presence_status = ?, status_text = ?, status_emoji = ?,
			status_at = nullif(?, 0), last_seen_at = nullif(?, 0), password_hash = ?, epoch = ?, updated_at = ?, group_adds = ? WHERE id = ?`,
		u.VerifiedAt, u.Name, Fold(u.Name), u.AvatarURL, u.IsAdmin,
		u.SuspendedAt, u.DiscoveryMode, u.PresenceStatus, u.StatusText, u.StatusEmoji,
		u.StatusAt, u.LastSeenAt, u.PasswordHash, u.Epoch, u.UpdatedAt, u.GroupAdds, u.ID)
	if err != nil {
		return u, err
	}
	return u, tx.setWords(u)
}

// DropAddress takes its address from an account that has not proven it, and has none
// then: another mailbox that is the same but for case and compatible characters was
// proven.
func (tx *Tx) DropAddress(userID string) error {
	tx.credentialsChanged(userID)
	return tx.exec1(`UPDATE user SET email = ?2, email_key = ?2, password_hash = '', updated_at = ?3 WHERE id = ?1 AND verified_at IS NULL`,
		userID, noAddress(userID), tx.Now)
}

// SetAddress gives an account an address that it has proven, unless it has proven one
// before. It returns ErrTaken if the address is in use.
func (tx *Tx) SetAddress(userID, email string) error {
	tx.credentialsChanged(userID)
	return tx.exec1(`UPDATE user SET email = ?2, email_key = ?3, verified_at = ?4, updated_at = ?4 WHERE id = ?1 AND verified_at IS NULL`,
		userID, email, Fold(email), tx.Now)
}

// setWords writes the index by which u is found, with the keys of its name. It
// changes only the rows that differ.
func (tx *Tx) setWords(u User) error {
	keys := jsonList(nameKeys(u.Name))
	if err := tx.exec(`DELETE FROM user_word WHERE user_id = ?1 AND word NOT IN (SELECT value FROM json_each(?2))`, u.ID, keys); err != nil {
		return err
	}
	return tx.exec(`INSERT OR IGNORE INTO user_word (word, user_id) SELECT value, ?1 FROM json_each(?2)`, u.ID, keys)
}

// FindPeople returns up to limit accounts that by may find, ordered by name. Each
// word of q must begin a word of the name.
func (r *Reader) FindPeople(by Viewer, q string, limit int) ([]User, error) {
	first, others := searchedNames(q)
	return all[User](r, `SELECT `+userColumns+` FROM user u WHERE u.id IN (
			SELECT v.id FROM `+namedAccounts("?1")+` chosen CROSS JOIN user v ON v.id = chosen.user_id WHERE `+findableUser("v", "?2")+` LIMIT 1000)
		AND NOT EXISTS (SELECT 1 FROM json_each(?4) j WHERE NOT EXISTS (
			SELECT 1 FROM user_word w WHERE w.user_id = u.id AND w.word >= j.value AND w.word < j.value || char(0x10FFFF)))
		ORDER BY u.name_key, u.id LIMIT ?3`, first, by.UserID, limit, jsonList(others))
}

// Directory returns up to limit people that by may find, bots excepted, by their
// names: those after an account with a name in the form of NameKey and an id. Both
// are "" for the first.
func (r *Reader) Directory(by Viewer, afterName, afterID string, limit int) ([]User, error) {
	return all[User](r, `SELECT `+userColumns+` FROM user u INDEXED BY user_name WHERE (u.name_key, u.id) > (?1, ?2) AND u.is_bot = 0
		AND `+findableUser("u", "?3")+`
		ORDER BY u.name_key, u.id LIMIT ?4`, afterName, afterID, by.UserID, limit)
}

// NameKey returns a name as a directory is ordered by it.
func NameKey(name string) string { return Fold(name) }

// FindPersonByEmail returns the account with exactly this address if by may find
// it; ErrNoRow otherwise.
func (r *Reader) FindPersonByEmail(by Viewer, email string) (User, error) {
	return one[User](r, `SELECT `+userColumns+` FROM user u WHERE u.email_key = ?1 AND `+findableByAddress("u", "?2"), Fold(email),
		by.UserID)
}

// HasFound reports whether by may reach an account that is found by its address
// alone; it always is for other accounts.
func (r *Reader) HasFound(by Viewer, u User) (ok bool, err error) {
	if u.DiscoveryMode != "email_only" {
		return true, nil
	}
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM found_person f WHERE f.user_id = ? AND f.found_id = ?)
		/* server: what by did itself */`, by.UserID, u.ID)
}

// FoundByAddress stores that by found an account by its exact address, unless it
// cannot be found any more.
func (tx *Tx) FoundByAddress(by Viewer, userID string) error {
	return tx.exec(`INSERT OR IGNORE INTO found_person (user_id, found_id)
		SELECT ?2, u.id FROM user u WHERE u.id = ?1 AND `+findableByAddress("u", "?2"), userID, by.UserID)
}

// Users returns up to limit accounts with e-mail addresses after the given one,
// in their order, for those who run the server.
func (r *Reader) Users(after string, limit int) ([]User, error) {
	return all[User](r, `SELECT `+userColumns+
		` FROM user u WHERE u.email_key > ? ORDER BY u.email_key LIMIT ? /* server: for those who run it */`, Fold(after), limit)
}

// HasAdmin reports whether the server has an administrator.
func (r *Reader) HasAdmin() (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user WHERE is_admin = 1 /* scan: the index of admins alone, up to the first */)
		/* server: first start */`)
}

// AdminName returns the name of the administrator who has been here longest and does not hide, or "".
func (r *Reader) AdminName() (string, error) {
	return one[string](r, `SELECT coalesce((SELECT name FROM user WHERE is_admin = 1 AND suspended_at IS NULL AND discovery_mode <> 'hidden'
		ORDER BY created_at LIMIT 1 /* scan: the index of admins alone */), '') /* server: who can let people in */`)
}

// HasOtherAdmin reports whether an account other than that with the id is an
// administrator and not suspended.
func (r *Reader) HasOtherAdmin(userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user WHERE is_admin = 1 AND id <> ? AND suspended_at IS NULL
		/* scan: the index of admins alone */) /* server: the last administrator stays */`, userID)
}
