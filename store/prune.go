package store

import (
	"context"
	"time"
)

// ends are the tables of rows that end by themselves, with what identifies a row and the
// time at which it ends or has ended.
var ends = map[string]struct{ key, at string }{
	"session":          {"id", "expires_at"},
	"login_link":       {"token_hash", "expires_at"},
	"community_invite": {"id", "expires_at"},
	"quota":            {"name", "ends"},
	"friend_cooldown":  {"requester_id, other_id", "until"},
	"item_receipt":     {"token_hash", "expires_at"},
	"idempotency":      {"hash", "expires_at"},
	"link_preview":     {"url", "fetched_at"},
	"api_key":          {"id", "revoked_at"},
	"context_request":  {"id", "created_at"},
	"delivery":         {"webhook_id, at", "done_at"},
}

// pruned is how many rows one write deletes, so that others need not wait long.
const pruned = 200

// Prune deletes up to limit rows of one of the tables that end by themselves, which ended
// at a moment or before, and returns how many.
func (tx *Tx) Prune(table string, until Time, limit int) (int64, error) {
	e := ends[table]
	return tx.execCount(`DELETE FROM `+table+` WHERE (`+e.key+`) IN (SELECT `+e.key+` FROM `+table+` WHERE `+e.at+` <= ? LIMIT ?)
		/* server: pruning */`, until, limit)
}

// Prune deletes the rows of a table that ended that long ago, in small writes.
func (db *DB) Prune(ctx context.Context, table string, ago time.Duration) error {
	until := db.Now().Add(-ago)
	return db.InSteps(ctx, pruned, func(tx *Tx) (int64, error) { return tx.Prune(table, until, pruned) })
}

// InSteps runs writes that change up to limit rows each, until one changes fewer.
func (db *DB) InSteps(ctx context.Context, limit int64, step func(tx *Tx) (int64, error)) error {
	for n := limit; n >= limit; {
		err := db.Write(ctx, func(tx *Tx) (err error) {
			n, err = step(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
