package store

import (
	"context"
	"sync/atomic"
)

// credentialWrites counts the writes that changed credentials: those that the writer
// has carried out, and the last of them that is durable and known to those who cache
// credentials.
type credentialWrites struct{ written, durable atomic.Uint64 }

// judged is what WithCredential adds to a context.
type judged struct {
	check func(*Reader) error
	known uint64      // the last durable write of credentials at that time
	done  atomic.Bool // a write was carried out
}

type judgedKey struct{}

// WithCredential returns a context for the writes of one operation. If credentials
// change between this call and the first of them, that write calls check with the
// state that it finds, and is refused with its error, if any. Call it before it is
// decided whether the credential is valid. Later writes of the context complete the
// operation, and are not checked.
func (db *DB) WithCredential(ctx context.Context, check func(*Reader) error) context.Context {
	return context.WithValue(ctx, judgedKey{}, &judged{check: check, known: db.judged.durable.Load()})
}

// judge returns f, and the function to call after the commit. If ctx has a
// credential that has not written yet, f begins with its check.
func (db *DB) judge(ctx context.Context, f func(tx *Tx) error) (func(tx *Tx) error, func()) {
	j, _ := ctx.Value(judgedKey{}).(*judged)
	if j == nil || j.done.Load() {
		return f, func() {}
	}
	return func(tx *Tx) error {
		if db.judged.written.Load() != j.known {
			if err := j.check(&tx.Reader); err != nil {
				return err
			}
		}
		return f(tx)
	}, func() { j.done.Store(true) }
}
