package store

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Once is a request that is to be carried out once, however often it is sent.
// Its methods are for one call of an operation.
type Once struct {
	Hash    string // of the idempotency key and the caller
	Request string // hash of the input
	Life    time.Duration

	claimed atomic.Bool // a write of the request is committed
}

type onceKey struct{}

// WithOnce returns a context in which the first write of DB.Write records o, in
// the same transaction: if another request with the hash was carried out before,
// that write fails with ErrRepeated and changes nothing.
func WithOnce(ctx context.Context, o *Once) context.Context {
	return context.WithValue(ctx, onceKey{}, o)
}

// ErrRepeated is the error of a write of a request that was carried out before.
var ErrRepeated = errors.New("store: the request was carried out before")

// Claimed reports whether the request is recorded, because it has written.
func (o *Once) Claimed() bool { return o.claimed.Load() }

// claim returns f preceded by the record of the request of ctx, if it has one
// that is not recorded yet, and the function to call after the commit.
func claim(ctx context.Context, f func(tx *Tx) error) (func(tx *Tx) error, func()) {
	o, _ := ctx.Value(onceKey{}).(*Once)
	if o == nil || o.Claimed() {
		return f, func() {}
	}
	return func(tx *Tx) error {
		if _, err := tx.exec(`DELETE FROM idempotency WHERE hash = ? AND expires_at <= ?`, o.Hash, int64(tx.Reader.Now())); err != nil {
			return err
		}
		n, err := tx.exec(`INSERT OR IGNORE INTO idempotency (hash, request, expires_at) VALUES (?, ?, ?)`, o.Hash, o.Request, int64(tx.In(o.Life)))
		if err == nil && n == 0 {
			err = ErrRepeated
		}
		if err != nil {
			return err
		}
		return f(tx)
	}, func() { o.claimed.Store(true) }
}

// Answered returns the hash of the input of the request with the hash that was
// carried out, and its sealed answer, which is nil while it is not known; ErrNoRow
// if there was none.
func (r *Reader) Answered(hash string) (request string, answer []byte, err error) {
	err = r.value([]any{&request, &answer}, `SELECT request, answer FROM idempotency WHERE hash = ? AND expires_at > ?`, hash, int64(r.Now()))
	return request, answer, err
}

// PutAnswer stores the sealed answer of a request, and records the request if it
// has not written anything.
func (tx *Tx) PutAnswer(o *Once, answer []byte) error {
	_, err := tx.exec(`INSERT INTO idempotency (hash, request, answer, expires_at) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (hash) DO UPDATE SET answer = ?3 WHERE request = ?2`, o.Hash, o.Request, answer, int64(tx.In(o.Life)))
	return err
}

// PruneAnswers deletes up to limit requests that have expired, and returns how
// many.
func (tx *Tx) PruneAnswers(limit int) (int64, error) {
	return tx.exec(`DELETE FROM idempotency WHERE hash IN (SELECT hash FROM idempotency WHERE expires_at <= ? LIMIT ?)`, int64(tx.Reader.Now()), limit)
}
