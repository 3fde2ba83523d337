package store

// Waiting is what waits for an account, beside what Drafts, OpenMatches, AgentGrants and Expiring return.
type Waiting struct {
	Kind      string // friend_request, held_item, story, report, feedback
	ID        string // of the person who asks, the item, the Story, the report or the feedback
	Text      string // its beginning; of a report, what was reported
	From      Named  // who asks or wrote it; of a report, whom it is about. "" if the account is deleted or has no part in it
	ListID    string // of an item
	ListTitle string
	Note      string // who added the item, or the reason of the report
	SourceURL string
	UpdatedAt Time
	DueAt     Time // when it ends by itself; 0: never
}

// waiting is a query for what waits for the account ?1 at the moment ?2. admin is its id if it may administer.
func waiting(admin string) string {
	return `SELECT 'friend_request' AS kind, f.other_id, '', u.id, u.name, u.avatar_url, '', '', '', '', f.updated_at AS at, 0 AS due
			FROM friend f JOIN user u ON ` + namedUser("u", "f.other_id") + ` WHERE f.state = 'incoming' AND ` + visibleFriend("f", "?1") + `
		UNION ALL SELECT 'held_item', h.id, substr(h.content, 1, 500), '', '', '', l.id, l.title, h.source_note, coalesce(h.source_url, ''),
			h.updated_at, 0
			FROM (SELECT o.id FROM list o WHERE o.owner_id = ?1 UNION SELECT m.list_id FROM list_member m WHERE m.user_id = ?1) k
			CROSS JOIN list l ON l.id = k.id CROSS JOIN held_item h ON h.list_id = l.id
			WHERE ` + editedList("l", "?1") + ` AND ` + visibleList("l", "?1") + `
		UNION ALL SELECT 'story', s.id, s.text, u.id, u.name, u.avatar_url, '', '', '', '', s.created_at, s.story_expires_at
			FROM story_new n CROSS JOIN story s ON s.id = n.story_id JOIN user u ON ` + namedUser("u", "s.owner_id") + `
			WHERE n.user_id = ?1 AND ` + visibleStory("s", "?1", "?2") + `
		UNION ALL SELECT 'report', p.id, substr(p.text, 1, 500), coalesce(u.id, ''), coalesce(u.name, ''), coalesce(u.avatar_url, ''), '', '',
			p.reason, '', p.created_at, 0
			FROM report p INDEXED BY report_open LEFT JOIN user u ON ` + namedUser("u", "p.user_id") + `
			WHERE p.decided_at IS NULL AND ` + visibleReport("p", admin) + `
		UNION ALL SELECT 'feedback', b.id, substr(b.text, 1, 500), coalesce(u.id, ''), coalesce(u.name, ''), coalesce(u.avatar_url, ''), '', '',
			'', '', b.created_at, 0
			FROM feedback b INDEXED BY feedback_open LEFT JOIN user u ON ` + namedUser("u", "b.user_id") + `
			WHERE b.done_at IS NULL AND ` + forAdmin("feedback", admin)
}

// Waiting returns up to limit of what waits for by's account, the oldest first.
func (r *Reader) Waiting(by Viewer, limit int) ([]Waiting, error) {
	return all[Waiting](r, waiting("?3")+` ORDER BY at LIMIT ?4 /* scan: the indexes of open ones alone */`, by.UserID, r.Now(), by.adminID(), limit)
}

// WaitingCount is how much is in the inbox of an account.
type WaitingCount struct {
	All   int
	Admin int  // reports and feedback
	Until Time // when the first ends by itself; 0: none does
}

// WaitingCount counts all that waits for by's account: what Waiting, Drafts, OpenMatches and AgentGrants return, and what
// Expiring returns for a moment.
func (r *Reader) WaitingCount(by Viewer, before Time) (out WaitingCount, err error) {
	return one[WaitingCount](r, `SELECT count(*), coalesce(sum(kind IN ('report', 'feedback')), 0), coalesce(min(nullif(due, 0)), 0)
		FROM (SELECT kind, due FROM (`+waiting("?4")+`)
			UNION ALL SELECT 'draft', 0 FROM intent_draft d WHERE d.state = 'pending' AND `+ownDraft("d", "?1")+`
			UNION ALL `+waitingMatches("a")+` UNION ALL `+waitingMatches("b")+`
			UNION ALL `+agentGrants(`'request', `+grantEnd())+`
			UNION ALL SELECT '', at FROM (`+expiring()+`)) /* scan: the indexes of open ones alone */`,
		by.UserID, r.Now(), before, by.adminID())
}

// waitingMatches is a query for the matches that wait for the viewer ?1, who is their side own.
func waitingMatches(own string) string {
	return `SELECT 'match', 0 FROM intent_match x JOIN intent i ON ` + matchedIntent("i", "x."+own+"_intent") + `
		WHERE x.` + own + `_user = ?1 AND ` + openMatch("x", "i") + ` AND x.` + own + `_approved = 0 AND ` + visibleMatch("x", "?1")
}
