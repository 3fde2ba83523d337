package engine

import (
	"context"
	"errors"
	"runtime"
	"sync"
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
// Write. Within WithSnapshot the reader and the state are those of the snapshot.
func (db *DB[E]) Read(ctx context.Context, f func(*Reader) error) error {
	if s := db.snapshotOf(ctx); s != nil {
		return s.read(f)
	}
	return db.short.read(ctx, f)
}

// ReadLong is Read for what takes long: exports, replays, searches over
// everything. It has readers of its own, so that requests never wait for it.
// It takes no part in WithSnapshot.
func (db *DB[E]) ReadLong(ctx context.Context, f func(*Reader) error) error {
	return db.long.read(ctx, f)
}

func (p *pool) read(ctx context.Context, f func(*Reader) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer p.give(c)
	if _, err := c.Exec("BEGIN"); err != nil {
		return err
	}
	defer func() {
		c.broken = nil
		c.Exec("ROLLBACK")
	}()
	return translate(f(&Reader{Conn: c, now: p.now}))
}

// snapshot is the reader that the reads of one context share.
type snapshot struct {
	db    any
	mu    sync.Mutex
	r     *Reader
	ended bool
}

type snapshotKey struct{}

// WithSnapshot runs f with a context in which every Read of db uses one reader
// and sees one state, so that several operations show the same moment. The reads
// must follow one another: a read while another is running fails. Writes go to
// the writer as always, and the snapshot does not see them. The reader is
// released when f returns; f must not wait for a network or do anything else
// slow, and must read with its context alone: while every reader is held by a
// snapshot, a read with another context waits for one of them.
func (db *DB[E]) WithSnapshot(ctx context.Context, f func(ctx context.Context) error) error {
	if db.snapshotOf(ctx) != nil {
		return f(ctx)
	}
	return db.short.read(ctx, func(r *Reader) error {
		s := &snapshot{db: db, r: r}
		defer s.end()
		return f(context.WithValue(ctx, snapshotKey{}, s))
	})
}

// snapshotOf returns the snapshot that ctx has of db; nil if there is none.
func (db *DB[E]) snapshotOf(ctx context.Context) *snapshot {
	s, _ := ctx.Value(snapshotKey{}).(*snapshot)
	if s == nil || s.db != any(db) {
		return nil
	}
	return s
}

func (s *snapshot) read(f func(*Reader) error) error {
	if !s.mu.TryLock() {
		return errors.New("store: a read within a snapshot while another is running")
	}
	defer s.mu.Unlock()
	if s.ended {
		return errors.New("store: a read after the end of its snapshot")
	}
	return translate(f(s.r))
}

// end waits for a read that is still running; later ones fail.
func (s *snapshot) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
