package webhook

import (
	"context"
	"errors"
	"time"

	"hearth/store"
)

// addLeft adds, in small writes, the deliveries that are too many to be added with
// their messages, and bounds what waits for the webhooks of each person, until ctx
// ends.
func (w *Worker) addLeft(ctx context.Context) {
	for {
		select {
		case <-w.left:
		case <-ctx.Done():
			return
		}
		var after string
		var err error
		for err == nil {
			if err = w.boundWaiting(ctx); err == nil {
				after, err = w.addSome(ctx, after)
			}
		}
		if errors.Is(err, store.ErrNoRow) || ctx.Err() != nil {
			continue
		}
		w.log.Warn("deliveries to webhooks could not be queued; they are queued later", "error", err)
		select {
		case <-time.After(retryRead):
			wake(w.left)
		case <-ctx.Done():
		}
	}
}

// addSome adds some deliveries of the first conversation after an id, so that
// conversations take turns, and returns its id; store.ErrNoRow if none are left.
func (w *Worker) addSome(ctx context.Context, after string) (conversation string, err error) {
	var u store.Unqueued
	err = w.db.Read(ctx, func(r *store.Reader) (err error) {
		if u, err = r.Unqueued(after); errors.Is(err, store.ErrNoRow) && after != "" {
			u, err = r.Unqueued("")
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return u.ConversationID, w.db.Write(ctx, func(tx *store.Tx) error { return tx.QueueRest(u) })
}
