package store

import "cmp"

// Feedback is what an account wrote to the administrators.
type Feedback struct {
	ID        string
	From      Named
	Message   string
	Context   string // a JSON object; "" without
	CreatedAt Time
	DoneAt    Time
}

const feedbackQuery = `SELECT f.id, u.id, u.name, u.avatar_url, f.text, f.context, f.created_at, f.done_at FROM feedback f `

// InsertFeedback adds feedback of the account f.From.ID and returns it with
// CreatedAt set, and ID if that is "".
func (tx *Tx) InsertFeedback(f Feedback) (Feedback, error) {
	f.ID, f.CreatedAt = cmp.Or(f.ID, NewID()), tx.Now
	return f, tx.exec(`INSERT INTO feedback (id, user_id, text, context, created_at) VALUES (?, ?, ?, nullif(?, ''), ?)`,
		f.ID, f.From.ID, f.Message, f.Context, tx.Now)
}

// Feedback returns feedback by its id; ErrNoRow without it, and for those who
// are not administrators.
func (r *Reader) Feedback(by Viewer, id string) (Feedback, error) {
	return one[Feedback](r, feedbackQuery+`LEFT JOIN user u ON `+namedUser("u", "f.user_id")+` WHERE f.id = ?2 AND `+
		forAdmin("feedback", "?1"), by.adminID(), id)
}

// FeedbackOf returns up to limit pieces of feedback that are done, or that are not, from
// before a moment (0: the newest), the newest first. Those who are not administrators get
// none.
func (r *Reader) FeedbackOf(by Viewer, done bool, before Time, limit int) ([]Feedback, error) {
	index, state := `feedback_open`, `f.done_at IS NULL`
	if done {
		index, state = `feedback_created`, `f.done_at IS NOT NULL`
	}
	return all[Feedback](r, feedbackQuery+`INDEXED BY `+index+` LEFT JOIN user u ON `+namedUser("u", "f.user_id")+`
		WHERE f.created_at < ?2 AND `+state+` AND `+forAdmin("feedback", "?1")+` ORDER BY f.created_at DESC LIMIT ?3`,
		by.adminID(), orEnd(before), limit)
}

// FinishFeedback marks feedback as done. It returns ErrNoRow if it is.
func (tx *Tx) FinishFeedback(id string) error {
	return tx.exec1(`UPDATE feedback SET done_at = ?2 WHERE id = ?1 AND done_at IS NULL`, id, tx.Now)
}
