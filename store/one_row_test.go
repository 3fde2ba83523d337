package store_test

import (
	"errors"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A write that is meant for one row changes that row and none that differs from it in
// one part of its key.
func TestWritesOfOneRow(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	const anInvite = `INSERT INTO invite (token_hash, conversation_id, id, created_by, uses_left, created_at, expires_at) VALUES (?2, ?1, ?2, 'u', 1, 0, 1 << 60)`
	const aMember = `INSERT INTO member (conversation_id, user_id, role, joined_at, muted_until) VALUES (?1, ?2, 'owner', 0, 1)`
	for name, c := range map[string]struct {
		insert  string
		rows    [][]any // of which the first is to be changed
		write   func(tx *store.Tx) error
		changed string // deletes those that the write changed; of what remains, if it deletes one itself
		want    int
	}{
		"a block": {`INSERT INTO block VALUES (?1, ?2, 0)`, pairs, func(tx *store.Tx) error { return tx.DeleteBlock("a", "b") }, `DELETE FROM block`, 3},
		"friends": {`INSERT INTO friend VALUES (?1, ?2, 'friends', 0)`, append([][]any{{"b", "a"}}, pairs...), func(tx *store.Tx) error {
			_, err := tx.DeleteFriends("a", "b")
			return err
		}, `DELETE FROM friend`, 3},
		"the cooldowns of two": {`INSERT INTO friend_cooldown VALUES (?1, ?2, 0)`, append([][]any{{"b", "a"}}, pairs...), func(tx *store.Tx) error { return tx.DeleteFriendCooldowns("a", "b") },
			`DELETE FROM friend_cooldown`, 3},
		"a pin": {`INSERT INTO thought_pin VALUES (?1, ?2, 'u', 0)`, pairs, func(tx *store.Tx) error { return tx.UnpinThought("a", "b") }, `DELETE FROM thought_pin`, 3},
		"a collapsed entry": {`INSERT INTO thought_collapsed VALUES (?1, ?2, ?3)`, [][]any{{"a", "b", "c"}, {"x", "b", "c"}, {"a", "x", "c"}, {"a", "b", "x"}, {"x", "x", "c"}},
			func(tx *store.Tx) error { return tx.SetCollapsed(store.Viewer{UserID: "a"}, "b", "c", false) }, `DELETE FROM thought_collapsed`, 4},
		"an answer of a secretary": {`INSERT INTO secretary_answer VALUES (?2, ?1, 'q', 'a', 0, 0)`, [][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}},
			func(tx *store.Tx) error { return tx.DeleteSecretaryAnswer("a", "b") }, `DELETE FROM secretary_answer`, 2},
		"an answer of another's": {`INSERT INTO secretary_answer VALUES (?2, ?1, 'q', 'a', 0, 0)`, [][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}},
			func(tx *store.Tx) error { return missing(tx.DeleteSecretaryAnswer("x", "b")) }, `DELETE FROM secretary_answer`, 3},
		"a session": {`INSERT INTO session (user_id, id, kind, epoch, created_at, expires_at) VALUES (?1, ?2, 'browser', 0, 0, 0)`, [][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}},
			func(tx *store.Tx) error { return tx.DeleteSession("a", "b") }, `DELETE FROM session`, 2},
		"another's session": {`INSERT INTO session (user_id, id, kind, epoch, created_at, expires_at) VALUES (?1, ?2, 'browser', 0, 0, 0)`, [][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}},
			func(tx *store.Tx) error { return tx.DeleteSession("x", "b") }, `DELETE FROM session`, 3},
		"a key": {`INSERT INTO api_key (user_id, id, kind, name, prefix, hash, can_read, can_write, created_at) VALUES (?1, ?2, 'agent', '', '', ?2, 1, 1, 0)`,
			[][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}}, func(tx *store.Tx) error { return tx.RevokeKey("a", "b") }, `DELETE FROM api_key WHERE revoked_at IS NOT NULL`, 1},
		"another's key": {`INSERT INTO api_key (user_id, id, kind, name, prefix, hash, can_read, can_write, created_at) VALUES (?1, ?2, 'agent', '', '', ?2, 1, 1, 0)`,
			[][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}}, func(tx *store.Tx) error { return tx.RevokeKey("x", "b") }, `DELETE FROM api_key WHERE revoked_at IS NOT NULL`, 0},
		"a link to join":            {anInvite, [][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}}, func(tx *store.Tx) error { return tx.DeleteInvite("a", "b") }, `DELETE FROM invite`, 2},
		"a link to join of a group": {anInvite, [][]any{{"a", "b"}, {"a", "c"}, {"x", "d"}}, func(tx *store.Tx) error { return missing(tx.DeleteInvite("x", "b")) }, `DELETE FROM invite`, 3},
		"a link to join that is used": {anInvite + ` ON CONFLICT DO NOTHING`, [][]any{{"a", "b"}, {"a", "c"}}, func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`UPDATE invite SET uses_left = 0`)
			return errors.Join(err, missing(tx.DeleteInvite("a", "b")))
		}, `DELETE FROM invite`, 2},
		"a conversation that is muted": {aMember, pairs, func(tx *store.Tx) error { return tx.SetMutedUntil(store.Viewer{UserID: "b"}, "a", tx.Now) },
			`DELETE FROM member WHERE muted_until > 1`, 1},
		"who has a list": {`INSERT INTO list_member VALUES (?1, ?2, 'editor', 0)`, pairs, func(tx *store.Tx) error { return tx.DeleteListMember("a", "b") }, `DELETE FROM list_member`, 3},
		"a role in a list": {`INSERT INTO list_member VALUES (?1, ?2, 'editor', 0)`, pairs, func(tx *store.Tx) error { return missing(tx.PutListMember("a", "b", "viewer")) },
			`DELETE FROM list_member WHERE role = 'viewer'`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.OpenEmpty(t)
			db.Clock.Advance(time.Second)
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
					return err
				}
				if _, err := tx.ExecForTest(c.changed); err != nil { // rows of others
					return err
				}
				for _, row := range c.rows {
					if _, err := tx.ExecForTest(c.insert, row...); err != nil {
						return err
					}
				}
				if err := c.write(tx); err != nil {
					return err
				}
				if n, err := tx.ExecForTest(c.changed); err != nil || int(n) != c.want {
					t.Errorf("%d rows, want %d, %v", n, c.want, err)
				}
				return undo // the rows have no owners
			})
			if !errors.Is(err, undo) {
				t.Error(err)
			}
		})
	}
}

// pairs are the keys of rows of which the first is to be changed.
var pairs = [][]any{{"a", "b"}, {"a", "x"}, {"x", "b"}, {"x", "y"}}

// missing returns nil for the error of a write that finds no row.
func missing(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return nil
	}
	return err
}
