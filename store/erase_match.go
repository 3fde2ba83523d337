package store

import (
	"errors"
	"slices"
)

// EndedMatches is what EndMatches changed.
type EndedMatches struct {
	Matches int          // that were deleted
	Waiting []string     // the accounts for which one of them was open, each once
	Cards   []MessageRef // which have no words of the account any more
}

// MessageRef names a message.
type MessageRef struct{ ConversationID, ID string }

// endedMatch is a match of an account that is being deleted, which is p.Own.
type endedMatch struct {
	p              Pair
	conversationID string
	connectedAt    Time
}

func scanEndedMatch(s scanner) (m endedMatch, err error) {
	err = s.Scan(append(append([]any{&m.p.ID, &m.p.Type, &m.p.State, (*text)(&m.conversationID), &m.connectedAt}, m.p.Own.dest()...), m.p.Other.dest()...)...)
	return m, err
}

// EndMatches deletes up to limit matches of an account that is frozen, and its words
// from the card of each of them, which the other account keeps. What is left when it
// is redacted ends with that.
func (tx *Tx) EndMatches(userID string, limit int) (out EndedMatches, err error) {
	matches, err := all(&tx.Reader, scanEndedMatch, `SELECT x.id, x.type, x.state, x.conversation_id, x.a_updated_at,
			i.seq, i.owner_id, i.kind, i.terms, i.status, 0, i.close_on_connect, i.created_at,
			o.seq, o.owner_id, o.kind, o.terms, o.status, 0, o.close_on_connect, o.created_at
		FROM (SELECT m.id FROM intent_match m WHERE m.a_user = ?1 UNION ALL SELECT m.id FROM intent_match m WHERE m.b_user = ?1 LIMIT ?2) chosen
		CROSS JOIN intent_match x ON x.id = chosen.id CROSS JOIN intent i ON i.seq = iif(x.a_user = ?1, x.a_intent, x.b_intent)
		CROSS JOIN intent o ON o.seq = iif(x.a_user = ?1, x.b_intent, x.a_intent) /* server: deletion of the account */`, userID, limit)
	if err != nil {
		return out, err
	}
	ids := make([]string, len(matches))
	for n := range matches {
		m := &matches[n]
		ids[n] = m.p.ID
		if m.p.State == "open" && !m.p.Other.Ended() {
			out.Waiting = append(out.Waiting, m.p.Other.UserID)
		}
		if m.p.State != "connected" || m.conversationID == "" {
			continue
		}
		id, err := tx.clearCard(m)
		if err != nil {
			return out, err
		}
		if id != "" {
			out.Cards = append(out.Cards, MessageRef{m.conversationID, id})
		}
	}
	slices.Sort(out.Waiting)
	out.Waiting, out.Matches = slices.Compact(out.Waiting), len(matches)
	_, err = tx.exec(`DELETE FROM intent_match WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
	return out, err
}

// clearCard removes the terms of the account from the card of a match that connected
// it, and returns the id of the message; "" if the card was deleted. The card was sent
// in the write that connected the match, and so at its time.
func (tx *Tx) clearCard(m *endedMatch) (id string, err error) {
	id, err = one(&tx.Reader, scanOne[string], `SELECT x.id FROM message x WHERE x.conversation_id = ? AND x.created_at = ? AND x.card_payload ->> 'matchId' = ?
		/* server: deletion of the account */`, m.conversationID, int64(m.connectedAt), m.p.ID)
	if errors.Is(err, ErrNoRow) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	member := "$.offerTerms"
	if first, _ := m.p.Sides(); first.Seq == m.p.Own.Seq {
		member = "$.askTerms"
	}
	return id, tx.exec1(`UPDATE message SET card_payload = json_set(card_payload, ?2, '') WHERE id = ?1`, id, member)
}
