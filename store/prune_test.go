package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// What has ended is deleted from the very moment on at which it does, events only after
// it, and neither beyond a limit.
func TestPruning(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	prune := func(table string) func(tx *store.Tx, at store.Time, limit int) (int64, error) {
		return func(tx *store.Tx, at store.Time, limit int) (int64, error) { return tx.Prune(table, at, limit) }
	}
	for name, tc := range map[string]struct {
		insert string // with a number and a time
		prune  func(tx *store.Tx, at store.Time, limit int) (int64, error)
		want   int // rows deleted of those two moments and a moment before, at and after
	}{
		"invitations": {`INSERT INTO community_invite VALUES (?1, ?1, 'u', 1, 0, ?2)`,
			prune("community_invite"), 3},
		"requests": {`INSERT INTO context_request VALUES (?1, ?1, 'c', 1, 'u', 'v', 'k', 'pending', NULL, NULL, ?2, 0, NULL)`,
			prune("context_request"), 3},
		"deliveries": {`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, outcome, done_at)
			VALUES ('w', ?1, 'c', 'm', 'failed', ?2)`,
			prune("delivery"), 3},
		"grants": {`INSERT INTO approval_grant VALUES (CAST(?1 AS BLOB), 'u', '', '', 'publish_story', '', '{}', 0, ?2)`,
			func(tx *store.Tx, _ store.Time, n int) (int64, error) {
				ended, err := tx.PruneGrants(n)
				return int64(len(ended)), err
			}, 3},
		"keys": {`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, revoked_at)
			VALUES (?1, 'u', 'agent', '', '', ?1, 1, 1, 0, ?2)`,
			prune("api_key"), 3},
		"links": {`INSERT INTO login_link (token_hash, email, email_key, code_hash, created_at, expires_at) VALUES (?1, '', '', '', 0, ?2)`,
			prune("login_link"), 3},
		"receipts": {`INSERT INTO item_receipt VALUES (?1, 'l', 'i', ?2)`,
			prune("item_receipt"), 3},
		"previews": {`INSERT INTO link_preview VALUES (?1, '', '', '', '', ?2)`,
			prune("link_preview"), 3},
		"quotas": {`INSERT INTO quota VALUES (?1, 0, 1, ?2)`,
			prune("quota"), 3},
		"sessions": {`INSERT INTO session (id, user_id, kind, epoch, created_at, expires_at) VALUES (?1, 'u', 'browser', 0, 0, ?2)`,
			prune("session"), 3},
		"events, but for the last": {`INSERT INTO event (id, topic, kind, object_id, at) VALUES (?1 + 1000, 't', 'k', 'o', ?2)`,
			func(tx *store.Tx, at store.Time, n int) (int64, error) { return tx.PruneEvents(at, n) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			db.Clock.Advance(time.Second)
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
					return err
				}
				for i, at := range []store.Time{tx.Now - 2, tx.Now - 1, tx.Now, tx.Now + 1} {
					if _, err := tx.ExecForTest(tc.insert, fmt.Sprint(i), int64(at)); err != nil {
						return err
					}
				}
				for n := range tc.want + 1 {
					want := int64(1)
					if n == tc.want {
						want = 0
					}
					if got, err := tc.prune(tx, tx.Now, 1); err != nil || got != want {
						t.Errorf("%d. time: %d deleted, want %d: %v", n+1, got, want, err)
					}
				}
				return undo // the rows have no owners
			})
			if !errors.Is(err, undo) {
				t.Error(err)
			}
		})
	}
}
