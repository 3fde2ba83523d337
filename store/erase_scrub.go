package store

import "errors"

// scrubs are the statements that delete or change what may be many rows of an
// account ?1, up to ?2 rows at a time.
var scrubs = []string{
	`DELETE FROM thought_pin WHERE (conversation_id, thought_id) IN (
		SELECT conversation_id, thought_id FROM thought_pin WHERE pinned_by = ?1 LIMIT ?2)`,
	`DELETE FROM conversation_change WHERE (conversation_id, at) IN (SELECT conversation_id, at FROM conversation_change WHERE user_id = ?1 LIMIT ?2)`,
	`UPDATE conversation_change SET actor_id = NULL WHERE (conversation_id, at) IN (SELECT conversation_id, at FROM conversation_change WHERE actor_id = ?1 LIMIT ?2)`,
	`DELETE FROM thought_collapsed WHERE (user_id, conversation_id, thought_id) IN (
		SELECT user_id, conversation_id, thought_id FROM thought_collapsed WHERE user_id = ?1 LIMIT ?2)`,
	`DELETE FROM found_person WHERE (user_id, found_id) IN (SELECT user_id, found_id FROM found_person WHERE user_id = ?1 LIMIT ?2)`,
	`DELETE FROM found_person WHERE (user_id, found_id) IN (SELECT user_id, found_id FROM found_person WHERE found_id = ?1 LIMIT ?2)`,
	`DELETE FROM thought WHERE id IN (SELECT id FROM thought WHERE user_id = ?1 LIMIT ?2)`,
	`DELETE FROM delivery WHERE (webhook_id, at) IN (SELECT d.webhook_id, d.at FROM webhook h JOIN delivery d ON d.webhook_id = h.id WHERE h.user_id = ?1 LIMIT ?2)`,
	`DELETE FROM context_request WHERE id IN (SELECT id FROM context_request WHERE requester_id = ?1 LIMIT ?2)`,
	`DELETE FROM context_request WHERE id IN (SELECT id FROM context_request WHERE owner_id = ?1 LIMIT ?2)`,
	`UPDATE context_post SET author_id = '` + DeletedUserID + `', text = '', revision = revision + (deleted_at IS NULL), agent_id = NULL, agent_name = NULL,
		client_request_id = id, request_hash = NULL, intent = NULL, intent_revision = NULL, intent_hash = NULL, deleted_at = coalesce(deleted_at, (SELECT at FROM erasing WHERE user_id = ?1))
		WHERE (conversation_id, created_at) IN (SELECT conversation_id, created_at FROM context_post WHERE author_id = ?1 LIMIT ?2)`,
	`DELETE FROM context_intention WHERE intent IN (SELECT intent FROM context_intention WHERE owner_id = ?1 LIMIT ?2)`,
	`DELETE FROM intent_match WHERE id IN (SELECT id FROM intent_match WHERE a_user = ?1 LIMIT ?2)`,
	`DELETE FROM intent_match WHERE id IN (SELECT id FROM intent_match WHERE b_user = ?1 LIMIT ?2)`,
	`DELETE FROM story WHERE id IN (SELECT id FROM story WHERE owner_id = ?1 LIMIT ?2)`,
	`DELETE FROM intent WHERE seq IN (SELECT seq FROM intent WHERE owner_id = ?1 LIMIT ?2)`,
	`DELETE FROM intent_draft WHERE id IN (SELECT id FROM intent_draft WHERE owner_id = ?1 LIMIT ?2)`,
	`DELETE FROM approval_grant WHERE hash IN (SELECT hash FROM approval_grant WHERE user_id = ?1 LIMIT ?2)`,
	`DELETE FROM setting WHERE name IN (SELECT name FROM setting WHERE name = '` + matchAgain + `' || ?1 LIMIT ?2)`,
	`DELETE FROM webhook WHERE id IN (SELECT id FROM webhook WHERE user_id = ?1 LIMIT ?2)`,
	`UPDATE item SET author_id = NULL WHERE id IN (SELECT id FROM item WHERE author_id = ?1 LIMIT ?2)`,
	`UPDATE item SET checked_by = NULL WHERE id IN (SELECT id FROM item WHERE checked_by = ?1 LIMIT ?2)`,
	`UPDATE audit SET actor_id = NULL WHERE at IN (SELECT at FROM audit WHERE actor_id = ?1 LIMIT ?2)`,
	`UPDATE audit SET target_id = '` + DeletedUserID + `', detail = '' WHERE at IN (SELECT at FROM audit WHERE target_id = ?1 AND target_id <> '' LIMIT ?2)`,
	`DELETE FROM quota WHERE name IN (SELECT name FROM quota WHERE instr(name, ?1) > 0 LIMIT ?2) /* scan: what was limited within the last hours */`,
}

// Scrub deletes or changes up to limit rows of an account whose deletion is at
// the stage Redacted, and reports whether there may be more. Its messages keep
// their places, without words and with DeletedUserID as the sender.
func (tx *Tx) Scrub(userID string, limit int) (more bool, err error) {
	e, err := tx.Erasure(userID)
	if errors.Is(err, ErrNoRow) || err == nil && e.Stage != Redacted {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, step := range []func() (int64, error){
		func() (int64, error) { return tx.scrubEmpty(limit) },
		func() (int64, error) { return tx.scrubMessages(e, limit) },
		func() (int64, error) { return tx.scrubReactions(userID, limit) },
		func() (int64, error) { return tx.scrubMentions(userID, limit) },
		func() (int64, error) { return tx.scrubFiles(userID, limit) },
		func() (int64, error) { return tx.scrubReportFiles(userID, limit) },
		func() (int64, error) { return tx.scrubDirects(userID, limit) },
		func() (int64, error) { return tx.scrubLists(userID, limit) },
		func() (int64, error) { return tx.scrubStars(userID, limit) },
		func() (int64, error) { return tx.scrubComments(userID, limit) },
	} {
		if n, err := step(); err != nil || n > 0 {
			return true, err
		}
	}
	tx.e.OnDurable(tx.db.frequent.Clear) // of intents that are deleted below
	for _, query := range scrubs {
		if n, err := tx.exec(query+` /* server: deletion of the account */`, userID, limit); err != nil || n > 0 {
			return true, err
		}
	}
	return false, nil
}

// messagesAtOnce is how many bytes of text the messages have that one write indexes or
// deletes, beside the first of them.
const messagesAtOnce = 64 << 10

// storedMessages returns messages as they are in the file, also those of accounts that are
// read as deleted. If they have more text than a write should change, it returns the first
// of them and more.
func (tx *Tx) storedMessages(condition string, args ...any) (messages []Message, more bool, err error) {
	return within(&tx.Reader, messagesAtOnce, scanMessage, `SELECT x.conversation_id, `+storedColumns+`, NULL FROM message x `+condition+` /* server: the words of messages, and deletion of accounts */`, args...)
}

func (tx *Tx) scrubMessages(e Erasure, limit int) (int64, error) {
	messages, _, err := tx.storedMessages(`INDEXED BY message_sender WHERE x.sender_id = ? LIMIT ?`, e.UserID, limit)
	if err != nil {
		return 0, err
	}
	return tx.scrubSome(messages, limit, func(m *Message) error {
		if _, err := tx.exec(`UPDATE message SET content = '', card_payload = NULL, request_hash = NULL, attachments = NULL, transcript = NULL,
				transcribe_until = NULL, agent_id = NULL, agent_name = NULL, reacted = 0, mentioned = 0, deleted_at = coalesce(deleted_at, ?3), sender_id = '`+DeletedUserID+`'
			WHERE conversation_id = ?1 AND created_at = ?2`, m.ConversationID, int64(m.CreatedAt), int64(e.At)); err != nil {
			return err
		}
		return tx.scrubMessage(m)
	})
}

// scrubSome deletes the reactions of messages, which can be many, and then calls scrub
// for the message, until up to limit rows are changed. It returns how many.
func (tx *Tx) scrubSome(messages []Message, limit int, scrub func(*Message) error) (rows int64, err error) {
	for i := range messages {
		m, left, n := &messages[i], int64(limit)-rows, int64(0)
		if m.Reacted || m.DeletedAt != 0 {
			n, err = tx.deleteReactions(m, left)
		}
		if rows += n; err != nil || n == left {
			return rows, err
		}
		if err := scrub(m); err != nil {
			return 0, err
		}
		rows++
	}
	return rows, nil
}

// scrubMessage removes what a stored message without reactions has outside its row.
func (tx *Tx) scrubMessage(m *Message) (err error) {
	if m.Attachments != "" {
		err = tx.detachAll(m.ConversationID, m.CreatedAt)
	}
	if err == nil && m.Mentioned {
		_, err = tx.exec(`DELETE FROM mention WHERE conversation_id = ? AND message_at = ?`, m.ConversationID, int64(m.CreatedAt))
	}
	if err == nil {
		err = tx.deleteCapture(m)
	}
	return err
}

// scrubFiles deletes files of an account that no message has.
func (tx *Tx) scrubFiles(userID string, limit int) (int64, error) {
	ids, err := all(&tx.Reader, scanOne[string], `SELECT a.id FROM attachment a WHERE a.user_id = ? AND a.uses = 0 LIMIT ? /* server: deletion of the account */`, userID, limit)
	for _, id := range ids {
		if err == nil {
			err = tx.deleteUnused(id)
		}
	}
	return int64(len(ids)), err
}

// scrubDirects ends memberships of an account in direct conversations, which are
// all it has left.
func (tx *Tx) scrubDirects(userID string, limit int) (int64, error) {
	ids, err := all(&tx.Reader, scanOne[string], `SELECT m.conversation_id FROM member m WHERE m.user_id = ? LIMIT ? /* server: deletion of the account */`, userID, limit)
	for _, id := range ids {
		if err == nil {
			err = tx.leaveDirect(id, userID)
		}
	}
	return int64(len(ids)), err
}

// leaveDirect puts DeletedUserID in the place of the account, or empties the
// conversation if nobody else is left in it. The key of the pair, which has both
// ids, becomes one that no pair can have.
func (tx *Tx) leaveDirect(id, userID string) error {
	var others int
	if err := tx.value([]any{&others}, `SELECT count(*) FROM member WHERE conversation_id = ? AND user_id <> ? AND user_id <> ? /* server: who is left */`,
		id, userID, DeletedUserID); err != nil {
		return err
	}
	if others == 0 {
		return tx.execAll(
			statement{`DELETE FROM member WHERE conversation_id = ?`, []any{id}},
			statement{`UPDATE conversation SET title = NULL, direct_key = id, member_count = 0, bot_count = 0, owners = '', recent = '' WHERE id = ?`, []any{id}},
		)
	}
	return tx.execAll(
		statement{`UPDATE conversation SET direct_key = replace(direct_key, ?2, ?3) || ':' || id, bot_count = bot_count - ` + isBot("?2") + `,
			owners = replace(owners, ?2, ?3), recent = replace(recent, ?2, ?3) WHERE id = ?1`, []any{id, userID, DeletedUserID}},
		statement{`UPDATE member SET user_id = ?3, seen_count = 0, last_read_at = NULL, muted_until = NULL WHERE conversation_id = ?1 AND user_id = ?2`,
			[]any{id, userID, DeletedUserID}},
	)
}

// messageKey is the primary key of a message.
type messageKey struct {
	conversationID string
	at             Time
}

func scanMessageKey(s scanner) (k messageKey, err error) {
	err = s.Scan(&k.conversationID, &k.at)
	return k, err
}

// scrubReactions deletes reactions of an account to messages of others.
func (tx *Tx) scrubReactions(userID string, limit int) (int64, error) {
	keys, err := all(&tx.Reader, scanMessageKey, `SELECT q.conversation_id, q.message_at FROM reaction q
		WHERE q.user_id = ? LIMIT ? /* server: deletion of the account */`, userID, limit)
	for _, k := range keys {
		if err != nil {
			return 0, err
		}
		if _, err = tx.exec(`DELETE FROM reaction WHERE conversation_id = ? AND message_at = ? AND user_id = ?`, k.conversationID, int64(k.at), userID); err == nil {
			_, err = tx.exec(`UPDATE message SET reacted = 0 WHERE conversation_id = ?1 AND created_at = ?2 AND NOT EXISTS (
				SELECT 1 FROM reaction q WHERE q.conversation_id = ?1 AND q.message_at = ?2) /* server: the mark of the message */`, k.conversationID, int64(k.at))
		}
	}
	return int64(len(keys)), err
}

// scrubEmpty deletes messages of conversations that have no members, which
// nobody can ever see, and then the conversations.
func (tx *Tx) scrubEmpty(limit int) (n int64, err error) {
	id, err := one(&tx.Reader, scanOne[string], `SELECT c.id FROM conversation c INDEXED BY conversation_empty WHERE c.member_count = 0 LIMIT 1 /* server: nobody can see it */ /* scan: the first, of an index that is hardly ever not empty */`)
	if errors.Is(err, ErrNoRow) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	messages, _, err := tx.storedMessages(`WHERE x.conversation_id = ? LIMIT ?`, id, limit)
	if err != nil {
		return 0, err
	}
	if len(messages) > 0 {
		return tx.scrubSome(messages, limit, func(m *Message) error {
			if err := tx.scrubMessage(m); err != nil {
				return err
			}
			_, err := tx.exec(`DELETE FROM message WHERE conversation_id = ? AND created_at = ?`, id, int64(m.CreatedAt))
			return err
		})
	}
	if n, err = tx.exec(`DELETE FROM context_post WHERE (conversation_id, created_at) IN (SELECT conversation_id, created_at FROM context_post WHERE conversation_id = ? LIMIT ?)
		/* server: nobody can see them */`, id, limit); err != nil || n > 0 {
		return n, err
	}
	if n, err = tx.exec(`DELETE FROM conversation_change WHERE (conversation_id, at) IN (SELECT conversation_id, at FROM conversation_change WHERE conversation_id = ? LIMIT ?)
		/* server: nobody can see them */`, id, limit); err != nil || n > 0 {
		return n, err
	}
	return tx.exec(`DELETE FROM conversation WHERE id = ?`, id)
}

// RemoveUser deletes the row of an account that is scrubbed, and with it all
// rows that it still has.
func (tx *Tx) RemoveUser(userID string) error {
	if err := tx.exec1(`UPDATE erasing SET stage = 'removed', at = ?2 WHERE user_id = ?1 AND stage = 'redacted'`, userID, int64(tx.Now)); err != nil {
		return err
	}
	tx.credentialsChanged(userID)
	return tx.exec1(`DELETE FROM user WHERE id = ?`, userID)
}

// EventsOf returns the ids of the events that name an account, of those after an
// id up to the id upTo.
func (r *Reader) EventsOf(userID string, after, upTo int64) ([]int64, error) {
	return all(r, scanOne[int64], `SELECT e.id FROM event e WHERE e.id > ?2 AND e.id <= ?3
		AND (e.topic = ?1 OR e.object_id = ?1 OR e.actor_id = ?1) /* server: deletion of the account */`, userID, after, upTo)
}

// ForgetEvents replaces an account by DeletedUserID in the events with the ids.
// No row is deleted, so that no id is used twice.
func (tx *Tx) ForgetEvents(userID string, ids []int64) error {
	for _, id := range ids {
		if _, err := tx.exec(`UPDATE event SET topic = replace(topic, ?2, ?3), object_id = replace(object_id, ?2, ?3), actor_id = replace(actor_id, ?2, ?3)
			WHERE id = ?1`, id, userID, DeletedUserID); err != nil {
			return err
		}
	}
	return nil
}

// Wipe overwrites copies of deleted rows in pages that DB.Residue has found.
func (tx *Tx) Wipe(pages []int64) error { return tx.e.Wipe(pages) }

// EndErasure ends the deletion of an account that is removed.
func (tx *Tx) EndErasure(userID string) error {
	_, err := tx.exec(`DELETE FROM erasing WHERE user_id = ? AND stage = 'removed'`, userID)
	return err
}
