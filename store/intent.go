package store

import (
	"cmp"
	"slices"
	"strings"
)

// Intent is an ask or an offer.
type Intent struct {
	Seq            int64 // of the row; never shown
	ID             string
	OwnerID        string
	Kind           string // ask, offer
	Terms          string
	Goal           string
	Seeks, Brings  []string // normalised
	MatchingMode   string   // fulfillment, reciprocal, shared_goal
	Collaborators  bool     // open to them
	CloseOnConnect bool
	Details        string // for the owner alone
	Status         string // active, paused, withdrawn, connected
	Restricted     bool   // only its Audience is matched with it
	ExpiresAt      Time   // 0: never
	CreatedAt      Time
	UpdatedAt      Time
	Audience       Audience `row:"-"` // written by InsertIntent
}

// Audience is who an intent or a Story is for: accounts, and the members of
// conversations at the time of the question.
type Audience struct{ UserIDs, ConversationIDs []string }

// Empty reports whether a has nobody.
func (a Audience) Empty() bool { return len(a.UserIDs)+len(a.ConversationIDs) == 0 }

const intentColumns = `i.seq, i.id, i.owner_id, i.kind, i.terms, i.goal, i.seeks, i.brings, i.matching_mode,
	i.collaborators, i.close_on_connect, i.details, i.status, i.audience, coalesce(i.expires_at, 0), i.created_at, i.updated_at`

// briefColumns are intentColumns without the texts by which alone others are found.
var briefColumns = strings.Replace(intentColumns, `i.goal, i.seeks, i.brings`, `NULL, '[]', '[]'`, 1)

// Listed reports whether others can be matched with i at a moment, as far as i
// itself goes.
func (i *Intent) Listed(now Time) bool {
	return i.Status == "active" && (i.ExpiresAt == 0 || i.ExpiresAt > now)
}

// Ended reports whether i is not matched any more, for good.
func (i *Intent) Ended() bool { return i.Status == "withdrawn" || i.Status == "connected" }

// Intents returns up to limit intents of by's account created before a moment
// (0: the newest), the newest first.
func (r *Reader) Intents(by Viewer, before Time, limit int) ([]Intent, error) {
	return all[Intent](r, `SELECT `+intentColumns+` FROM intent i WHERE i.created_at < ?2 AND `+ownIntent("i", "?1")+`
		ORDER BY i.created_at DESC LIMIT ?3`, by.UserID, orEnd(before), limit)
}

// IntentsWithListed returns the newest limit intents of by's account, up to size bytes of
// text, and all that ListedIntents returns, the newest first. If brief is true, they are
// without a goal, and without what is sought and brought.
func (r *Reader) IntentsWithListed(by Viewer, limit, size int, brief bool) ([]Intent, error) {
	columns := intentColumns
	if brief {
		columns = briefColumns
	}
	return keeping(r, limit, size, func(i *Intent) bool { return i.Listed(r.Now()) }, `SELECT `+columns+` FROM intent i
		WHERE `+ownIntent("i", "?1")+`
		AND (i.status = 'active' AND coalesce(i.expires_at > ?2, 1)
		OR i.seq IN (SELECT o.seq FROM intent o WHERE `+ownIntent("o", "?1")+` ORDER BY o.created_at DESC LIMIT ?3))
		ORDER BY i.created_at DESC`, by.UserID, r.Now(), limit)
}

// IntentsWithin is Intents for up to size bytes of text.
func (r *Reader) IntentsWithin(by Viewer, before Time, limit, size int) ([]Intent, error) {
	out, _, err := within[Intent](r, size, `SELECT `+intentColumns+` FROM intent i WHERE i.created_at < ?2 AND `+ownIntent("i", "?1")+`
		ORDER BY i.created_at DESC LIMIT ?3`, by.UserID, orEnd(before), limit)
	return out, err
}

// Size returns how many bytes of text it has.
func (i Intent) Size() int { return bytesOf([]string{i.Terms, i.Goal, i.Details}, i.Seeks, i.Brings) }

// UnendedIntents returns the intents of by's account that have not ended, and those
// with a Story that is not withdrawn.
func (r *Reader) UnendedIntents(by Viewer) ([]Intent, error) {
	return all[Intent](r, `SELECT `+intentColumns+` FROM intent i WHERE `+ownIntent("i", "?1")+` AND (i.status IN ('active', 'paused')
		OR EXISTS (SELECT 1 FROM story s WHERE s.intent = i.seq AND s.status <> 'withdrawn' AND `+ownStory("s", "?1")+`))`, by.UserID)
}

// ListedIntents returns up to limit intents of by's account that others can be
// matched with, as far as the intents themselves go.
func (r *Reader) ListedIntents(by Viewer, limit int) ([]Intent, error) {
	return all[Intent](r, `SELECT `+intentColumns+
		` FROM intent i WHERE i.status = 'active' AND (i.expires_at IS NULL OR i.expires_at > ?2) AND `+
		ownIntent("i", "?1")+` LIMIT ?3`, by.UserID, r.Now(), limit)
}

// Intent returns an intent of by's account; ErrNoRow otherwise.
func (r *Reader) Intent(by Viewer, id string) (Intent, error) {
	return one[Intent](r, `SELECT `+intentColumns+` FROM intent i WHERE i.id = ?2 AND `+ownIntent("i", "?1"), by.UserID, id)
}

// IntentBySeq returns the intent with the row number, of any account, to match it.
func (r *Reader) IntentBySeq(seq int64) (Intent, error) {
	return one[Intent](r, `SELECT `+intentColumns+` FROM intent i WHERE i.seq = ? /* server: matching */`, seq)
}

// ActiveIntents returns how many intents of by's account are active and not
// expired.
func (r *Reader) ActiveIntents(by Viewer) (int, error) {
	return one[int](r, `SELECT count(*) FROM intent i WHERE i.status = 'active' AND (i.expires_at IS NULL OR i.expires_at > ?2) AND `+
		ownIntent("i", "?1"), by.UserID, r.Now())
}

// InsertIntent adds i with its audience. It sets Seq, which is never used again,
// CreatedAt and UpdatedAt, and ID if that is "".
func (tx *Tx) InsertIntent(i *Intent) error {
	i.ID, i.CreatedAt, i.UpdatedAt = cmp.Or(i.ID, NewID()), tx.Now, tx.Now
	i.Restricted = !i.Audience.Empty()
	err := tx.value([]any{&i.Seq}, `UPDATE sequence
		SET last = max(last, (SELECT coalesce(max(i.seq), 0) FROM intent i /* server: ids */)) + 1
		WHERE name = 'intent' RETURNING last`)
	if err != nil {
		return err
	}
	err = tx.exec(`INSERT INTO intent (seq, id, owner_id, kind, terms, goal, seeks, brings, matching_mode, collaborators,
		close_on_connect, details, status, audience, expires_at, created_at, updated_at)
		VALUES (?16, ?1, ?2, ?3, ?4, nullif(?5, ''), ?6, ?7, ?8, ?9, ?10, nullif(?11, ''), ?12, ?13, nullif(?14, 0), ?15, ?15)`,
		i.ID, i.OwnerID, i.Kind, i.Terms, i.Goal, jsonList(i.Seeks), jsonList(i.Brings), i.MatchingMode, i.Collaborators, i.CloseOnConnect,
		i.Details, i.Status, i.Restricted, i.ExpiresAt, tx.Now, i.Seq)
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO intent_audience (intent, user_id, conversation_id) SELECT ?1, value, NULL FROM json_each(?2)
		UNION ALL SELECT ?1, NULL, value FROM json_each(?3) /* server: an audience */`,
		i.Seq, jsonList(i.Audience.UserIDs), jsonList(i.Audience.ConversationIDs))
}

// SetIntentStatus changes the status of i, whose vectors it deletes unless that is active.
func (tx *Tx) SetIntentStatus(i *Intent, status string) error {
	i.Status, i.UpdatedAt = status, tx.Now
	if status != "active" {
		if err := tx.exec(`DELETE FROM intent_vector WHERE seq = ?`, i.Seq); err != nil {
			return err
		}
	}
	return tx.exec1(`UPDATE intent SET status = ?2, updated_at = ?3 WHERE seq = ?1`, i.Seq, status, tx.Now)
}

// SetIntentExpiry changes when i expires.
func (tx *Tx) SetIntentExpiry(i *Intent, at Time) error {
	i.ExpiresAt, i.UpdatedAt = at, tx.Now
	return tx.exec1(`UPDATE intent SET expires_at = nullif(?2, 0), updated_at = ?3 WHERE seq = ?1`, i.Seq, at, tx.Now)
}

// IntentAudience returns the audience of an intent of by's account.
func (r *Reader) IntentAudience(by Viewer, seq int64) (a Audience, err error) {
	return audienceOf(r, `SELECT coalesce(a.user_id, ''), coalesce(a.conversation_id, '') FROM intent i
		JOIN intent_audience a ON a.intent = i.seq
		WHERE i.seq = ?2 AND `+ownIntent("i", "?1"), by.UserID, seq)
}

// audienceOf returns the audience of a query for pairs of a user id and a
// conversation id, one of them empty, in the order of the ids.
func audienceOf(r *Reader, query string, args ...any) (a Audience, err error) {
	type member struct{ UserID, ConversationID string }
	members, err := all[member](r, query, args...)
	for _, m := range members {
		if m.UserID != "" {
			a.UserIDs = append(a.UserIDs, m.UserID)
		} else {
			a.ConversationIDs = append(a.ConversationIDs, m.ConversationID)
		}
	}
	slices.Sort(a.UserIDs)
	slices.Sort(a.ConversationIDs)
	return a, err
}

// AudienceUnknown returns the ids of an audience that by's account cannot name:
// people who are not visible to it, and conversations that it is not in.
func (r *Reader) AudienceUnknown(by Viewer, a Audience) ([]string, error) {
	return all[string](r, `SELECT j.value FROM json_each(?2) j WHERE NOT EXISTS (
			SELECT 1 FROM user u WHERE u.id = j.value AND u.id <> ?1 AND u.is_bot = 0 AND `+reachableUser("u", "?1")+`)
		UNION ALL SELECT j.value FROM json_each(?3) j WHERE NOT `+visibleConversation("j.value", "?1"),
		by.UserID, jsonList(a.UserIDs), jsonList(a.ConversationIDs))
}

// ActiveIntent names an intent that is active and not expired.
type ActiveIntent struct {
	Seq     int64
	OwnerID string
}

// AllActiveIntents returns the newest limit intents of all accounts that are active
// and not expired.
func (r *Reader) AllActiveIntents(limit int) ([]ActiveIntent, error) {
	return all[ActiveIntent](r, `SELECT i.seq, i.owner_id FROM intent i WHERE i.status = 'active'
		AND (i.expires_at IS NULL OR i.expires_at > ?1)
		ORDER BY +i.seq DESC LIMIT ?2 /* server: matching */ /* scan: the active ones */`, r.Now(), limit)
}

// EligibleOf returns the chosen intents, by row number, that an intent could be matched
// with, in their order. It leaves out intents that were matched with it before.
func (r *Reader) EligibleOf(intent int64, chosen []int64) ([]int64, error) {
	return all[int64](r, `SELECT i.seq FROM json_each(?2) chosen CROSS JOIN intent i ON i.seq = chosen.value
		CROSS JOIN intent o ON o.seq = ?1 WHERE `+matchableIntent("i", "o.owner_id", "?3")+`
		AND `+matchableIntent("o", "i.owner_id", "?3")+` AND `+notMatched("i.seq", "o.seq"), intent, jsonList(chosen), r.Now())
}

// Eligible reports whether two intents could be matched now, had they not been
// matched before.
func (r *Reader) Eligible(a, b int64) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM intent i JOIN intent o ON o.seq = ?2 WHERE i.seq = ?1
		AND `+matchableIntent("i", "o.owner_id", "?3")+` AND `+matchableIntent("o", "i.owner_id", "?3")+`)`, a, b, r.Now())
}
