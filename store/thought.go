package store

import (
	"cmp"
	"strings"
)

// Thought is what an account wrote down, or captured from a message.
type Thought struct {
	ID                   string
	UserID               string
	Text                 string
	Kind                 string   // fact, decision, commitment, reminder, observation
	Status               string   // none, open, closed
	Tags                 []string // folded, without the number sign
	SourceMessageID      string   // "" if by did not capture it from a message that they can see now
	SourceConversationID string   // "" likewise
	FromMessage          bool     // it was captured from a message
	Captured             bool     // by a #tag in the message, so that it is shared with its conversation
	CreatedAt            Time     // unique in the file
	UpdatedAt            Time
}

// thoughtColumns are the columns of a thought t. The viewer ?1 learns what it was
// captured from while they see the conversation, and until the message is deleted.
var thoughtColumns = `t.id, t.user_id, t.text, t.kind, t.status, t.tags,
	(SELECT x.id FROM message x WHERE x.id = t.source_message_id AND ` + liveMessage("x") + `
	AND ` + visibleConversation("x.conversation_id", "?1") + `),
	CASE WHEN ` + visibleConversation("t.source_conversation_id", "?1") + ` THEN t.source_conversation_id END,
	t.source_message_id IS NOT NULL, t.captured, t.created_at, t.updated_at`

// ThoughtFilter selects thoughts; an empty member selects all.
type ThoughtFilter struct {
	Tag, Kind, Status string
	Before            Time // created before it; 0: the newest
}

// hasTag is the condition that a thought t has the tag, if it is not empty.
func hasTag(tag string) string {
	return `(` + tag + ` = '' OR EXISTS (SELECT 1 FROM json_each(t.tags) j WHERE j.value = ` + tag + `))`
}

// Thoughts returns up to limit thoughts of by's account that by may see, the
// newest first.
func (r *Reader) Thoughts(by Viewer, f ThoughtFilter, limit int) ([]Thought, error) {
	return all[Thought](r, `SELECT `+thoughtColumns+` FROM thought t
		WHERE t.user_id = ?1 AND t.created_at < ?2 AND `+visibleThought("t", "?1", "?3")+`
			AND `+hasTag("?4")+` AND (?5 = '' OR t.kind = ?5) AND (?6 = '' OR t.status = ?6)
		ORDER BY t.created_at DESC LIMIT ?7`, by.UserID, orEnd(f.Before), by.Direct(), f.Tag, f.Kind, f.Status, limit)
}

// Thought returns a thought that by may see, of any account; ErrNoRow otherwise.
func (r *Reader) Thought(by Viewer, id string) (Thought, error) {
	return one[Thought](r, `SELECT `+thoughtColumns+` FROM thought t WHERE t.id = ?2 AND `+visibleThought("t", "?1", "?3"), by.UserID, id,
		by.Direct())
}

// InsertThought adds t. It sets CreatedAt and UpdatedAt, and ID if that is "".
func (tx *Tx) InsertThought(t *Thought) error {
	t.ID, t.CreatedAt, t.UpdatedAt = cmp.Or(t.ID, NewTimeID(tx.Now)), tx.Now, tx.Now
	return tx.exec(`INSERT INTO thought (id, user_id, text, kind, status, tags, source_message_id, source_conversation_id,
		created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, ''), nullif(?8, ''), ?9, ?9)`,
		t.ID, t.UserID, t.Text, t.Kind, t.Status, jsonList(t.Tags), t.SourceMessageID, t.SourceConversationID, tx.Now)
}

// UpdateThought writes what can change of t: its text, kind, status and tags.
func (tx *Tx) UpdateThought(t *Thought) error {
	t.UpdatedAt = tx.Now
	return tx.exec1(`UPDATE thought SET text = ?2, kind = ?3, status = ?4, tags = ?5, updated_at = ?6 WHERE id = ?1`,
		t.ID, t.Text, t.Kind, t.Status, jsonList(t.Tags), tx.Now)
}

// DeleteThought deletes a thought with its pins.
func (tx *Tx) DeleteThought(id string) error {
	return tx.exec1(`DELETE FROM thought WHERE id = ?`, id)
}

// SharedIn returns the conversations in whose Stream a thought is for everybody.
func (r *Reader) SharedIn(thoughtID string) ([]string, error) {
	return all[string](r, `SELECT p.conversation_id FROM thought_pin p WHERE p.thought_id = ?1
		UNION SELECT t.source_conversation_id FROM thought t WHERE t.id = ?1 AND t.captured = 1 /* server: who is notified */`, thoughtID)
}

// maxCaptured is how many characters of a message a capture has.
const maxCaptured = 4000

// Capture is what the #tags of a message make of it.
type Capture struct {
	ID           string // of the thought; "" makes one
	Kind, Status string
	Tags         []string
}

// Capture adds a message that was sent to its sender's thoughts, shared with the
// conversation. It does nothing if c is nil.
func (tx *Tx) Capture(m *Message, c *Capture) error {
	if c == nil {
		return nil
	}
	return tx.exec(`INSERT INTO thought (id, user_id, text, kind, status, tags, source_message_id, source_conversation_id, captured,
		created_at, updated_at) VALUES (?1, ?2, substr(?3, 1, ?4), ?5, ?6, ?7, ?8, ?9, 1, ?10, ?10) ON CONFLICT DO NOTHING`,
		cmp.Or(c.ID, NewTimeID(tx.Now)), m.SenderID, m.Content, maxCaptured, c.Kind, c.Status, jsonList(c.Tags), m.ID, m.ConversationID, tx.Now)
}

// Recapture makes the capture of a message follow an edit of the message. A message
// without tags before is captured now, if it has tags. A message that has only files
// left loses its capture.
func (tx *Tx) Recapture(m *Message, hadTags bool, c *Capture) error {
	if strings.TrimSpace(m.Content) == "" {
		return tx.deleteCapture(m)
	}
	tags := ""
	if c != nil {
		tags = jsonList(c.Tags)
	}
	n, err := tx.execCount(`UPDATE thought SET text = substr(?2, 1, ?3), tags = coalesce(nullif(?4, ''), tags), updated_at = ?5
		WHERE source_message_id = ?1 AND captured = 1`, m.ID, m.Content, maxCaptured, tags, tx.Now)
	if err == nil && n == 0 && !hadTags {
		err = tx.Capture(m, c)
	}
	return err
}

// deleteCapture deletes the capture of a message that has no text left.
func (tx *Tx) deleteCapture(m *Message) error {
	return tx.exec(`DELETE FROM thought WHERE source_message_id = ? AND captured = 1`, m.ID)
}
