package file

import (
	"context"
	"errors"
	"time"

	"hearth/store"
)

const (
	keepUnused     = 24 * time.Hour // a file that no message has
	keepIncomplete = time.Hour      // a blob that an upload has not completed: an upload takes less
	pruneParts     = 4              // deleted in one write, so that others need not wait long
	pruneBytes     = pruneParts * store.PartSize
	pruneRows      = 50
	truncateAfter  = time.Second // what is deleted within it leaves the log together
	truncateTries  = 5
)

// wake makes Run look for dropped blobs.
func (s *Store) wake() {
	select {
	case s.dropped <- struct{}{}:
	default:
	}
}

// Run deletes blobs as they are dropped, in small writes, and empties the
// write-ahead log, which has their content, too, shortly afterwards. It returns
// when ctx ends.
func (s *Store) Run(ctx context.Context) {
	for {
		select {
		case <-s.dropped:
		case <-ctx.Done():
			return
		}
		err := s.deleteDropped(ctx)
		if err == nil {
			err = s.emptyLog(ctx)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrClosed) {
			s.log.Error("the content of deleted files was not deleted; it is tried again within a minute", "error", err)
		}
	}
}

// deleteDropped deletes the dropped blobs.
func (s *Store) deleteDropped(ctx context.Context) error {
	for more := true; more; {
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			_, more, err = tx.DeleteDropped(pruneBytes)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// emptyLog empties the write-ahead log once for all that is deleted within
// truncateAfter. If readers are in the way for long, a job does it that runs every
// minute.
func (s *Store) emptyLog(ctx context.Context) error {
	for range truncateTries {
		select {
		case <-time.After(truncateAfter):
		case <-ctx.Done():
			return ctx.Err()
		}
		if done, err := s.db.Truncate(ctx); done || err != nil {
			return err
		}
	}
	return nil
}

// Collect deletes, in small writes, files that were never sent and blobs that
// nothing has, and does what Prune does.
func (s *Store) Collect(ctx context.Context) error {
	for n := int64(pruneRows); n == pruneRows; {
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.PruneAttachments(tx.In(-keepUnused), pruneRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := s.releaseUnused(ctx); err != nil {
		return err
	}
	return s.Prune(ctx)
}

// Prune deletes, in small writes, what uploads left that failed, and blobs that Run
// has not deleted.
func (s *Store) Prune(ctx context.Context) error {
	for more := true; more; {
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.PruneBlobs(tx.In(-keepIncomplete), pruneParts)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// releaseUnused finds the blobs of what was deleted without them, as with its
// account.
func (s *Store) releaseUnused(ctx context.Context) error {
	for after := int64(0); ; {
		var unused []int64
		err := s.db.ReadLong(ctx, func(r *store.Reader) (err error) {
			unused, after, err = r.UnusedBlobs(after, 1000)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range unused {
			if err := s.db.Write(ctx, func(tx *store.Tx) error { return tx.ReleaseBlob(id) }); err != nil {
				return err
			}
		}
		if after == 0 {
			return nil
		}
	}
}
