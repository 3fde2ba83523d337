package store

import (
	"cmp"
	"math"
)

// Draft is an intent that is not published: it is its owner's alone.
type Draft struct {
	ID            string
	OwnerID       string
	Goal          string
	Seeks, Brings []string
	MatchingMode  string
	Collaborators bool
	Details       string
	Source        string
	Provenance    string // a JSON object, or ""
	Confidence    *float64
	AgentName     string // of the key that wrote it, or changed it last; "" for a person
	State         string // pending, dismissed, activated
	IntentID      string // what activation made
	StoryID       string
	CreatedAt     Time
	UpdatedAt     Time
}

const draftColumns = `d.id, d.owner_id, d.goal, d.seeks, d.brings, d.matching_mode, d.collaborators, d.details, d.source,
	d.provenance, d.confidence, d.agent_name, d.state, d.intent_id, d.story_id, d.created_at, d.updated_at`

// Drafts returns up to limit drafts of by's account in a state, created before a
// moment (0: the newest), the newest first.
func (r *Reader) Drafts(by Viewer, state string, before Time, limit int) ([]Draft, error) {
	out, _, err := r.DraftsWithin(by, state, before, limit, math.MaxInt)
	return out, err
}

// DraftsWithin is Drafts for up to size bytes of text. It reports whether there are more.
func (r *Reader) DraftsWithin(by Viewer, state string, before Time, limit, size int) (out []Draft, more bool, err error) {
	return within[Draft](r, size, `SELECT `+draftColumns+` FROM intent_draft d WHERE d.state = ?2 AND d.created_at < ?3
		AND `+ownDraft("d", "?1")+`
		ORDER BY d.created_at DESC LIMIT ?4`, by.UserID, state, orEnd(before), limit)
}

// Size returns how many bytes of text it has.
func (d Draft) Size() int {
	return bytesOf([]string{d.Goal, d.Details, d.Source, d.Provenance}, d.Seeks, d.Brings)
}

// Draft returns a draft of by's account; ErrNoRow otherwise.
func (r *Reader) Draft(by Viewer, id string) (Draft, error) {
	return one[Draft](r, `SELECT `+draftColumns+` FROM intent_draft d WHERE d.id = ?2 AND `+ownDraft("d", "?1"), by.UserID, id)
}

// PendingDrafts returns how many drafts of by's account are pending.
func (r *Reader) PendingDrafts(by Viewer) (int, error) {
	return one[int](r, `SELECT count(*) FROM intent_draft d WHERE d.state = 'pending' AND `+ownDraft("d", "?1"), by.UserID)
}

// InsertDraft adds d, which is pending. It sets State, CreatedAt and UpdatedAt,
// and ID if that is "".
func (tx *Tx) InsertDraft(d *Draft) error {
	d.ID, d.State, d.CreatedAt, d.UpdatedAt = cmp.Or(d.ID, NewID()), "pending", tx.Now, tx.Now
	return tx.exec(`INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, details, source,
		provenance, confidence, agent_name, state, created_at, updated_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, ''), nullif(?9, ''), nullif(?10, ''), ?11, ?12, 'pending', ?13, ?13)`,
		d.ID, d.OwnerID, d.Goal, jsonList(d.Seeks), jsonList(d.Brings), d.MatchingMode, d.Collaborators, d.Details, d.Source, d.Provenance,
		d.Confidence, d.AgentName, tx.Now)
}

// UpdateDraft writes what can change of d. It sets UpdatedAt.
func (tx *Tx) UpdateDraft(d *Draft) error {
	d.UpdatedAt = tx.Now
	return tx.exec1(`UPDATE intent_draft SET goal = ?2, seeks = ?3, brings = ?4, matching_mode = ?5, collaborators = ?6,
			details = nullif(?7, ''), source = nullif(?8, ''), provenance = nullif(?9, ''), confidence = ?10, state = ?11,
			intent_id = nullif(?12, ''), story_id = nullif(?13, ''), updated_at = ?14, agent_name = ?15
		WHERE id = ?1`,
		d.ID, d.Goal, jsonList(d.Seeks), jsonList(d.Brings), d.MatchingMode, d.Collaborators, d.Details, d.Source, d.Provenance, d.Confidence,
		d.State, d.IntentID, d.StoryID, tx.Now, d.AgentName)
}
