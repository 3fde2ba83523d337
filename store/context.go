package store

import (
	"bytes"
	"cmp"
	"strconv"
)

// ContextPost is a post of the Context lane, with what its readers see of the
// post that it replies to, and of its intention.
type ContextPost struct {
	ConversationID  string
	CreatedAt       Time // unique in the file
	ID              string
	AuthorID        string
	AuthorName      string // read with the row
	Kind            string // note, ask, offer
	Text            string // "" once deleted
	Revision        int
	ReplyToID       string
	AgentID         string // the key that wrote the text, "" for a person
	AgentName       string // what it was called then
	ClientRequestID string
	UpdatedAt       Time
	DeletedAt       Time

	Parent    ContextParent  // zero without one
	Intention IntentionState // zero without one

	RequestHash, IntentHash []byte // of the requests for the post and to track it; nil once deleted
}

// ContextParent is what a reply shows of the post that it replies to.
type ContextParent struct {
	ID, AuthorID, AuthorName string
	Text                     string // the first 200 characters; "" once deleted
	DeletedAt                Time
}

// IntentionState is what a post shows of the intention as which it is tracked.
type IntentionState struct {
	IntentID       string
	State          string // open, fulfilled, withdrawn
	Revision       int
	SourceRevision int // of the post when it was tracked
}

// maxParent is how many characters of its parent a reply shows.
const maxParent = 200

// contextPosts is a query for posts x with a condition, for the viewer ?1; more joins
// what that needs.
func contextPosts(more, where string) string {
	return `SELECT x.conversation_id, x.created_at, x.id, x.author_id, u.name, x.kind, x.text, x.revision, x.reply_to_id,
		x.agent_id, x.agent_name, x.client_request_id, x.updated_at, x.deleted_at,
			p.id, p.author_id, pu.name, substr(p.text, 1, ` + strconv.Itoa(maxParent) + `), p.deleted_at,
			i.id, n.state, n.revision, x.intent_revision, x.request_hash, x.intent_hash
		FROM ` + more + ` context_post x JOIN user u ON ` + namedUser("u", "x.author_id") + `
		LEFT JOIN context_post p ON ` + shownParent("p", "x", "?1") + ` LEFT JOIN user pu ON ` + namedUser("pu", "p.author_id") + `
		LEFT JOIN context_intention n ON ` + shownIntention("n", "x") + ` LEFT JOIN intent i ON ` + matchedIntent("i", "n.intent") + `
		WHERE ` + where
}

// SameRequest reports whether p was made by a request with the hash; false if p is
// deleted, and its request not known any more.
func (p *ContextPost) SameRequest(hash []byte) bool {
	return bytes.Equal(p.RequestHash, hash)
}

// ContextPost returns a post of a conversation that by may see; ErrNoRow
// otherwise.
func (r *Reader) ContextPost(by Viewer, conversationID, id string) (ContextPost, error) {
	return one[ContextPost](r, contextPosts("", `x.id = ?3 AND x.conversation_id = ?2 AND `+
		visibleConversation("x.conversation_id", "?1")),
		by.UserID, conversationID, id)
}

// ContextPostsByID returns the posts with the ids that by may see, in no order.
func (r *Reader) ContextPostsByID(by Viewer, ids ...string) ([]ContextPost, error) {
	return all[ContextPost](r, contextPosts(`json_each(?2) j CROSS JOIN`, `x.id = j.value AND `+
		visibleConversation("x.conversation_id", "?1")),
		by.UserID, jsonList(ids))
}

// ContextPostOf returns the post that by made in a conversation with a client's
// id; ErrNoRow without one.
func (r *Reader) ContextPostOf(by Viewer, conversationID, clientRequestID string) (ContextPost, error) {
	return one[ContextPost](r, contextPosts("", `x.conversation_id = ?2 AND x.author_id = ?1 AND x.client_request_id = ?3 AND `+
		visibleConversation("x.conversation_id", "?1")), by.UserID, conversationID, clientRequestID)
}

// OwnContextPosts returns up to limit posts of by's account created before a
// moment (0: the newest), the newest first. It ends before they have more than size bytes
// of text together, but not without any.
func (r *Reader) OwnContextPosts(by Viewer, before Time, limit, size int) ([]ContextPost, error) {
	out, _, err := within[ContextPost](r, size, contextPosts("", ownPost("x", "?1")+
		` AND x.created_at < ?2 ORDER BY x.created_at DESC LIMIT ?3`),
		by.UserID, orEnd(before), limit)
	return out, err
}

// Size returns how many bytes of text it has.
func (p ContextPost) Size() int { return len(p.Text) + len(p.Parent.Text) }

// InsertContextPost adds p. It sets CreatedAt, UpdatedAt and Revision, and ID if
// that is "".
func (tx *Tx) InsertContextPost(p *ContextPost, requestHash []byte) error {
	p.ID, p.CreatedAt, p.UpdatedAt, p.Revision = cmp.Or(p.ID, NewTimeID(tx.Now)), tx.Now, tx.Now, 1
	return tx.exec(`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, reply_to_id, agent_id, agent_name,
		client_request_id, request_hash, updated_at) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), ?, ?, ?)`,
		p.ConversationID, p.CreatedAt, p.ID, p.AuthorID, p.Kind, p.Text, p.ReplyToID, p.AgentID, p.AgentName, p.ClientRequestID,
		requestHash, tx.Now)
}

// EditContextPost writes the text of p and the key that wrote it, and raises its
// revision. It returns ErrNoRow if p is deleted.
func (tx *Tx) EditContextPost(p *ContextPost) error {
	p.UpdatedAt = tx.Now
	p.Revision++
	return tx.exec1(`UPDATE context_post SET text = ?3, agent_id = nullif(?4, ''), agent_name = nullif(?5, ''), revision = ?6, updated_at = ?7
		WHERE conversation_id = ?1 AND created_at = ?2 AND deleted_at IS NULL`,
		p.ConversationID, p.CreatedAt, p.Text, p.AgentID, p.AgentName, p.Revision, tx.Now)
}

// DeleteContextPost clears the text of p, raises its revision, and leaves its
// row. It returns ErrNoRow if p is deleted.
func (tx *Tx) DeleteContextPost(p *ContextPost) error {
	if err := tx.exec(`UPDATE context_request SET reply_hash = NULL WHERE reply_id = ?`, p.ID); err != nil {
		return err
	}
	return tx.exec1(`UPDATE context_post SET text = '', request_hash = NULL, revision = revision + 1, updated_at = ?3, deleted_at = ?3
		WHERE conversation_id = ?1 AND created_at = ?2 AND deleted_at IS NULL`, p.ConversationID, p.CreatedAt, tx.Now)
}

// ReportedPost returns the post of a report, deleted or not; ErrNoRow if it is
// gone or the report is about something else, and for those who are not
// administrators.
func (r *Reader) ReportedPost(by Viewer, reportID string) (ContextPost, error) {
	return one[ContextPost](r, contextPosts(`report q CROSS JOIN`, `q.id = ?2 AND `+visibleReport("q", "?1")+` AND `+
		reportedPost("x", "q", "?1")),
		by.adminID(), reportID)
}
