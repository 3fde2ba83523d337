package store

// Grant is a preview that waits for an approval, bound to exactly what it shows.
type Grant struct {
	Hash      []byte // of the secret that the caller was given
	UserID    string
	KeyID     string // of the key that asked; "" for a person
	AgentName string
	Action    string // activate_intent_draft, publish_story, respond_to_story
	ObjectID  string // the draft or the Story; "" for a new Story
	Payload   string // canonical JSON
	CreatedAt Time
	ExpiresAt Time
}

const grantColumns = `g.hash, g.user_id, g.key_id, g.agent_name, g.action, g.object_id, g.payload, g.created_at, g.expires_at`

// Grant returns a grant of by's account that has not expired; ErrNoRow otherwise.
func (r *Reader) Grant(by Viewer, hash []byte) (Grant, error) {
	return one[Grant](r, `SELECT `+grantColumns+` FROM approval_grant g WHERE g.hash = ?2 AND g.expires_at > ?3 AND `+ownGrant("g", "?1"),
		by.UserID, hash, r.Now())
}

// KeyGrant is a grant that a key asked for.
type KeyGrant struct {
	Grant
	KeyName   string
	KeyPrefix string
}

// agentGrants is a query for the grants of the account ?1 that valid keys asked for and
// that have not expired at the moment ?2. It leaves out grants for an answer to a Story
// that the account does not see at that moment.
func agentGrants(columns string) string {
	return `SELECT ` + columns + ` FROM approval_grant g JOIN api_key k ON k.id = g.key_id AND k.revoked_at IS NULL
		AND (k.expires_at IS NULL OR k.expires_at > ?2)
		WHERE g.expires_at > ?2 AND ` + ownGrant("g", "?1") + ` AND ` + ownKey("k", "?1") + `
		AND (g.action <> 'respond_to_story' OR EXISTS (SELECT 1 FROM story s WHERE s.id = g.object_id AND ` + visibleStory("s", "?1", "?2") + `))`
}

// AgentGrants returns up to limit grants that keys of by's account asked for, the oldest
// first, and whether there are more. Their payloads have up to size bytes in all. It
// leaves out expired grants, and grants of keys that are no longer valid.
func (r *Reader) AgentGrants(by Viewer, limit, size int) (out []KeyGrant, more bool, err error) {
	out, more, err = within[KeyGrant](r, size, agentGrants(grantColumns+`, k.name, k.prefix`)+` ORDER BY g.created_at LIMIT ?3`, by.UserID,
		r.Now(), limit+1)
	if len(out) > limit {
		return out[:limit], true, err
	}
	return out, more, err
}

// Size returns how many bytes of text it has.
func (g KeyGrant) Size() int { return len(g.Payload) }

// AgentGrant returns one of AgentGrants; ErrNoRow otherwise.
func (r *Reader) AgentGrant(by Viewer, hash []byte) (KeyGrant, error) {
	return one[KeyGrant](r, agentGrants(grantColumns+`, k.name, k.prefix`)+` AND g.hash = ?3`, by.UserID, r.Now(), hash)
}

// grantEnd is when one of agentGrants expires, or its key, or the Story that it is to answer.
func grantEnd() string {
	return `min(g.expires_at, coalesce(k.expires_at, g.expires_at), coalesce((SELECT s.story_expires_at FROM story s
		WHERE s.id = g.object_id AND ` + visibleStory("s", "?1", "?2") + `), g.expires_at))`
}

// InsertGrant adds g. Of the grants of its account that were given without a key, or
// that its key asked for, it deletes all but the newest keep: what one key asks for
// leaves what others have, and what their owner is about to do.
func (tx *Tx) InsertGrant(g *Grant, keep int) error {
	g.CreatedAt = tx.Now
	if err := tx.exec(`INSERT INTO approval_grant (hash, user_id, key_id, agent_name, action, object_id, payload, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		g.Hash, g.UserID, g.KeyID, g.AgentName, g.Action, g.ObjectID, g.Payload, tx.Now, g.ExpiresAt); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM approval_grant WHERE hash IN (SELECT hash FROM approval_grant WHERE user_id = ?1 AND key_id = ?2
		ORDER BY created_at DESC LIMIT -1 OFFSET ?3) /* server: pruning */`, g.UserID, g.KeyID, keep)
}

// DeleteGrant deletes a grant: it is used, or refused. It returns ErrNoRow if
// there is none.
func (tx *Tx) DeleteGrant(hash []byte) error {
	return tx.exec1(`DELETE FROM approval_grant WHERE hash = ?`, hash)
}

// DeleteGrantsFor deletes the grants of an account for an object, a draft.
func (tx *Tx) DeleteGrantsFor(userID, objectID string) error {
	return tx.exec(`DELETE FROM approval_grant WHERE user_id = ? AND object_id = ?`, userID, objectID)
}

// DeleteKeyGrants deletes the grants that a key of an account has asked for, and
// returns how many.
func (tx *Tx) DeleteKeyGrants(userID, keyID string) (int64, error) {
	return tx.execCount(`DELETE FROM approval_grant WHERE user_id = ? AND key_id = ?`, userID, keyID)
}

// StoryInboxes returns the accounts whose inbox has a Story: it is new for them, or a key of theirs asks to answer it.
func (tx *Tx) StoryInboxes(storyID string) ([]string, error) {
	return all[string](&tx.Reader, `SELECT g.user_id FROM approval_grant g INDEXED BY approval_grant_expiry
		WHERE g.expires_at > ?1 AND g.object_id = ?2 AND g.key_id <> ''
		UNION SELECT n.user_id FROM story_new n WHERE n.story_id = ?2 ORDER BY 1 /* server: events of the inbox */`,
		tx.Reader.Now(), storyID)
}

// PruneGrants deletes up to limit grants that have expired, or whose key has expired,
// and returns them with their account and key.
func (tx *Tx) PruneGrants(limit int) ([]Grant, error) {
	return all[Grant](&tx.Reader, `DELETE FROM approval_grant WHERE hash IN (SELECT g.hash FROM approval_grant g WHERE g.expires_at <= ?1
			UNION ALL SELECT g.hash FROM approval_grant g JOIN api_key k ON k.id = g.key_id WHERE g.expires_at > ?1 AND k.expires_at <= ?1 LIMIT ?2)
		RETURNING hash, user_id, key_id, agent_name, action, object_id, payload, created_at, expires_at /* server: pruning */`,
		tx.Reader.Now(), limit)
}
