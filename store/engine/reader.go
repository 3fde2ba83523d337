package engine

import (
	"context"
	"runtime"
	"time"
)

// longReaders returns how many readers serve long reads: one processor less than
// there are, so that long reads leave one to requests. On two processors, two
// long reads at once made the slowest percent of requests take five times as
// long, and one makes it less than twice.
func longReaders() int { return max(1, runtime.NumCPU()-1) }

// Reader runs queries on one connection. It is valid within the function it was
// given to.
type Reader struct {
	*Conn
	now func() time.Time
}

// Now returns the time of the wall clock, to decide what has expired.
func (r *Reader) Now() Time { return TimeOf(r.now()) }

// Read runs f with a reader of the current state. All its statements see that one
// state, whatever is committed meanwhile: what one of them decides, such as who may
// see something or where a page ends, holds for the others. While f runs the
// write-ahead log cannot be emptied: f must be short, and must not call Read or
// Write.
func (db *DB[E]) Read(ctx context.Context, f func(*Reader) error) error {
	return db.short.read(ctx, f)
}

// ReadLong is Read for what takes long: exports, replays, searches over
// everything. It has readers of its own, so that requests never wait for it.
func (db *DB[E]) ReadLong(ctx context.Context, f func(*Reader) error) error {
	return db.long.read(ctx, f)
}

func (p *pool) read(ctx context.Context, f func(*Reader) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer p.give(c)
	if err := c.control("BEGIN"); err != nil {
		return err
	}
	defer func() {
		c.broken = nil
		c.control("ROLLBACK")
	}()
	return translate(f(&Reader{Conn: c, now: p.now}))
}
