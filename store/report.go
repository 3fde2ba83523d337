package store

import "cmp"

// UserReport is a report of a message, a Context post or an account to the administrators.
type UserReport struct {
	ID             string
	ReporterID     string
	TargetType     string // message, user, context
	TargetID       string
	UserID         string // who is reported: the account, or the message's sender, or the post's author
	ConversationID string // of a message or a post
	Reason         string
	Freeform       string
	Text           string // of the message, or the name, status and headline of the account, when it was reported
	Attachments    string // of the message; their files are kept
	CreatedAt      Time
}

// SelfReaders returns the accounts whose reports nobody but they themselves reads: the only administrator and
// the bots of that account.
func (r *Reader) SelfReaders() ([]string, error) {
	return all[string](r, `SELECT u.id FROM user a JOIN user u ON u.id = a.id OR u.bot_owner_id = a.id
		WHERE a.is_admin = 1 AND a.suspended_at IS NULL AND NOT EXISTS (SELECT 1 FROM user o WHERE o.is_admin = 1
			AND o.suspended_at IS NULL AND o.id <> a.id) /* scan: the index of admins alone */ /* server: what a report warns of */`)
}

// OpenReport returns the id of the report that by or its owner made of a target and that is
// not decided; ErrNoRow if there is none.
func (r *Reader) OpenReport(by Viewer, targetType, targetID string) (string, error) {
	return one[string](r, `SELECT r.id FROM report r WHERE r.target_id = ?2 AND r.target_type = ?3 AND r.decided_at IS NULL AND `+
		ownReport("r", "?1"), by.PersonID(), targetID, targetType)
}

// ReportText returns what a report keeps of an account: its name, status and the
// headline of its card, each on a line.
func (r *Reader) ReportText(userID string) (string, error) {
	return one[string](r, `SELECT concat_ws(char(10), u.name, nullif(trim(u.status_emoji || ' ' || u.status_text), ''),
		(SELECT nullif(c.headline, '') FROM card c WHERE c.user_id = u.id AND c.enabled = 1))
		FROM user u WHERE u.id = ? /* server: what administrators read */`, userID)
}

// InsertReport adds a report and returns it with CreatedAt set, and ID if that is
// "". It keeps the files of the message until the account that sent them is
// deleted, whatever becomes of the message.
func (tx *Tx) InsertReport(r UserReport) (UserReport, error) {
	r.ID, r.CreatedAt = cmp.Or(r.ID, NewID()), tx.Now
	err := tx.exec(`INSERT INTO report (id, reporter_id, target_type, target_id, user_id, conversation_id, reason, freeform, text, created_at)
		VALUES (?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?)`,
		r.ID, r.ReporterID, r.TargetType, r.TargetID, r.UserID, r.ConversationID, r.Reason, r.Freeform, r.Text, r.CreatedAt)
	if err == nil {
		err = tx.keepFiles(r)
	}
	return r, err
}
