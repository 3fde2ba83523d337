package store_test

import (
	"errors"
	"testing"

	"hearth/store"
)

const groupOfAda = `INSERT INTO conversation (id, type, created_at, updated_at, member_count) VALUES ('c', 'group', 0, 0, 5)`

// The group of an owner who is deleted belongs to the person who joined first, rather than
// to one who joined before but is suspended, or to a bot.
func TestWhoOwnsAGroupAfterItsOwnerIsDeleted(t *testing.T) {
	t.Parallel()
	rows := []string{groupOfAda,
		`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0)`,
		`UPDATE user SET is_bot = 1 WHERE id = 'bot'`, `UPDATE user SET suspended_at = 1 WHERE id = 'off'`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'bot', 'member', 1), ('c', 'late', 'member', 9), ('c', 'off', 'member', 2), ('c', 'zoe', 'member', 3)`}
	withRows(t, "ada bot late off zoe", rows, func(tx *store.Tx) error {
		for _, leaves := range []struct{ id, then string }{{"ada", "zoe"}, {"zoe", "late"}, {"late", "off"}, {"off", "bot"}} {
			if err := tx.Freeze(leaves.id); err != nil {
				return err
			}
			a, err := tx.Authored(leaves.id)
			if err != nil {
				return err
			}
			if out, err := tx.Redact(a); err != nil || !out.Done {
				return errors.Join(err, errors.New("not read as deleted: "+leaves.id))
			}
			if got, err := tx.TextForTest(`SELECT group_concat(user_id) FROM member WHERE conversation_id = 'c' AND role = 'owner'`); got != leaves.then || err != nil {
				t.Errorf("after %s the group belongs to %q, want %q, %v", leaves.id, got, leaves.then, err)
			}
		}
		return nil
	})
}

// With the messages of an account that is deleted its files are deleted, which no message
// has any more, and the entry of the Stream that was made of a message.
func TestWhatGoesWithTheMessagesOfAnAccount(t *testing.T) {
	rows := []string{groupOfAda,
		`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ben', 'owner', 0)`,
		`INSERT INTO message (conversation_id, created_at, id, sender_id, content, attachments, reacted) VALUES ('c', 10, 'm', 'ada', '', '[{"id":"f"}]', 1)`,
		`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 10, 'e', 'ben', 11)`,
		`INSERT INTO blob (id, hash, size, created_at) VALUES (1, 'h', 1, 0)`,
		`INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, uses, created_at) VALUES ('f', 'ada', 1, 'n', 'text/plain', 1, 1, 0)`,
		`INSERT INTO message_attachment VALUES ('f', 'c', 10)`,
		`INSERT INTO thought (id, user_id, text, kind, status, source_message_id, source_conversation_id, captured, created_at, updated_at) VALUES ('t', 'ben', 'x', 'fact', 'none', 'm', 'c', 1, 10, 10)`,
		`INSERT INTO erasing VALUES ('ada', 50, 'redacted')`}
	withRows(t, "ada ben", rows, func(tx *store.Tx) error {
		for step, more := 0, true; more; step++ {
			var err error
			if more, err = tx.Scrub("ada", 100); err != nil || step > 50 {
				return errors.Join(err, errors.New("the deletion does not end"))
			}
		}
		for _, table := range []string{"attachment", "message_attachment", "reaction", "thought", "blob WHERE hash IS NOT NULL"} {
			if left, err := tx.TextForTest(`SELECT CAST(count(*) AS TEXT) FROM ` + table); left != "0" || err != nil {
				t.Errorf("%s: %s rows are left, %v", table, left, err)
			}
		}
		return nil
	})
}

// The revision of a post changes when its author is deleted, unless it was deleted before.
func TestRevisionOfPostsOfADeletedAccount(t *testing.T) {
	rows := []string{groupOfAda,
		`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ben', 'owner', 0)`,
		`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at, deleted_at)
			VALUES ('c', 1, 'p1', 'ada', 'note', 'x', 'r1', 1, NULL), ('c', 2, 'p2', 'ada', 'note', '', 'r2', 2, 2)`,
		`INSERT INTO erasing VALUES ('ada', 50, 'redacted')`}
	withRows(t, "ada ben", rows, func(tx *store.Tx) error {
		for step, more := 0, true; more; step++ {
			var err error
			if more, err = tx.Scrub("ada", 100); err != nil || step > 50 {
				return errors.Join(err, errors.New("the deletion does not end"))
			}
		}
		if got, err := tx.TextForTest(`SELECT group_concat(id || ' ' || revision || ' ' || deleted_at, ', ' ORDER BY id) FROM context_post`); got != "p1 2 50, p2 1 2" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		return nil
	})
}

// The keys of an account that count for its limit are those of the kind, of itself and its
// bots, that are neither revoked nor expired.
func TestWhichKeysCountForTheirLimit(t *testing.T) {
	const key = `INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, expires_at, revoked_at) VALUES `
	rows := []string{`UPDATE user SET is_bot = 1, bot_owner_id = 'ada' WHERE id = 'bot'`,
		key + `('1', 'ada', 'agent', '', '', '1', 1, 1, 0, NULL, NULL), ('2', 'bot', 'agent', '', '', '2', 1, 1, 0, NULL, NULL), ('3', 'ben', 'agent', '', '', '3', 1, 1, 0, NULL, NULL),
			('4', 'ada', 'agent', '', '', '4', 1, 1, 0, NULL, 1), ('5', 'ada', 'agent', '', '', '5', 1, 1, 0, 1, NULL), ('6', 'ada', 'list', '', '', '6', 1, 1, 0, NULL, NULL)`}
	withRows(t, "ada ben bot", rows, func(tx *store.Tx) error {
		for kind, want := range map[string]int{"agent": 2, "list": 1} {
			if n, err := tx.LiveKeys("ada", kind); n != want || err != nil {
				t.Errorf("%d keys of the kind %s, want %d, %v", n, kind, want, err)
			}
		}
		return nil
	})
}

// Keys that were revoked are pruned up to a number at a time.
func TestRevokedKeysArePrunedUpToALimit(t *testing.T) {
	rows := []string{`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, revoked_at)
		SELECT value, 'ada', 'agent', '', '', value, 1, 1, 0, value FROM json_each('[1, 2, 3, 9]')`}
	withRows(t, "ada", rows, func(tx *store.Tx) error {
		for step, want := range []int64{2, 1, 0} {
			if n, err := tx.PruneKeys(9, 2); n != want || err != nil {
				t.Errorf("step %d: %d keys, want %d, %v", step, n, want, err)
			}
		}
		return nil
	})
}
