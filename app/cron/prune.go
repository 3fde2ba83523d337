package cron

import (
	"context"
	"time"

	"hearth/store"
)

const (
	pruneChunk      = 200 // events or deliveries deleted in one write, so that others need not wait long
	keepEvents      = 7 * 24 * time.Hour
	keepInvitations = time.Hour // longer than the sign-in links that were requested with one
	keepRevoked     = 90 * 24 * time.Hour
	keepPreviews    = 30 * 24 * time.Hour // a page that cannot be read for a time keeps its preview
	keepLogs        = 30 * 24 * time.Hour // of deliveries to webhooks, and of requests to agents
	keepDeliveries  = 1000                // of a webhook
)

// StoreJobs returns the jobs that keep the database small and tidy.
func StoreJobs(db *store.DB) []Job {
	return []Job{
		{"expired sessions", "7 * * * *", prune(db, "session", 0)},
		{"expired links", "12 * * * *", prune(db, "login_link", 0)},
		{"expired invitations", "14 * * * *", prune(db, "community_invite", keepInvitations)},
		{"expired quotas", "17 * * * *", prune(db, "quota", 0)},
		{"declined friend requests", "19 * * * *", prune(db, "friend_cooldown", 0)},
		{"expired receipts", "21 * * * *", prune(db, "item_receipt", 0)},
		{"answers to repeated requests", "23 * * * *", prune(db, "idempotency", 0)},
		{"old link previews", "24 3 * * *", prune(db, "link_preview", keepPreviews)},
		{"revoked keys", "22 3 * * *", prune(db, "api_key", keepRevoked)},
		{"old events", "27 * * * *", pruneEvents(db)},
		{"old deliveries", "42 * * * *", prune(db, "delivery", keepLogs)},
		{"excess deliveries", "44 * * * *", inSteps(db, trimDeliveries)},
		{"old requests to agents", "47 * * * *", prune(db, "context_request", keepLogs)},
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

func prune(db *store.DB, table string, ago time.Duration) func(context.Context) error {
	return func(ctx context.Context) error { return db.Prune(ctx, table, ago) }
}

func pruneEvents(db *store.DB) func(context.Context) error {
	return func(ctx context.Context) error {
		before := db.Now().Add(-keepEvents)
		return inSteps(db, func(tx *store.Tx) (int64, error) { return tx.PruneEvents(before, pruneChunk) })(ctx)
	}
}

func trimDeliveries(tx *store.Tx) (int64, error) {
	return tx.TrimDeliveries(keepDeliveries, pruneChunk)
}

func inSteps(db *store.DB, step func(tx *store.Tx) (int64, error)) func(context.Context) error {
	return func(ctx context.Context) error { return db.InSteps(ctx, pruneChunk, step) }
}
