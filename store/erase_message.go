package store

import (
	"errors"
	"maps"
	"slices"
)

// uncountMessages takes the messages of an account out of the counts of their
// conversations, as DeleteMessage does for one, and adds the conversations to
// out.Messages. A member had seen the messages up to last_read_at.
func (tx *Tx) uncountMessages(out *Erasure) error {
	times := map[string][]Time{} // of its messages, by their conversations
	err := each(&tx.Reader, func(m *struct {
		ConversationID string
		CreatedAt      Time
	}) bool {
		times[m.ConversationID] = append(times[m.ConversationID], m.CreatedAt)
		return true
	}, `SELECT x.conversation_id, x.created_at FROM message x INDEXED BY message_sender WHERE x.sender_id = ? AND x.deleted_at IS NULL
		ORDER BY x.created_at`+erasing, out.UserID)
	if err != nil {
		return err
	}
	conversations := slices.Sorted(maps.Keys(times))
	out.Messages = append(out.Messages, conversations...)
	slices.Sort(out.Messages)
	out.Messages = slices.Compact(out.Messages)
	for _, id := range conversations {
		err := tx.exec(`UPDATE conversation SET live_count = live_count - ?2, updated_at = ?3 WHERE id = ?1`, id, len(times[id]), tx.Now)
		if err != nil {
			return err
		}
	}
	readers, err := all[reading](&tx.Reader, `SELECT m.conversation_id, m.user_id, iif(m.user_id = ?1, ?2, m.last_read_at) FROM member m
		WHERE (m.user_id = ?1 OR m.last_read_at > 0) AND m.conversation_id IN (SELECT value FROM json_each(?3))`+erasing,
		out.UserID, orEnd(0), jsonList(conversations))
	for _, m := range readers {
		seen, _ := slices.BinarySearch(times[m.ConversationID], m.Until+1)
		if seen > 0 && err == nil {
			err = tx.exec(`UPDATE member SET seen_count = seen_count - ?3 WHERE conversation_id = ?1 AND user_id = ?2`,
				m.ConversationID, m.UserID, seen)
		}
	}
	return err
}

// reading is how far a member has read a conversation.
type reading struct {
	ConversationID, UserID string
	Until                  Time
}

// redactMessages removes the words of an account from its messages and their sender,
// with the reactions and mentions on either side.
func (tx *Tx) redactMessages(out *Erasure) error {
	const own = `(SELECT x.conversation_id, x.created_at FROM message x INDEXED BY message_sender WHERE x.sender_id = ?1 AND x.`
	// Its rows in a table that are the last of a message of somebody else.
	last := func(table string) string {
		return `(conversation_id, created_at) IN (SELECT q.conversation_id, q.message_at FROM ` + table + ` q
			WHERE q.user_id = ?1 AND NOT EXISTS (
			SELECT 1 FROM ` + table + ` o WHERE o.conversation_id = q.conversation_id AND o.message_at = q.message_at AND o.user_id <> ?1))`
	}
	id := []any{out.UserID}
	return tx.execAll(
		statement{`UPDATE message SET reacted = 0 WHERE ` + last("reaction") + erasing, id},
		statement{`DELETE FROM reaction WHERE user_id = ?`, id},
		statement{`UPDATE message SET mentioned = 0 WHERE ` + last("mention") + erasing, id},
		statement{`DELETE FROM mention WHERE user_id = ?`, id},
		statement{`DELETE FROM reaction WHERE (conversation_id, message_at) IN ` + own + `reacted = 1)` + erasing, id},
		statement{`DELETE FROM mention WHERE (conversation_id, message_at) IN ` + own + `mentioned = 1)` + erasing, id},
		statement{`INSERT OR IGNORE INTO word_queue SELECT 'message', x.created_at, x.conversation_id
			FROM message x INDEXED BY message_sender WHERE x.sender_id = ?` + erasing, id},
		statement{`UPDATE message SET content = '', card_payload = NULL, request_hash = NULL, attachments = NULL, transcript = NULL,
			transcribe_until = NULL, agent_id = NULL, agent_name = NULL, reacted = 0, mentioned = 0,
			deleted_at = coalesce(deleted_at, ?3), sender_id = ?2 WHERE sender_id = ?1`, []any{out.UserID, DeletedUserID, tx.Now}},
	)
}

// erasing says why a statement reads what is not visible to a viewer.
const erasing = ` /* server: deletion of the account */`

// dropEmpty deletes the conversations that have no members, which nobody can ever see.
func (tx *Tx) dropEmpty() error {
	ids, err := all[string](&tx.Reader, `SELECT c.id FROM conversation c INDEXED BY conversation_empty WHERE c.member_count = 0
		/* server: nobody can see it */ /* scan: an index that is hardly ever not empty */`)
	for _, id := range ids {
		if err == nil {
			err = tx.dropConversation(id)
		}
	}
	return err
}

func (tx *Tx) dropConversation(id string) error {
	files, err := all[string](&tx.Reader,
		`SELECT DISTINCT x.attachment_id FROM message_attachment x WHERE x.conversation_id = ? /* server: nobody can see it */`, id)
	if err != nil {
		return err
	}
	if err := tx.execAll(
		statement{`DELETE FROM thought WHERE captured = 1 AND source_conversation_id = ?`, []any{id}},
		statement{`DELETE FROM conversation WHERE id = ?`, []any{id}},
		statement{`UPDATE attachment SET uses = (SELECT count(*) FROM message_attachment x WHERE x.attachment_id = attachment.id)
			WHERE id IN (SELECT value FROM json_each(?)) /* server: nobody can see it */`, []any{jsonList(files)}},
	); err != nil {
		return err
	}
	for _, file := range files {
		if err := tx.deleteUnused(file); err != nil {
			return err
		}
	}
	return nil
}

// EndedMatches is what the end of an account's matches changed.
type EndedMatches struct {
	Waiting []string     // the accounts for which one of them was open, each once
	Cards   []MessageRef // which have no words of the account any more
}

// MessageRef names a message.
type MessageRef struct{ ConversationID, ID string }

// endedMatch is a match of an account that is being deleted, which is Own.
type endedMatch struct {
	Pair
	ConversationID string
	ConnectedAt    Time
}

// endMatches removes the words of an account from the cards of its matches, which the
// other accounts keep. The matches are deleted with the account.
func (tx *Tx) endMatches(out *Erasure) error {
	matches, err := all[endedMatch](&tx.Reader, `SELECT x.id, x.type, x.state,
			i.seq, i.owner_id, i.kind, i.terms, i.status, 0, i.close_on_connect, i.created_at,
			o.seq, o.owner_id, o.kind, o.terms, o.status, 0, o.close_on_connect, o.created_at, x.conversation_id, x.a_updated_at
		FROM (SELECT m.id FROM intent_match m WHERE m.a_user = ?1 UNION ALL SELECT m.id FROM intent_match m WHERE m.b_user = ?1) chosen
		CROSS JOIN intent_match x ON x.id = chosen.id CROSS JOIN intent i ON i.seq = iif(x.a_user = ?1, x.a_intent, x.b_intent)
		CROSS JOIN intent o ON o.seq = iif(x.a_user = ?1, x.b_intent, x.a_intent) /* server: deletion of the account */`, out.UserID)
	for n := range matches {
		m := &matches[n]
		if m.State == "open" && !m.Other.Ended() {
			out.Waiting = append(out.Waiting, m.Other.UserID)
		}
		if err == nil && m.State == "connected" && m.ConversationID != "" {
			err = tx.clearCard(m, out)
		}
	}
	slices.Sort(out.Waiting)
	out.Waiting = slices.Compact(out.Waiting)
	return err
}

// clearCard removes the terms of the account from the card of a match that connected
// it, unless the card is deleted. The card was sent in the write that connected the
// match, and so at its time.
func (tx *Tx) clearCard(m *endedMatch, out *Erasure) error {
	id, err := one[string](&tx.Reader, `SELECT x.id FROM message x WHERE x.conversation_id = ? AND x.created_at = ?
		AND x.card_payload ->> 'matchId' = ?
		/* server: deletion of the account */`, m.ConversationID, m.ConnectedAt, m.ID)
	if errors.Is(err, ErrNoRow) {
		return nil
	}
	if err != nil {
		return err
	}
	member := "$.offerTerms"
	if first, _ := m.Sides(); first.Seq == m.Own.Seq {
		member = "$.askTerms"
	}
	out.Cards = append(out.Cards, MessageRef{m.ConversationID, id})
	return tx.exec1(`UPDATE message SET card_payload = json_set(card_payload, ?2, '') WHERE id = ?1`, id, member)
}
