package store

import (
	"context"
	"strings"
	"sync/atomic"
)

// Stored counts about how many bytes the writes of a context add to the file, with the
// indexes. What replies to a write, such as a delivery, is not counted, and neither are
// files, which have quotas.
type Stored struct{ n atomic.Int64 }

// Bytes returns how many bytes were counted.
func (s *Stored) Bytes() int { return int(s.n.Load()) }

type storedKey struct{}

// WithStored returns a context whose writes s counts. They are not counted by those of
// ctx any more.
func WithStored(ctx context.Context, s *Stored) context.Context {
	return context.WithValue(ctx, storedKey{}, s)
}

// countStored returns f for a write in ctx, and what to call once it is made.
func countStored(ctx context.Context, f func(tx *Tx) error) (counting func(tx *Tx) error, written func()) {
	s, _ := ctx.Value(storedKey{}).(*Stored)
	if s == nil {
		return f, func() {}
	}
	var n int // of the last run
	return func(tx *Tx) error {
		err := f(tx)
		n = tx.stored
		return err
	}, func() { s.n.Add(int64(n)) }
}

// rowBytes is about what a row takes beside its texts, with its entries in indexes.
const rowBytes = 150

// countRows counts what a statement adds: rows, and texts, which a row that is changed
// may have instead of others.
func (tx *Tx) countRows(query string, args []any, changed int64) {
	inserts := strings.HasPrefix(query, "INSERT")
	if changed == 0 || !inserts && !strings.HasPrefix(query, "UPDATE") || strings.HasPrefix(query, "INSERT INTO blob_part") {
		return
	}
	if inserts {
		tx.stored += int(changed) * rowBytes
	}
	for _, a := range args {
		switch v := a.(type) {
		case string:
			tx.stored += len(v)
		case []byte:
			tx.stored += len(v)
		}
	}
}
