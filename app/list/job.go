package list

import (
	"context"
	"time"

	"hearth/store"
)

// jobChunk is how many items a job changes in one write, so that others need not
// wait long.
const jobChunk = 100

// Reindex completes the search index: for lists with many items that became
// public or ceased to be, and for those from before the file had one.
func (s *Service) Reindex(ctx context.Context) error {
	return s.inChunks(ctx, (*store.Tx).ReindexLists)
}

// DropDeleted deletes what is left of lists with many items that were deleted.
func (s *Service) DropDeleted(ctx context.Context) error {
	return s.inChunks(ctx, (*store.Tx).DropLists)
}

// inChunks runs f in writes of its own until it has nothing more to do, and leaves the
// writer to others for as long after each.
func (s *Service) inChunks(ctx context.Context, f func(tx *store.Tx, limit int) (int64, error)) error {
	for {
		var n int64
		start := time.Now()
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = f(tx, jobChunk)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-time.After(time.Since(start)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
