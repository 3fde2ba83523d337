package store

import "errors"

// Match is two intents that were matched, as the account of one of them sees it:
// it has nothing of the other account but the kind and the terms of its intent.
type Match struct {
	ID             string
	Type           string // complementary, reciprocal, shared_goal
	Score          int    // hundredths
	State          string // open, closed, connected; closed, too, once the viewer's own intent has ended
	Approved       bool   // by the viewer
	ConversationID string // "" until connected
	CreatedAt      Time   // unique in the file for matches of one account
	UpdatedAt      Time   // when what the viewer sees changed

	OwnID, OwnKind, OwnTerms string
	OwnStatus                string // of the viewer's own intent
	OwnExpiresAt             Time   // 0: never
	OtherKind, OtherTerms    string
}

// matchesOf is a query for the matches of the viewer ?1 that are their side own,
// with the condition where on a match x.
func matchesOf(own, other, where string) string {
	return `SELECT x.id, x.type, x.score, iif(` + openMatch("x", "i") + `, 'open', iif(x.state = 'open', 'closed', x.state)),
		x.` + own + `_approved, x.conversation_id, x.created_at, x.` + own + `_updated_at,
		i.id, i.kind, i.terms, i.status, coalesce(i.expires_at, 0), o.kind, o.terms
		FROM intent_match x JOIN intent i ON ` + matchedIntent("i", "x."+own+"_intent") + `
		JOIN intent o ON ` + matchedIntent("o", "x."+other+"_intent") + `
		WHERE x.` + own + `_user = ?1 AND ` + visibleMatch("x", "?1") + ` AND ` + where
}

// openMatch: a match waits for answers, and the intent of the side that looks at it
// has not ended. The other side does not see that it has: it could tell whose the
// intent is by what else its account ended at that moment.
func openMatch(match, own string) string {
	return match + `.state = 'open' AND ` + own + `.status NOT IN ('withdrawn', 'connected')`
}

// matches is a query for the matches of the viewer ?1 of both sides.
func matches(where string) string {
	return matchesOf("a", "b", where) + ` UNION ALL ` + matchesOf("b", "a", where)
}

// Matches returns up to limit matches of by's account, created before a moment
// (0: the newest), the newest first.
func (r *Reader) Matches(by Viewer, before Time, limit int) ([]Match, error) {
	return all[Match](r, matches(`x.created_at < ?2`)+` ORDER BY 7 DESC LIMIT ?3`, by.UserID, orEnd(before), limit)
}

// OpenMatches returns up to limit matches of by's account that wait for its answer,
// created before a moment (0: the newest), the newest first.
func (r *Reader) OpenMatches(by Viewer, before Time, limit int) ([]Match, error) {
	return all[Match](r, matchesOf("a", "b", openMatch("x", "i")+` AND x.a_approved = 0 AND x.created_at < ?2`)+` UNION ALL `+
		matchesOf("b", "a", openMatch("x", "i")+` AND x.b_approved = 0 AND x.created_at < ?2`)+` ORDER BY 7 DESC LIMIT ?3`, by.UserID,
		orEnd(before), limit)
}

// MatchesByID returns the matches with the ids that are of by's account, in no order.
func (r *Reader) MatchesByID(by Viewer, ids ...string) ([]Match, error) {
	return all[Match](r, matches(`x.id IN (SELECT value FROM json_each(?2))`), by.UserID, jsonList(ids))
}

// InsertMatch adds a match of two intents, which is not shown to anybody yet. It
// returns "" if they were matched before.
func (tx *Tx) InsertMatch(a, b *Intent, typ string, score int) (id string, err error) {
	if a.Seq > b.Seq {
		a, b = b, a
	}
	id = NewID()
	err = tx.exec1(`INSERT INTO intent_match (id, a_intent, b_intent, a_user, b_user, type, score, state, a_updated_at,
		b_updated_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8, ?8, ?8) ON CONFLICT DO NOTHING`,
		id, a.Seq, b.Seq, a.OwnerID, b.OwnerID, typ, score, tx.Tick())
	if errors.Is(err, ErrNoRow) {
		return "", nil
	}
	return id, err
}

// BestScore returns the highest score of the matches of an intent that are open, 0
// without any. Whether the other intent has ended makes no difference: the owner of this
// one would see from their matches that it has.
func (r *Reader) BestScore(intent int64) (int, error) {
	return one[int](r, `SELECT coalesce(max(score), 0) FROM (
			SELECT score FROM intent_match WHERE a_intent = ?1 AND state = 'open' UNION ALL
			SELECT score FROM intent_match WHERE b_intent = ?1 AND state = 'open') /* server: matching */`, intent)
}

// MatchesWith returns how many matches an intent has, or had, with intents of another
// account.
func (tx *Tx) MatchesWith(intent int64, userID string) (int, error) {
	return one[int](&tx.Reader, `SELECT (SELECT count(*) FROM intent_match x WHERE x.a_intent = ?1 AND x.b_user = ?2)
		+ (SELECT count(*) FROM intent_match x WHERE x.b_intent = ?1 AND x.a_user = ?2) /* server: matching */`, intent, userID)
}

// Pair is a match with both of its sides, to answer it.
type Pair struct {
	ID         string
	Type       string
	State      string
	Own, Other PairSide
}

// PairSide is one of the two intents of a match.
type PairSide struct {
	Seq            int64
	UserID         string
	Kind, Terms    string
	Status         string // of the intent
	Approved       bool
	CloseOnConnect bool
	CreatedAt      Time // of the intent
}

// Sides returns the sides in the order of the card: the one that asks comes first, and
// of two asks or two offers the older one.
func (p *Pair) Sides() (first, second PairSide) {
	if p.Own.Kind != p.Other.Kind && p.Own.Kind == "ask" || p.Own.Kind == p.Other.Kind && p.Own.CreatedAt < p.Other.CreatedAt {
		return p.Own, p.Other
	}
	return p.Other, p.Own
}

// Ended reports whether the intent is not matched any more, for good.
func (p *PairSide) Ended() bool { return p.Status == "withdrawn" || p.Status == "connected" }

// Pair returns a match of by's account with both sides; ErrNoRow otherwise.
func (tx *Tx) Pair(by Viewer, id string) (Pair, error) {
	p, err := one[Pair](&tx.Reader, `SELECT x.id, x.type, x.state, i.seq, i.owner_id, i.kind, i.terms, i.status, x.a_approved,
		i.close_on_connect, i.created_at, o.seq, o.owner_id, o.kind, o.terms, o.status, x.b_approved, o.close_on_connect, o.created_at
		FROM intent_match x JOIN intent i ON i.seq = x.a_intent JOIN intent o ON o.seq = x.b_intent
		WHERE x.id = ?2 AND `+visibleMatch("x", "?1")+` /* server: matching */`, by.UserID, id)
	if p.Own.UserID != by.UserID {
		p.Own, p.Other = p.Other, p.Own
	}
	return p, err
}

// ApproveMatch records that an account approves of a match that is open, which
// the other account does not see.
func (tx *Tx) ApproveMatch(id, userID string) error {
	return tx.exec1(`UPDATE intent_match SET a_approved = a_approved OR a_user = ?2, b_approved = b_approved OR b_user = ?2,
			a_updated_at = iif(a_user = ?2, ?3, a_updated_at), b_updated_at = iif(b_user = ?2, ?3, b_updated_at)
		WHERE id = ?1 AND state = 'open'`, id, userID, tx.Now)
}

// CloseMatch closes a match that is open, for both. For one whose intent has ended
// nothing changes.
func (tx *Tx) CloseMatch(id string) error {
	return tx.exec1(`UPDATE intent_match SET state = 'closed', a_updated_at = `+closedAt("a")+`, b_updated_at = `+closedAt("b")+
		` WHERE id = ?1 AND state = 'open'`,
		id, tx.Now)
}

// closedAt is when what a side sees of a match changed, if it closes at ?2.
func closedAt(side string) string {
	return `CASE WHEN EXISTS (SELECT 1 FROM intent i WHERE i.seq = ` + side + `_intent AND i.status IN ('withdrawn', 'connected')
		/* server: matching */)
		THEN ` + side + `_updated_at ELSE ?2 END`
}

// ConnectMatch connects the accounts of a match that is open, in a conversation.
func (tx *Tx) ConnectMatch(id, conversationID string) error {
	return tx.exec1(`UPDATE intent_match SET state = 'connected', a_approved = 1, b_approved = 1, conversation_id = ?2,
		a_updated_at = ?3, b_updated_at = ?3
		WHERE id = ?1 AND state = 'open'`, id, conversationID, tx.Now)
}

// EndMatchesOf records that the owner of an intent sees its open matches closed from
// now on, because it ended, and returns them. For the other sides nothing changes.
func (tx *Tx) EndMatchesOf(seq int64) ([]string, error) {
	ids, err := all[string](&tx.Reader, `SELECT x.id FROM intent_match x WHERE x.a_intent = ?1 AND x.state = 'open'
		UNION ALL SELECT x.id FROM intent_match x WHERE x.b_intent = ?1 AND x.state = 'open' /* server: matching */`, seq)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return ids, tx.exec(`UPDATE intent_match SET a_updated_at = iif(a_intent = ?1, ?2, a_updated_at),
		b_updated_at = iif(b_intent = ?1, ?2, b_updated_at)
		WHERE id IN (SELECT value FROM json_each(?3))`, seq, tx.Now, jsonList(ids))
}
