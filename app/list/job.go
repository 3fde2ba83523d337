package list

import (
	"context"
	"time"

	"hearth/store"
)

// jobChunk is how many items a job changes in one write, so that others need not
// wait long.
const jobChunk = 100

// DropDeleted deletes what is left of lists with many items that were deleted, and leaves
// the writer to others for as long as each write took.
func (s *Service) DropDeleted(ctx context.Context) error {
	for {
		var n int64
		start := time.Now()
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.DropLists(jobChunk)
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
