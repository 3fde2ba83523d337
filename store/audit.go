package store

// AuditEntry is an act of an administrator or of a command on the server.
type AuditEntry struct {
	ID        int64 // grows with time
	At        Time
	ByCommand bool   // done by a command on the server
	ActorID   string // "" for a command, and once the account is deleted
	ActorName string
	Action    string // such as "user.suspend"
	TargetID  string
	Target    string // the name of the account it was done to; "" if it was not one, or is deleted
	Detail    string
}

// Audit records what by did, in the same write. The detail must not contain
// text that people wrote in private.
func (tx *Tx) Audit(by Viewer, action, targetID, detail string) error {
	_, err := tx.exec(`INSERT INTO audit (at, actor_id, by_command, action, target_id, detail) VALUES (?, nullif(?, ''), ?, ?, ?, ?)`,
		int64(tx.Now), by.UserID, by.Kind == Operator, action, targetID, detail)
	return err
}

// AuditEntries returns up to limit entries with ids below before (0: the
// newest), the newest first. Those who are not administrators get none.
func (r *Reader) AuditEntries(by Viewer, before int64, limit int) ([]AuditEntry, error) {
	return all(r, scanAuditEntry, `SELECT a.id, a.at, a.by_command, coalesce(a.actor_id, ''), coalesce(u.name, ''), a.action, a.target_id, coalesce(t.name, ''), a.detail
		FROM audit a LEFT JOIN user u ON `+namedUser("u", "a.actor_id")+` LEFT JOIN user t ON `+namedUser("t", "a.target_id")+`
		WHERE (?2 = 0 OR a.id < ?2) AND `+forAdmin("audit", "?1")+` ORDER BY a.id DESC LIMIT ?3 /* scan: from the newest on, up to the limit */`, by.adminID(), before, limit)
}

func scanAuditEntry(s scanner) (e AuditEntry, err error) {
	err = s.Scan(&e.ID, &e.At, &e.ByCommand, &e.ActorID, &e.ActorName, &e.Action, &e.TargetID, &e.Target, &e.Detail)
	return e, err
}
