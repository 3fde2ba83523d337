package store

// AuditEntry is an act of an administrator or of a command on the server.
type AuditEntry struct {
	At        Time   // unique
	ByCommand bool   // done by a command on the server
	Actor     Named  // empty for a command, and once the account is deleted
	Action    string // such as "user.suspend"
	TargetID  string
	Target    string // the name of the account it was done to; "" if it was not one, or is deleted
	Detail    string
}

// Audit records what by did, in the same write. The detail must not contain
// text that people wrote in private.
func (tx *Tx) Audit(by Viewer, action, targetID, detail string) error {
	return tx.exec(`INSERT INTO audit (at, actor_id, by_command, action, target_id, detail) VALUES (?, nullif(?, ''), ?, ?, ?, ?)`,
		tx.Tick(), by.UserID, by.Kind == Operator, action, targetID, detail)
}

// AuditEntries returns up to limit entries from before a moment (0: the newest),
// the newest first. Those who are not administrators get none.
func (r *Reader) AuditEntries(by Viewer, before Time, limit int) ([]AuditEntry, error) {
	return all[AuditEntry](r, `SELECT a.at, a.by_command, a.actor_id, u.name, u.avatar_url, a.action, a.target_id, t.name, a.detail
		FROM audit a LEFT JOIN user u ON `+namedUser("u", "a.actor_id")+` LEFT JOIN user t ON `+namedUser("t", "a.target_id")+`
		WHERE a.at < ?2 AND `+forAdmin("audit", "?1")+` ORDER BY a.at DESC LIMIT ?3`, by.adminID(), orEnd(before), limit)
}
