package engine

import (
	"context"
	"errors"
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

// pool is a set of connections that only read. Callers get them first come, first served.
type pool struct {
	now    func() time.Time
	free   chan *Conn
	closed chan struct{}
}

// newPool opens size connections: a later one might be to another file.
func newPool(path string, size int, opt Options) (*pool, error) {
	p := &pool{now: opt.Now, free: make(chan *Conn, size), closed: make(chan struct{})}
	for range size {
		c, err := openConn(path, readOnly, opt.Synchronous)
		if err != nil {
			for len(p.free) > 0 {
				(<-p.free).Close()
			}
			return nil, err
		}
		c.onPrepare = opt.OnPrepare
		p.free <- c
	}
	return p, nil
}

// take returns a connection once one is free.
func (p *pool) take(ctx context.Context) (*Conn, error) {
	select {
	case <-p.closed:
		return nil, ErrClosed
	default:
	}
	select {
	case c := <-p.free:
		c.broken = nil
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, ErrClosed
	}
}

func (p *pool) read(ctx context.Context, f func(*Reader) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer func() { p.free <- c }()
	if err := c.control("BEGIN"); err != nil {
		return err
	}
	defer func() {
		c.broken = nil
		c.control("ROLLBACK")
	}()
	return translate(f(&Reader{Conn: c, now: p.now}))
}

// close waits for the connections in use and closes them all.
func (p *pool) close() error {
	close(p.closed)
	timeout := time.After(5 * time.Second)
	for range cap(p.free) {
		select {
		case c := <-p.free:
			c.Close()
		case <-timeout:
			return errors.New("store: a read is still running")
		}
	}
	return nil
}
