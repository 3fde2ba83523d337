package store

// Expiring is an intent or a Story of an account that is about to expire.
type Expiring struct {
	Kind     string // expiring_search, expiring_story
	ID       string // of the intent or of the Story
	StoryID  string // of a search that belongs to one
	IntentID string
	Title    string
	At       Time

	IntentKind   string // ask, offer
	HumanVisible bool   // people see the Story of a search, which does not end with it
}

// Expiring returns up to limit active searches and Stories of by's account that
// expire before a moment, the first to expire first. A Story that only stands for
// its search is not listed by itself.
func (r *Reader) Expiring(by Viewer, before Time, limit int) ([]Expiring, error) {
	return all[Expiring](r, expiring()+` ORDER BY at LIMIT ?4`, by.UserID, r.Now(), before, limit)
}

// expiring is a query for what of the account ?1 expires after the moment ?2 and not after ?3.
func expiring() string {
	return `SELECT 'expiring_search', i.id, s.id, i.id, i.terms, i.expires_at AS at, i.kind, s.text IS NOT NULL
			FROM intent i LEFT JOIN story s ON s.intent = i.seq AND ` + ownStory("s", "?1") + `
			WHERE i.status = 'active' AND i.expires_at > ?2 AND i.expires_at <= ?3 AND ` + ownIntent("i", "?1") + `
		UNION ALL SELECT 'expiring_story', s.id, s.id, i.id, s.text, s.story_expires_at, i.kind, 1
			FROM story s JOIN intent i ON i.seq = s.intent WHERE s.status = 'active' AND s.text IS NOT NULL AND s.story_expires_at > ?2
			AND s.story_expires_at <= ?3
			AND ` + ownStory("s", "?1") + ` AND ` + ownIntent("i", "?1")
}

// ExpiringUsers returns the accounts with an active search or Story that expires after
// from and not after until.
func (r *Reader) ExpiringUsers(from, until Time, limit int) ([]string, error) {
	return all[string](r, `SELECT i.owner_id FROM intent i WHERE i.status = 'active' AND i.expires_at > ?1 AND i.expires_at <= ?2
		UNION SELECT s.owner_id FROM story s WHERE s.text IS NOT NULL AND s.story_expires_at > ?1 AND s.story_expires_at <= ?2
		AND s.status = 'active'
		LIMIT ?3 /* server: events of the review queue */`, from, until, limit)
}
