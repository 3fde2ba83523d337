package store

// ReportCase is a report as administrators see it, with the names of those
// concerned. An id is "" and a name empty once the account is deleted.
type ReportCase struct {
	ID             string
	TargetType     string // message, user, context
	TargetID       string
	ConversationID string // of a message or a post
	Reason         string
	Freeform       string
	Text           string // as it was when it was reported
	CreatedAt      Time
	Reporter       Named
	Reported       Named // the account, or the sender of the message
	SuspendedAt    Time  // of the reported account
	DecidedAt      Time
	DecidedBy      Named
	Decision       string // "", dismissed, resolved
	Note           string
}

// Named is an account's id and name. Reports have its picture as well.
type Named struct{ ID, Name, AvatarURL string }

const reportCaseQuery = `SELECT p.id, p.target_type, p.target_id, p.conversation_id, p.reason, p.freeform, p.text, p.created_at,
	a.id, a.name, a.avatar_url, b.id, b.name, b.avatar_url, b.suspended_at, p.decided_at, c.id, c.name, c.avatar_url,
	p.decision, p.note FROM report p `

// reportCaseNames joins the accounts of a report.
func reportCaseNames() string {
	return `LEFT JOIN user a ON ` + namedUser("a", "p.reporter_id") + ` LEFT JOIN user b ON ` + namedUser("b", "p.user_id") +
		` LEFT JOIN user c ON ` + namedUser("c", "p.decided_by")
}

// ReportCase returns a report; ErrNoRow without one, and for those who are not
// administrators.
func (r *Reader) ReportCase(by Viewer, id string) (ReportCase, error) {
	return one[ReportCase](r, reportCaseQuery+reportCaseNames()+` WHERE p.id = ?2 AND `+visibleReport("p", "?1"), by.adminID(), id)
}

// Reports returns up to limit reports with a decision, or without one, from before a
// moment (0: the newest), the newest first. Those who are not administrators get none.
func (r *Reader) Reports(by Viewer, decided bool, before Time, limit int) ([]ReportCase, error) {
	index, state := `report_open`, `p.decided_at IS NULL`
	if decided {
		index, state = `report_created`, `p.decided_at IS NOT NULL`
	}
	return all[ReportCase](r, reportCaseQuery+`INDEXED BY `+index+` `+reportCaseNames()+`
		WHERE p.created_at < ?2 AND `+state+` AND `+visibleReport("p", "?1")+`
		ORDER BY p.created_at DESC LIMIT ?3`, by.adminID(), orEnd(before), limit)
}

// ReportedMessage returns the message of a report, deleted or not; ErrNoRow if
// it is gone or the report is about an account, and for those who are not
// administrators.
func (r *Reader) ReportedMessage(by Viewer, reportID string) (Message, error) {
	return one[Message](r, `SELECT `+messageColumns+` FROM report p JOIN message x ON x.id = p.target_id
		WHERE p.id = ?2 AND `+visibleReport("p", "?1")+` AND `+reportedMessage("x", "p", "?1"), by.adminID(), reportID)
}

// DecideReport records a decision. It returns ErrNoRow if the report has one.
func (tx *Tx) DecideReport(by Viewer, id, decision, note string) error {
	return tx.exec1(`UPDATE report SET decided_at = ?2, decided_by = nullif(?3, ''), decision = ?4, note = ?5
		WHERE id = ?1 AND decided_at IS NULL`, id, tx.Now, by.UserID, decision, note)
}
