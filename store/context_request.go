package store

import (
	"bytes"
	"cmp"
)

// ContextRequest is a request to the agent of an account to reply to a post.
type ContextRequest struct {
	ID             string
	PostID         string
	ConversationID string
	SourceRevision int // of the post when it was made
	RequesterID    string
	RequesterName  string // read with the row
	OwnerID        string // the account as which the key acts
	KeyID          string
	State          string // pending, completed, declined
	ReplyID        string // "" unless completed
	CreatedAt      Time
	ExpiresAt      Time
	AnsweredAt     Time
	ReplyHash      []byte

	// Of the post, while the request can be answered; see LoggedRequests, too.
	Text string
}

// contextRequestColumns are the columns of a request q of the account u.
const contextRequestColumns = `q.id, q.post_id, q.conversation_id, q.source_revision, q.requester_id, u.name, q.owner_id,
	q.key_id, q.state, q.reply_id, q.created_at, q.expires_at, q.answered_at, q.reply_hash`

// SameReply reports whether a reply with the hash completed q; false if that is
// deleted, and not known any more.
func (q *ContextRequest) SameReply(hash []byte) bool {
	return bytes.Equal(q.ReplyHash, hash)
}

// ContextInbox returns up to limit requests that the key of by can answer, the
// oldest first.
func (r *Reader) ContextInbox(by Viewer, limit int) ([]ContextRequest, error) {
	return all[ContextRequest](r, `SELECT `+contextRequestColumns+`, x.text FROM context_request q INDEXED BY context_request_pending
		JOIN user u ON `+namedUser("u", "q.requester_id")+` JOIN context_post x ON x.id = q.post_id
		AND `+visibleConversation("x.conversation_id", "q.owner_id")+`
		WHERE q.key_id = ?1 AND q.state = 'pending' AND `+answerableRequest("q", "?1", "?2")+` ORDER BY q.created_at, q.id LIMIT ?3`,
		by.KeyID, r.Now(), limit)
}

// ContextRequest returns a request that the key of by received, answered or not;
// ErrNoRow if there is none, or the key may not see it any more.
func (r *Reader) ContextRequest(by Viewer, id string) (ContextRequest, error) {
	return one[ContextRequest](r, `SELECT `+contextRequestColumns+`, '' FROM context_request q
		JOIN user u ON `+namedUser("u", "q.requester_id")+`
		WHERE q.id = ?3 AND `+receivedRequest("q", "?1", "?2"), by.KeyID, r.Now(), id)
}

// CanAnswer reports whether the key of by can answer the request.
func (r *Reader) CanAnswer(by Viewer, id string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM context_request q WHERE q.id = ?3 AND `+answerableRequest("q", "?1", "?2")+`)`,
		by.KeyID, r.Now(), id)
}

// CompleteRequest records that a post is the reply to a request that is pending.
// It returns ErrNoRow if it is not.
func (tx *Tx) CompleteRequest(id, replyID string, replyHash []byte) error {
	return tx.exec1(`UPDATE context_request SET state = 'completed', reply_id = ?2, reply_hash = ?3, answered_at = ?4
		WHERE id = ?1 AND state = 'pending'`,
		id, replyID, replyHash, tx.Now)
}

// DeclineRequest records that a request that is pending is declined. It returns
// ErrNoRow if it is not.
func (tx *Tx) DeclineRequest(id string) error {
	return tx.exec1(`UPDATE context_request SET state = 'declined', answered_at = ?2 WHERE id = ?1 AND state = 'pending'`, id, tx.Now)
}

// ContextAgent is an account whose agent can be asked to reply to a post.
type ContextAgent struct {
	OwnerID, KeyID string
	Asked          bool // for this revision of the post
}

// ContextAgents returns members of a post's conversation whose agents by can ask to
// reply to it. It returns the first limit members, by when they joined. Each has
// the oldest of their keys that receives requests and is not by's own. It leaves
// out those who have a block with by or with the author of the post.
func (r *Reader) ContextAgents(by Viewer, p *ContextPost, limit int) ([]ContextAgent, error) {
	return all[ContextAgent](r, `SELECT a.user_id, a.key_id, EXISTS (SELECT 1 FROM context_request q
		WHERE q.post_id = ?4 AND q.source_revision = ?5 AND q.owner_id = a.user_id)
		FROM (SELECT m.user_id, m.joined_at, (SELECT k.id FROM api_key k WHERE k.user_id = m.user_id AND k.id <> ?3
		AND `+receivingKey("k", "?6")+` ORDER BY k.created_at LIMIT 1) AS key_id
			FROM member m WHERE m.conversation_id = ?2 AND m.hidden = 0 AND `+visibleConversation("m.conversation_id", "?1")+`) a
		JOIN user u ON `+namedUser("u", "a.user_id")+`
		WHERE a.key_id IS NOT NULL AND `+notSuspended("u")+` AND `+unblocked("u.id", "u.bot_owner_id", "?1")+`
		AND `+unblocked("u.id", "u.bot_owner_id", "?7")+`
		ORDER BY a.joined_at, a.user_id LIMIT ?8 /* server: who was asked before */`,
		by.UserID, p.ConversationID, by.KeyID, p.ID, p.Revision, r.Now(), p.AuthorID, limit)
}

// InsertContextRequest adds q, which is pending. It sets CreatedAt, and ID if that
// is "".
func (tx *Tx) InsertContextRequest(q *ContextRequest) error {
	q.ID, q.CreatedAt, q.State = cmp.Or(q.ID, NewTimeID(tx.Now)), tx.Now, "pending"
	return tx.exec(`INSERT INTO context_request (id, post_id, conversation_id, source_revision, requester_id, owner_id, key_id, state,
		created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
		q.ID, q.PostID, q.ConversationID, q.SourceRevision, q.RequesterID, q.OwnerID, q.KeyID, tx.Now, q.ExpiresAt)
}

// LoggedRequest is a request as the owner of its key sees it.
type LoggedRequest struct {
	ContextRequest
	Title     string // of the conversation; "" without one
	Reply     string // the text of the reply, "" without one
	ReplyGone bool
}

// LoggedRequests returns up to limit requests that a key of by, or of a bot of
// theirs, received before a moment (0: the newest), the newest first. It has the
// texts of posts that the key's account sees now.
func (r *Reader) LoggedRequests(by Viewer, keyID string, before Time, limit int) ([]LoggedRequest, error) {
	return all[LoggedRequest](r, `SELECT `+contextRequestColumns+`, x.text, c.title, y.text, y.deleted_at IS NOT NULL
		FROM context_request q JOIN api_key k ON k.id = q.key_id JOIN user u ON `+namedUser("u", "q.requester_id")+`
		LEFT JOIN conversation c ON c.id = q.conversation_id AND `+visibleConversation("c.id", "q.owner_id")+`
		LEFT JOIN context_post x ON x.id = q.post_id AND `+visibleConversation("x.conversation_id", "q.owner_id")+`
		LEFT JOIN context_post y ON y.id = q.reply_id AND `+visibleConversation("y.conversation_id", "q.owner_id")+`
		WHERE q.key_id = ?2 AND q.created_at < ?3 AND `+ownKey("k", "?1")+` AND `+ownRequest("q", "?1")+`
		ORDER BY q.created_at DESC, q.id DESC LIMIT ?4`,
		by.UserID, keyID, orEnd(before), limit)
}

// Asked is how many agents were asked to reply to a post, and how many did.
type Asked struct {
	PostID            string
	Agents, Completed int
	Pending           int // can still answer
}

// Asked returns, for each post with an id whose present revision by asked agents about,
// how many agents were asked.
func (r *Reader) Asked(by Viewer, postIDs ...string) ([]Asked, error) {
	return all[Asked](r, `SELECT x.id, count(*), count(*) FILTER (WHERE q.state = 'completed'),
		count(*) FILTER (WHERE q.state = 'pending' AND q.expires_at > ?3)
		FROM json_each(?2) j CROSS JOIN context_post x ON x.id = j.value JOIN context_request q ON q.post_id = x.id
		AND q.source_revision = x.revision
		WHERE q.requester_id = ?1 AND `+ownRequest("q", "?1")+` AND `+visibleConversation("x.conversation_id", "?1")+` GROUP BY x.id`,
		by.UserID, jsonList(postIDs), r.Now())
}

// ReceivingKey is whether a key receives requests.
type ReceivingKey struct {
	KeyID   string
	Usable  bool // it is an agent's, valid, reads and writes
	Enabled bool
}

// ReceivingKeys returns for each agent key of by and their bots that is not
// revoked whether it receives requests, the oldest first.
func (r *Reader) ReceivingKeys(by Viewer) ([]ReceivingKey, error) {
	return all[ReceivingKey](r, receivingKeys+` ORDER BY k.created_at`, by.UserID, r.Now())
}

var receivingKeys = `SELECT k.id, ` + usableKey("k", "?2") + `, EXISTS (SELECT 1 FROM context_key e WHERE e.key_id = k.id)
	FROM api_key k WHERE ` + ownKey("k", "?1") + ` AND k.kind = 'agent' AND k.revoked_at IS NULL`

// ReceivingKey returns whether a key of by, or of one of their bots, receives
// requests; ErrNoRow if there is no such key, or it is revoked or expired.
func (r *Reader) ReceivingKey(by Viewer, keyID string) (ReceivingKey, error) {
	return one[ReceivingKey](r, receivingKeys+` AND k.id = ?3 AND (k.expires_at IS NULL OR k.expires_at > ?2)`, by.UserID, r.Now(), keyID)
}

// SetReceiving stores whether a key receives requests.
func (tx *Tx) SetReceiving(keyID string, enabled bool) error {
	if !enabled {
		return tx.exec(`DELETE FROM context_key WHERE key_id = ?`, keyID)
	}
	return tx.exec(`INSERT INTO context_key (key_id, enabled_at) VALUES (?, ?) ON CONFLICT DO NOTHING`, keyID, tx.Now)
}

// Receives reports whether the key of by receives requests at this moment.
func (r *Reader) Receives(by Viewer) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM api_key k WHERE k.id = ?1 AND `+receivingKey("k", "?2")+`)`, by.KeyID, r.Now())
}
