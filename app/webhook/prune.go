package webhook

import (
	"context"
	"time"

	"hearth/store"
)

const (
	keepLog    = 30 * 24 * time.Hour
	keepRows   = 1000 // deliveries of a webhook
	pruneChunk = 2000 // rows deleted in one write
)

// Prune deletes deliveries that ended more than 30 days ago, and those that have
// ended and are not among the newest 1,000 of their webhook.
func (w *Worker) Prune(ctx context.Context) error {
	if err := w.db.Prune(ctx, "delivery", keepLog); err != nil {
		return err
	}
	return w.db.InSteps(ctx, pruneChunk, func(tx *store.Tx) (int64, error) { return tx.TrimDeliveries(keepRows, pruneChunk) })
}

// Waiting returns how many deliveries wait; -1 if that cannot be read.
func (w *Worker) Waiting() (n int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := w.db.ReadLong(ctx, func(r *store.Reader) (err error) {
		n, err = r.WaitingDeliveries()
		return err
	})
	if err != nil {
		return -1
	}
	return n
}
