package store

// KeyUse is how often a key was used for one operation, and when last.
type KeyUse struct {
	KeyID     string
	Operation string // its summary
	Failed    bool   // the requests failed or were refused
	Uses      int
	LastAt    Time
}

const keyUseQuery = `SELECT a.key_id, a.operation, a.failed, a.uses, a.last_at FROM api_key k JOIN key_use a ON a.key_id = k.id WHERE `

// KeyUses returns what a key of by was used for, the latest first.
func (r *Reader) KeyUses(by Viewer, keyID string) ([]KeyUse, error) {
	return all[KeyUse](r, keyUseQuery+`k.id = ?1 AND `+ownKey("k", "?2")+` ORDER BY a.last_at DESC, a.operation`, keyID, by.UserID)
}

// LastKeyUses returns for each key of by of a kind what it was used for last.
func (r *Reader) LastKeyUses(by Viewer, kind string) ([]KeyUse, error) {
	return all[KeyUse](r, keyUseQuery+`k.kind = ?2 AND `+ownKey("k", "?1")+`
		AND a.last_at = (SELECT max(l.last_at) FROM key_use l WHERE l.key_id = k.id) ORDER BY a.operation`, by.UserID, kind)
}

// AddKeyUses adds uses of keys to the stored uses, in one statement. Uses of keys
// that no longer exist are left out.
func (tx *Tx) AddKeyUses(uses []KeyUse) error {
	if len(uses) == 0 {
		return nil
	}
	rows := make([][5]any, len(uses))
	for i, u := range uses {
		rows[i] = [5]any{u.KeyID, u.Operation, u.Failed, u.Uses, int64(u.LastAt)}
	}
	return tx.exec(`INSERT INTO key_use (key_id, operation, failed, uses, last_at)
		SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)
		WHERE EXISTS (SELECT 1 FROM api_key k WHERE k.id = value ->> 0) /* server: counting */
		ON CONFLICT (key_id, operation, failed) DO UPDATE
		SET uses = uses + excluded.uses, last_at = max(last_at, excluded.last_at)`, jsonList(rows))
}
