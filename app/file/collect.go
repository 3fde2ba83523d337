package file

import (
	"context"
	"time"

	"hearth/store"
)

const (
	keepUnused     = 24 * time.Hour // a file that no message has
	keepIncomplete = time.Hour      // a blob that an upload has not completed: an upload takes less
	pruneParts     = 4              // deleted in one write, so that others need not wait long
	pruneRows      = 50
)

// Collect deletes, in small writes, files that were never sent and blobs that
// nothing has, and does what Prune does.
func (s *Store) Collect(ctx context.Context) error {
	err := s.db.InSteps(ctx, pruneRows, func(tx *store.Tx) (int64, error) { return tx.PruneAttachments(tx.In(-keepUnused), pruneRows) })
	if err != nil {
		return err
	}
	if err := s.releaseUnused(ctx); err != nil {
		return err
	}
	return s.Prune(ctx)
}

// Prune deletes, in small writes, the content of deleted files and what uploads left
// that failed, and then empties the write-ahead log, which has it, too.
func (s *Store) Prune(ctx context.Context) error {
	for deleted := false; ; deleted = true {
		var more bool
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.PruneBlobs(tx.In(-keepIncomplete), pruneParts)
			return err
		})
		if err == nil && !more && deleted {
			_, err = s.db.Truncate(ctx)
		}
		if err != nil || !more {
			return err
		}
	}
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
