package cron

import (
	"context"
	"time"

	"hearth/store"
)

const (
	pruneChunk      = 200 // rows deleted in one write, so that others need not wait long
	keepEvents      = 7 * 24 * time.Hour
	keepInvitations = time.Hour // longer than the sign-in links that were requested with one
	keepRevoked     = 90 * 24 * time.Hour
	keepPreviews    = 30 * 24 * time.Hour // a page that cannot be read for a time keeps its preview
)

// StoreJobs returns the jobs that keep the database small and tidy.
func StoreJobs(db *store.DB) []Job {
	return []Job{
		{"expired sessions", "7 * * * *", prune(db, (*store.Tx).PruneSessions)},
		{"expired links", "12 * * * *", prune(db, (*store.Tx).PruneLinks)},
		{"expired invitations", "14 * * * *", pruneBefore(db, keepInvitations, (*store.Tx).PruneCommunityInvites)},
		{"expired quotas", "17 * * * *", prune(db, (*store.Tx).PruneQuotas)},
		{"declined friend requests", "19 * * * *", prune(db, (*store.Tx).PruneFriendCooldowns)},
		{"expired receipts", "21 * * * *", prune(db, (*store.Tx).PruneReceipts)},
		{"answers to repeated requests", "23 * * * *", prune(db, (*store.Tx).PruneAnswers)},
		{"old link previews", "24 3 * * *", pruneBefore(db, keepPreviews, (*store.Tx).PruneLinkPreviews)},
		{"revoked keys", "22 3 * * *", pruneBefore(db, keepRevoked, (*store.Tx).PruneKeys)},
		{"old events", "27 * * * *", pruneBefore(db, keepEvents, (*store.Tx).PruneEvents)},
		{"free space in the file", "33 3 * * *", func(ctx context.Context) error { _, err := db.Vacuum(ctx); return err }},
		{"log of deleted words", "* * * * *", truncate(db)},
	}
}

// truncate leaves the write-ahead log to the next run if readers are in the way.
func truncate(db *store.DB) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := db.Truncate(ctx)
		return err
	}
}

func prune(db *store.DB, f func(tx *store.Tx, limit int) (int64, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			var n int64
			err := db.Write(ctx, func(tx *store.Tx) (err error) {
				n, err = f(tx, pruneChunk)
				return err
			})
			if err != nil || n < pruneChunk {
				return err
			}
		}
	}
}

func pruneBefore(db *store.DB, age time.Duration, f func(tx *store.Tx, before store.Time, limit int) (int64,
	error)) func(context.Context) error {
	return func(ctx context.Context) error {
		before := db.Now().Add(-age)
		return prune(db, func(tx *store.Tx, limit int) (int64, error) { return f(tx, before, limit) })(ctx)
	}
}
