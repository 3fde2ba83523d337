package store

import (
	"cmp"
	"crypto/sha256"

	"github.com/google/uuid"
)

// SecretaryAnswer is an answer that an account has approved for automatic
// replies.
type SecretaryAnswer struct {
	ID        string
	UserID    string
	Question  string
	Answer    string
	CreatedAt Time
	UpdatedAt Time
}

const secretaryAnswerColumns = `a.id, a.user_id, a.question, a.answer, a.created_at, a.updated_at`

// SecretaryEnabled reports whether by has enabled their secretary.
func (r *Reader) SecretaryEnabled(by Viewer) (bool, error) {
	return orZero(one[bool](r, `SELECT s.enabled FROM secretary s WHERE `+ownSecretary("s", "?1"), by.UserID))
}

// SecretaryAnswers returns the answers of by, the oldest first.
func (r *Reader) SecretaryAnswers(by Viewer) ([]SecretaryAnswer, error) {
	return all[SecretaryAnswer](r, `SELECT `+secretaryAnswerColumns+` FROM secretary_answer a
		WHERE `+ownSecretary("a", "?1")+` ORDER BY a.created_at, a.id`, by.UserID)
}

// SecretaryAnswer returns the answer of by with the id; ErrNoRow without one.
func (r *Reader) SecretaryAnswer(by Viewer, id string) (SecretaryAnswer, error) {
	return one[SecretaryAnswer](r, `SELECT `+secretaryAnswerColumns+` FROM secretary_answer a
		WHERE a.id = ?1 AND `+ownSecretary("a", "?2"), id, by.UserID)
}

// EnableSecretary enables or disables the secretary of an account.
func (tx *Tx) EnableSecretary(userID string, enabled bool) error {
	return tx.exec(`INSERT INTO secretary (user_id, enabled, updated_at) VALUES (?1, ?2, ?3)
		ON CONFLICT (user_id) DO UPDATE SET enabled = ?2, updated_at = ?3 WHERE enabled <> ?2`, userID, enabled, tx.Now)
}

// InsertSecretaryAnswer adds an answer and returns it with its times set, and ID if
// that is "".
func (tx *Tx) InsertSecretaryAnswer(a SecretaryAnswer) (SecretaryAnswer, error) {
	a.ID, a.CreatedAt, a.UpdatedAt = cmp.Or(a.ID, NewID()), tx.Now, tx.Now
	return a, tx.exec(`INSERT INTO secretary_answer (id, user_id, question, answer, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)`,
		a.ID, a.UserID, a.Question, a.Answer, a.CreatedAt, a.UpdatedAt)
}

// UpdateSecretaryAnswer writes the texts of an answer and returns it with
// UpdatedAt set.
func (tx *Tx) UpdateSecretaryAnswer(a SecretaryAnswer) (SecretaryAnswer, error) {
	a.UpdatedAt = tx.Now
	return a, tx.exec1(`UPDATE secretary_answer SET question = ?, answer = ?, updated_at = ? WHERE id = ?`, a.Question, a.Answer,
		a.UpdatedAt, a.ID)
}

// DeleteSecretaryAnswer deletes an answer of the account; ErrNoRow without one.
func (tx *Tx) DeleteSecretaryAnswer(userID, id string) error {
	return tx.exec1(`DELETE FROM secretary_answer WHERE id = ? AND user_id = ?`, id, userID)
}

// AnySecretary reports whether an account has enabled its secretary.
func (r *Reader) AnySecretary() (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM secretary WHERE enabled = 1
		/* scan: the index of those enabled, up to the first */) /* server: the secretary */`)
}

// SecretaryQuestion is a message that the secretary of an account may answer.
type SecretaryQuestion struct {
	Message
	OwnerID string // of the secretary
}

// secretaryQuestions selects from a source of ids the messages x that
// secretaries may answer: of a person, written by hand, in a direct conversation
// that no block hides, to another person who enabled their secretary before. A
// message of a bot, of an agent key or of a secretary is never one, so that
// automatic replies cannot answer each other.
func secretaryQuestions(source, id string) string {
	return `SELECT ` + messageColumns + `, s.user_id FROM ` + source + ` CROSS JOIN message x ON x.id = ` + id + `
		CROSS JOIN conversation c ON c.id = x.conversation_id AND c.type = 'direct'
		CROSS JOIN member m ON m.conversation_id = c.id AND m.user_id <> x.sender_id AND m.hidden = 0
		CROSS JOIN secretary s ON s.user_id = m.user_id AND s.enabled = 1 AND s.updated_at < x.created_at
		CROSS JOIN user o ON o.id = s.user_id AND o.suspended_at IS NULL
		CROSS JOIN user u ON u.id = x.sender_id AND u.is_bot = 0 AND u.is_system = 0 AND u.suspended_at IS NULL
		WHERE x.via_secretary = 0 AND x.agent_id IS NULL AND x.deleted_at IS NULL AND x.message_type = 'text' AND x.content <> ''
		/* server: the secretary */`
}

// SecretaryQuestions returns the messages that secretaries may answer among those
// that were sent in events with ids above after and up to upTo, the oldest first.
func (r *Reader) SecretaryQuestions(after, upTo int64) ([]SecretaryQuestion, error) {
	return all[SecretaryQuestion](r, secretaryQuestions(`event e`, `e.object_id`)+`
		AND e.id > ?1 AND e.id <= ?2 AND e.kind = 'message.created' ORDER BY e.id`, after, upTo)
}

// SecretaryQuestion returns the message with the id if a secretary may answer it
// now; ErrNoRow otherwise.
func (r *Reader) SecretaryQuestion(id string) (SecretaryQuestion, error) {
	return one[SecretaryQuestion](r, secretaryQuestions(`json_each(?1) j`, `j.value`), jsonList([]string{id}))
}

// ReplyID returns the id of the automatic reply to a message. It is the same
// each time, so that there is one at most. Like the ids of other messages it
// begins with a time, that of the message.
func ReplyID(messageID string, at Time) string {
	b := uuid.UUID(uuid.MustParse(NewTimeID(at)))
	sum := sha256.Sum256([]byte("secretary:" + messageID))
	copy(b[8:], sum[:8])
	b[8] = 0x80 | b[8]&0x3f
	return b.String()
}
