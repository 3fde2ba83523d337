package store

import "bytes"

// Intention is an ask or an offer of the Context lane that its author tracks.
type Intention struct {
	Intent    Intent
	State     string // open, fulfilled, withdrawn
	Revision  int
	Born      bool // the intent was made of a post: it is never matched
	CreatedAt Time
	UpdatedAt Time
}

const intentionColumns = intentColumns + `, n.state, n.revision, n.born, n.created_at, n.updated_at`

// Intentions returns up to limit intentions of by's account begun before a moment
// (0: the newest), the newest first.
func (r *Reader) Intentions(by Viewer, before Time, limit int) ([]Intention, error) {
	return all[Intention](r, `SELECT `+intentionColumns+` FROM context_intention n JOIN intent i ON i.seq = n.intent
		WHERE n.created_at < ?2 AND `+ownIntention("n", "?1")+` AND `+ownIntent("i", "?1")+` ORDER BY n.created_at DESC LIMIT ?3`,
		by.UserID, orEnd(before), limit)
}

// Intention returns the intention of by's account with the id of its intent;
// ErrNoRow otherwise.
func (r *Reader) Intention(by Viewer, intentID string) (Intention, error) {
	return one[Intention](r, `SELECT `+intentionColumns+` FROM intent i JOIN context_intention n ON n.intent = i.seq
		WHERE i.id = ?2 AND `+ownIntention("n", "?1")+` AND `+ownIntent("i", "?1"), by.UserID, intentID)
}

// IntentionPost is a post that is tracked as an intention.
type IntentionPost struct {
	IntentID       string
	PostID         string
	ConversationID string
	SourceRevision int // of the post when it was tracked
	Revision       int // of the post
	DeletedAt      Time
}

// IntentionPosts returns the posts of intentions of by's account, in the order in
// which they were made.
func (r *Reader) IntentionPosts(by Viewer, intentIDs ...string) ([]IntentionPost, error) {
	return all[IntentionPost](r, `SELECT i.id, x.id, x.conversation_id, x.intent_revision, x.revision, coalesce(x.deleted_at, 0)
		FROM json_each(?2) j CROSS JOIN intent i ON i.id = j.value JOIN context_post x ON x.intent = i.seq
		WHERE `+ownIntent("i", "?1")+` AND `+ownPost("x", "?1")+` ORDER BY x.created_at`, by.UserID, jsonList(intentIDs))
}

// InsertIntention adds n. It sets Revision, CreatedAt and UpdatedAt.
func (tx *Tx) InsertIntention(n *Intention) error {
	n.Revision, n.CreatedAt, n.UpdatedAt = 1, tx.Now, tx.Now
	return tx.exec(`INSERT INTO context_intention (intent, owner_id, state, born, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
		/* server: an intention of it */`,
		n.Intent.Seq, n.Intent.OwnerID, n.State, n.Born, tx.Now, tx.Now)
}

// UpdateIntention writes the state of n and raises its revision.
func (tx *Tx) UpdateIntention(n *Intention) error {
	n.UpdatedAt = tx.Now
	n.Revision++
	return tx.exec1(`UPDATE context_intention SET state = ?2, revision = ?3, updated_at = ?4 WHERE intent = ?1 /* server: its intent */`,
		n.Intent.Seq, n.State, n.Revision, tx.Now)
}

// TrackPost adds a post to an intention. requestHash is the hash of the request for it.
func (tx *Tx) TrackPost(p *ContextPost, n *Intention, requestHash []byte) error {
	return tx.exec1(`UPDATE context_post SET intent = ?3, intent_revision = ?4, intent_hash = ?5 WHERE conversation_id = ?1
		AND created_at = ?2 /* server: an intention of it */`,
		p.ConversationID, p.CreatedAt, n.Intent.Seq, p.Revision, requestHash)
}

// SameTracking reports whether p is tracked by a request with the hash.
func (p *ContextPost) SameTracking(hash []byte) bool { return bytes.Equal(p.IntentHash, hash) }

// StoryOf returns the Story of an intent of by's account; ErrNoRow without one.
func (r *Reader) StoryOf(by Viewer, intentSeq int64) (Story, error) {
	return one[Story](r, `SELECT `+storyColumns+intentColumns+` FROM story s JOIN intent i ON i.seq = s.intent
		WHERE s.intent = ?2 AND `+ownStory("s", "?1")+` AND `+ownIntent("i", "?1"), by.UserID, intentSeq)
}
