package store

import "cmp"

// Key is an agent key (oc_) or a personal list key (cl_), without the key
// itself, which is not stored.
type Key struct {
	ID           string
	UserID       string
	Kind         string // agent, list
	Name         string
	Prefix       string // the first eleven characters
	Hash         string // SHA-256 of the whole key
	CanRead      bool
	CanWrite     bool
	AgentName    string // "" for none
	AgentVersion string // "" for none
	CreatedAt    Time
	LastUsedAt   Time
	ExpiresAt    Time // 0: never
	RevokedAt    Time // 0: not

	Bot Bot // the bot as which it acts; zero if it acts as its owner
}

// Bot is what a key shows of the bot as which it acts.
type Bot struct {
	ID        string
	Name      string
	AvatarURL string // "" for none
}

// KeyUser is a key with what of its account decides whether it is valid.
type KeyUser struct {
	Key
	UserName    string
	UserEmail   string
	OwnerID     string // of the bot that the account is, or ""
	SuspendedAt Time   // of the account, or of that owner
}

const keyColumns = `k.id, k.user_id, k.kind, k.name, k.prefix, k.hash, k.can_read, k.can_write, coalesce(k.agent_name, ''),
	coalesce(k.agent_version, ''), k.created_at, coalesce(k.last_used_at, 0), coalesce(k.expires_at, 0), coalesce(k.revoked_at, 0),
	iif(u.is_bot, u.id, ''), iif(u.is_bot, u.name, ''), iif(u.is_bot, u.avatar_url, '')`

// keyTables joins a key k with the account u as which it acts.
var keyTables = ` FROM api_key k JOIN user u ON ` + namedUser("u", "k.user_id")

const keyUserQuery = `SELECT ` + keyColumns + `, u.name, u.email, coalesce(u.bot_owner_id, ''), coalesce(u.suspended_at, o.suspended_at, 0)
	FROM api_key k JOIN user u ON u.id = k.user_id LEFT JOIN user o ON o.id = u.bot_owner_id WHERE /* server: authentication */ `

// KeyUserByHash returns the key with the hash and its account; ErrNoRow without
// one. The caller decides whether it is valid.
func (r *Reader) KeyUserByHash(hash string) (KeyUser, error) {
	return one[KeyUser](r, keyUserQuery+`k.hash = ?`, hash)
}

// KeyUser is KeyUserByHash for the id of a key.
func (r *Reader) KeyUser(id string) (KeyUser, error) {
	return one[KeyUser](r, keyUserQuery+`k.id = ?`, id)
}

// Key returns the key of by, or of one of their bots, of a kind with the id;
// ErrNoRow without one.
func (r *Reader) Key(by Viewer, kind, id string) (Key, error) {
	return one[Key](r, `SELECT `+keyColumns+keyTables+` WHERE k.id = ?1 AND `+ownKey("k", "?2")+` AND k.kind = ?3`, id, by.UserID, kind)
}

// Keys returns up to limit keys of by and their bots of a kind: those that are
// not revoked first, each the newest first.
func (r *Reader) Keys(by Viewer, kind string, limit int) ([]Key, error) {
	return all[Key](r, `SELECT `+keyColumns+keyTables+` WHERE `+ownKey("k", "?1")+` AND k.kind = ?2
		ORDER BY k.revoked_at IS NOT NULL, k.created_at DESC LIMIT ?3`, by.UserID, kind, limit)
}

// LiveKeys returns how many keys of a kind the account and its bots have that
// are neither revoked nor expired, for their limit.
func (r *Reader) LiveKeys(userID, kind string) (int, error) {
	return one[int](r, `SELECT count(*) FROM api_key k
		WHERE k.user_id IN (SELECT ?1 UNION ALL SELECT b.id FROM user b WHERE b.bot_owner_id = ?1) AND k.kind = ?2
		AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?3) /* server: the limit of keys */`, userID, kind, r.Now())
}

// InsertKey adds a key and returns it with CreatedAt set, and ID if that is "".
func (tx *Tx) InsertKey(k Key) (Key, error) {
	k.ID, k.CreatedAt = cmp.Or(k.ID, NewID()), tx.Now
	return k, tx.exec(`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, agent_name, agent_version,
		created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?, nullif(?, 0))`,
		k.ID, k.UserID, k.Kind, k.Name, k.Prefix, k.Hash, k.CanRead, k.CanWrite, k.AgentName, k.AgentVersion, k.CreatedAt, k.ExpiresAt)
}

// UpdateKey writes the names and scopes of a key.
func (tx *Tx) UpdateKey(k Key) error {
	tx.credentialsChanged(k.UserID)
	return tx.exec1(`UPDATE api_key SET name = ?, can_read = ?, can_write = ?, agent_name = nullif(?, ''),
		agent_version = nullif(?, '') WHERE id = ?`,
		k.Name, k.CanRead, k.CanWrite, k.AgentName, k.AgentVersion, k.ID)
}

// RevokeKey revokes a key of the account permanently.
func (tx *Tx) RevokeKey(userID, id string) error {
	tx.credentialsChanged(userID)
	return tx.exec(`UPDATE api_key SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL`, tx.Now, id, userID)
}

// RevokeKeys revokes every key of an account and of its bots.
func (tx *Tx) RevokeKeys(userID string) error {
	tx.credentialsChanged(userID)
	if err := tx.botCredentialsChanged(User{ID: userID}); err != nil {
		return err
	}
	return tx.exec(`UPDATE api_key SET revoked_at = ?1 WHERE user_id IN (SELECT ?2 UNION ALL SELECT b.id FROM user b WHERE b.bot_owner_id = ?2)
		AND revoked_at IS NULL /* server: every key */`, tx.Now, userID)
}

// TouchKeys writes when keys were last used, by id, in one statement.
func (tx *Tx) TouchKeys(used map[string]Time) error {
	return tx.touch(`UPDATE api_key SET last_used_at = t.at FROM (`+touched+`) t
		WHERE api_key.id = t.id AND coalesce(api_key.last_used_at, 0) < t.at`, used)
}

// TouchUsers writes when accounts were last seen, by id, in one statement. For
// those who hide their presence it stays when they began to.
func (tx *Tx) TouchUsers(seen map[string]Time) error {
	return tx.touch(`UPDATE user SET last_seen_at = t.at FROM (`+touched+`) t
		WHERE user.id = t.id AND coalesce(user.last_seen_at, 0) < t.at AND user.presence_status NOT IN ('invisible', 'offline')`, seen)
}

const touched = `SELECT value ->> 0 AS id, value ->> 1 AS at FROM json_each(?)`

func (tx *Tx) touch(query string, at map[string]Time) error {
	if len(at) == 0 {
		return nil
	}
	pairs := make([][2]any, 0, len(at))
	for id, t := range at {
		pairs = append(pairs, [2]any{id, int64(t)})
	}
	return tx.exec(query, jsonList(pairs))
}
