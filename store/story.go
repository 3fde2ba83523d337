package store

import (
	"cmp"
	"strings"
)

// Story is what an account shows an audience, and what its intent is approved
// for.
type Story struct {
	ID              string
	OwnerID         string
	Text            string // "" if people do not see it
	QuietSearch     bool   // agents may be shown the terms, and the intent be matched
	Status          string // active, paused, withdrawn
	StoryExpiresAt  Time   // 0 without a text
	SearchExpiresAt Time
	CreatedAt       Time
	UpdatedAt       Time
	Intent          Intent   // with the structured terms
	Audience        Audience `row:"-"` // written by InsertStory; read by StoryAudience
}

// Shown reports whether the audience of s sees it at a moment, as far as s itself goes.
func (s *Story) Shown(now Time) bool {
	return s.Text != "" && s.Status == "active" && s.StoryExpiresAt > now
}

const storyColumns = `s.id, s.owner_id, s.text, s.quiet_search, s.status, coalesce(s.story_expires_at, 0), s.search_expires_at,
	s.created_at, s.updated_at, `

// untoldColumns are the columns of an intent without its texts.
var untoldColumns = strings.NewReplacer(`i.terms, i.goal, i.seeks, i.brings`, `'', NULL, '[]', '[]'`, `i.details`,
	`NULL`).Replace(intentColumns)

// FeedStory is a Story as those who see it in their feed know it.
type FeedStory struct {
	ID             string
	OwnerID        string
	OwnerName      string
	OwnerAvatar    string // "" without a picture
	Text           string
	QuietSearch    bool // the approved search is under way and for the viewer
	StoryExpiresAt Time
	CreatedAt      Time
	New            bool // the viewer has not seen it

	// Of the intent, for agents alone.
	Goal          string
	Seeks, Brings []string
	MatchingMode  string
	Collaborators bool
}

// Size returns how many bytes of text it has.
func (s FeedStory) Size() int { return bytesOf([]string{s.Text, s.Goal}, s.Seeks, s.Brings) }

// Stories returns up to limit Stories of by's account created before a moment (0:
// the newest), the newest first.
func (r *Reader) Stories(by Viewer, before Time, limit int) ([]Story, error) {
	return all[Story](r, `SELECT `+storyColumns+intentColumns+` FROM story s JOIN intent i ON i.seq = s.intent
		WHERE s.created_at < ?2 AND `+ownStory("s", "?1")+` AND `+ownIntent("i", "?1")+` ORDER BY s.created_at DESC LIMIT ?3`,
		by.UserID, orEnd(before), limit)
}

// StoriesWithShown returns the newest limit Stories of by's account, up to size bytes of
// text, and all that are shown, the newest first. If brief is true, their intents are
// without texts.
func (r *Reader) StoriesWithShown(by Viewer, limit, size int, brief bool) ([]Story, error) {
	columns := storyColumns + intentColumns
	if brief {
		columns = storyColumns + untoldColumns
	}
	return keeping(r, limit, size, func(s *Story) bool { return s.Shown(r.Now()) }, `SELECT `+columns+` FROM story s
		JOIN intent i ON i.seq = s.intent
		WHERE `+ownStory("s", "?1")+` AND `+ownIntent("i", "?1")+` AND (s.text IS NOT NULL AND s.status = 'active' AND s.story_expires_at > ?2
			OR s.id IN (SELECT o.id FROM story o WHERE `+ownStory("o", "?1")+` ORDER BY o.created_at DESC LIMIT ?3))
		ORDER BY s.created_at DESC`, by.UserID, r.Now(), limit)
}

// Size returns how many bytes of text it has.
func (s Story) Size() int { return len(s.Text) + s.Intent.Size() }

// Story returns a Story of by's account; ErrNoRow otherwise.
func (r *Reader) Story(by Viewer, id string) (Story, error) {
	return one[Story](r, `SELECT `+storyColumns+intentColumns+` FROM story s JOIN intent i ON i.seq = s.intent
		WHERE s.id = ?2 AND `+ownStory("s", "?1")+` AND `+ownIntent("i", "?1"), by.UserID, id)
}

// StoryAudience returns the audience of a Story of by's account.
func (r *Reader) StoryAudience(by Viewer, id string) (Audience, error) {
	return audienceOf(r, `SELECT coalesce(a.user_id, ''), coalesce(a.conversation_id, '') FROM story s
		JOIN story_audience a ON a.story_id = s.id
		WHERE s.id = ?2 AND `+ownStory("s", "?1"), by.UserID, id)
}

// feedQuery is a query for the Stories that the viewer ?1 sees at the moment ?2,
// of those that source selects, with further columns. QuietSearch is whether the approved
// search is under way and for the viewer, who is in the audience of the Story.
// The texts of the intents are told to agents alone.
func feedQuery(by Viewer, further, source string) string {
	texts := `i.goal, i.seeks, i.brings`
	if by.Kind != Agent {
		texts = `NULL, '[]', '[]'`
	}
	return `SELECT s.id, s.owner_id, u.name, u.avatar_url, s.text, s.quiet_search
		AND (s.owner_id = ?1 OR ` + searchedIntent("i", "?1", "?2") + `), s.story_expires_at, s.created_at,
			EXISTS (SELECT 1 FROM story_new sn WHERE sn.user_id = ?1 AND sn.story_id = s.id), ` + texts + `, i.matching_mode, i.collaborators` + further + `
		FROM (` + source + `) chosen CROSS JOIN story s ON s.id = chosen.id
		CROSS JOIN intent i ON ` + matchedIntent("i", "s.intent") + ` CROSS JOIN user u ON ` + namedUser("u", "s.owner_id") + `
		WHERE ` + visibleStory("s", "?1", "?2")
}

// Feed returns up to limit Stories that by sees, the newest first, and of one author up
// to each. It ends before they have more than size bytes of text.
func (r *Reader) Feed(by Viewer, limit, each, size int) ([]FeedStory, error) {
	// What is chosen is sorted without its texts, which are long.
	out, _, err := within[FeedStory](r, size, feedQuery(by, "", `SELECT id FROM (
			SELECT s.id, s.created_at, row_number() OVER (PARTITION BY s.owner_id ORDER BY s.created_at DESC) AS number FROM (
				SELECT f.id FROM story f WHERE `+ownStory("f", "?1")+`
				UNION SELECT f.story_id FROM story_audience f WHERE f.user_id = ?1
				UNION SELECT f.story_id FROM member m JOIN story_audience f ON f.conversation_id = m.conversation_id
				WHERE `+visibleMembership("m", "?1")+`
				/* server: visibleStory decides */) chosen
			CROSS JOIN story s ON s.id = chosen.id WHERE `+visibleStory("s", "?1", "?2")+`)
		WHERE number <= ?4 ORDER BY created_at DESC LIMIT ?3`)+` ORDER BY s.created_at DESC`, by.UserID, r.Now(), limit, each)
	return out, err
}

// ShownStories returns how many Stories of by's account are shown.
func (r *Reader) ShownStories(by Viewer) (int, error) {
	return one[int](r, `SELECT count(*) FROM story s WHERE s.text IS NOT NULL AND s.status = 'active' AND s.story_expires_at > ?2 AND `+
		ownStory("s", "?1"),
		by.UserID, r.Now())
}

// FeedStory returns a Story that by sees; ErrNoRow otherwise.
func (r *Reader) FeedStory(by Viewer, id string) (FeedStory, error) {
	return one[FeedStory](r, feedQuery(by, ``, `SELECT ?3 AS id`), by.UserID, r.Now(), id)
}

// InsertStory adds s with its audience, for the intent s.Intent. It is new for those who
// see it then. It sets CreatedAt and UpdatedAt, and ID if that is "".
func (tx *Tx) InsertStory(s *Story) error {
	s.ID, s.CreatedAt, s.UpdatedAt = cmp.Or(s.ID, NewID()), tx.Now, tx.Now
	if err := tx.exec(`INSERT INTO story (id, owner_id, intent, text, quiet_search, status, story_expires_at, search_expires_at,
		created_at, updated_at) VALUES (?1, ?2, ?3, nullif(?4, ''), ?5, ?6, nullif(?7, 0), ?8, ?9, ?9) /* server: a Story of it */`,
		s.ID, s.OwnerID, s.Intent.Seq, s.Text, s.QuietSearch, s.Status, s.StoryExpiresAt, s.SearchExpiresAt, tx.Now); err != nil {
		return err
	}
	if err := tx.exec(`INSERT INTO story_audience (story_id, user_id, conversation_id) SELECT ?1, value, NULL FROM json_each(?2)
		UNION ALL SELECT ?1, NULL, value FROM json_each(?3) /* server: an audience */`,
		s.ID, jsonList(s.Audience.UserIDs), jsonList(s.Audience.ConversationIDs)); err != nil {
		return err
	}
	return tx.exec(`INSERT INTO story_new (user_id, story_id) SELECT to_.id, s.id FROM story s JOIN (
			SELECT value AS id FROM json_each(?2)
			UNION SELECT m.user_id FROM json_each(?3) j JOIN member m ON m.conversation_id = j.value) to_
		WHERE s.id = ?1 AND to_.id <> s.owner_id AND `+visibleStory("s", "to_.id", "?4")+` /* scan: the audience */ /* server: an audience */`,
		s.ID, jsonList(s.Audience.UserIDs), jsonList(s.Audience.ConversationIDs), tx.Reader.Now())
}

// SeeStories records that by has seen Stories, and reports whether one was new.
func (tx *Tx) SeeStories(by Viewer, ids []string) (bool, error) {
	n, err := tx.execCount(`DELETE FROM story_new WHERE user_id = ?1 AND story_id IN (SELECT value FROM json_each(?2))`, by.UserID,
		jsonList(ids))
	return n > 0, err
}

// UpdateStory writes what can change of s: its status and when it expires. It
// sets UpdatedAt.
func (tx *Tx) UpdateStory(s *Story) error {
	s.UpdatedAt = tx.Now
	return tx.exec1(`UPDATE story SET status = ?2, story_expires_at = nullif(?3, 0), search_expires_at = ?4, updated_at = ?5 WHERE id = ?1`,
		s.ID, s.Status, s.StoryExpiresAt, s.SearchExpiresAt, tx.Now)
}
