package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// maxGroup bounds how many writes share one transaction, and so how long the
// first of them waits for the last.
const maxGroup = 256

// maxLog is how many pages the write-ahead log may hold before it is moved
// into the database file.
const maxLog = 2000

// Tx is a write under way: a Reader that sees its own changes, and the writes.
// It is valid within the function it was given to.
type Tx struct {
	Reader
	// Now is the time of this write, strictly later than that of every
	// earlier write in the file.
	Now Time

	w      *writer
	events []Event
}

// Tick returns a time later than Now and than every Tick before: for a write
// that makes several rows which need an order.
func (tx *Tx) Tick() Time { return tx.w.clock.next() }

// exec runs a statement that changes rows and returns how many it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	res, err := tx.c.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// exec1 is exec for a statement that must change a row: ErrNoRow otherwise.
func (tx *Tx) exec1(query string, args ...any) error {
	n, err := tx.exec(query, args...)
	if err == nil && n == 0 {
		err = ErrNoRow
	}
	return err
}

// writer is the single writer: it runs what is queued inside one transaction,
// a savepoint for each write, commits once, and only then answers them all.
type writer struct {
	c        *conn
	path     string
	clock    writeClock
	queue    chan *write
	onCommit atomic.Pointer[func([]Event)]
	onGroup  func(writes int, took time.Duration)
	files    [2]os.FileInfo // the database and its log, as they were opened

	logSize, lookedSize int64 // of the log's file: now, and at the last look
	unlooked            int   // writes since then

	closing  chan struct{} // no more writes are taken
	stopped  chan struct{} // the writer has ended
	dead     chan struct{} // a sync failed
	stopOnce sync.Once
	isDead   bool
}

type write struct {
	ctx  context.Context
	f    func(*Tx) error
	err  error
	done chan struct{}
}

func newWriter(ctx context.Context, c *conn, path string, opt Options) (*writer, error) {
	w := &writer{
		c: c, path: path, clock: writeClock{wall: opt.Now}, onGroup: opt.OnGroup,
		queue: make(chan *write, maxGroup), closing: make(chan struct{}),
		stopped: make(chan struct{}), dead: make(chan struct{}),
	}
	// The first write makes the log file, so that both can be watched from here on.
	if err := w.transaction(nil); err != nil {
		return nil, err
	}
	for i, name := range []string{path, path + "-wal"} {
		fi, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("%s vanished while it was opened: %w", name, err)
		}
		w.files[i] = fi
	}
	go w.run()
	return w, nil
}

// Write hands f to the single writer and returns when its changes are synced
// to disk, or, if f fails, undone. f must only use tx: no I/O, no waiting.
// A ctx that ends before f has begun withdraws it; later it has no effect.
func (db *DB) Write(ctx context.Context, f func(tx *Tx) error) error {
	j := &write{ctx: ctx, f: f, done: make(chan struct{})}
	select {
	case db.w.queue <- j:
	case <-db.w.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done:
		return j.err
	case <-db.w.stopped:
		select {
		case <-j.done:
			return j.err
		default:
			return ErrClosed
		}
	}
}

func (w *writer) close() {
	w.stopOnce.Do(func() { close(w.closing) })
	<-w.stopped
}

func (w *writer) run() {
	defer close(w.stopped)
	defer w.c.close()
	group := make([]*write, 0, maxGroup)
	for {
		group = group[:0]
		select {
		case j := <-w.queue:
			group = append(group, j)
		case <-w.closing:
			select {
			case j := <-w.queue:
				group = append(group, j)
			default:
				return
			}
		}
		for len(group) < maxGroup && len(w.queue) > 0 {
			group = append(group, <-w.queue)
		}
		w.commit(group)
	}
}

// commit runs a group and answers it. What a write emitted is passed on only
// after the answer: nobody waits for the listeners.
func (w *writer) commit(group []*write) {
	var events []Event
	err := ErrDead
	start := time.Now()
	if !w.isDead {
		err = w.transaction(func() error {
			for _, j := range group {
				tx, fatal := w.runOne(j, len(group) > 1)
				if fatal != nil {
					return fatal
				}
				if j.err == nil {
					events = append(events, tx.events...)
				}
			}
			return nil
		})
	}
	w.dieOf(err)
	for _, j := range group {
		if err != nil {
			j.err = err
		}
		close(j.done)
	}
	if w.onGroup != nil {
		w.onGroup(len(group), time.Since(start))
	}
	if f := w.onCommit.Load(); err == nil && f != nil && len(events) > 0 {
		(*f)(events)
	}
	if err == nil {
		w.dieOf(w.checkpoint(len(group)))
	}
}

// dieOf ends all acknowledging if err is a failed sync.
func (w *writer) dieOf(err error) {
	if errors.Is(err, ErrDead) && !w.isDead {
		w.isDead = true
		close(w.dead)
	}
}

// checkpoint moves the log into the database file once it has grown long.
// SQLite would do so by itself, but within a commit that somebody waits for,
// and it would keep quiet about a failed sync. Any other failure leaves the
// log as it is, for the next time. How long the log is costs a look, so that is
// taken only once its file has grown, or after some writes.
func (w *writer) checkpoint(writes int) error {
	if w.unlooked += writes; w.unlooked < 64 && w.logSize == w.lookedSize {
		return nil
	}
	w.unlooked, w.lookedSize = 0, w.logSize
	var busy, pages, moved int
	w.c.broken = nil
	r := Reader{c: w.c}
	if err := r.value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(NOOP)"); err != nil {
		return err
	}
	if pages < maxLog || moved == pages {
		return nil
	}
	return r.value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(PASSIVE)")
}

// transaction runs f between BEGIN and COMMIT with the clock read from and
// written back to the file, which another process may have written to.
func (w *writer) transaction(f func() error) (err error) {
	w.c.broken = nil
	if _, err := w.c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.c.broken = nil
			// SQLite may have rolled back already; then this says so, and
			// that is what we wanted.
			w.c.exec("ROLLBACK")
		}
	}()
	r := Reader{c: w.c}
	var last Time
	if err := r.value([]any{&last}, "SELECT at FROM clock WHERE one = 1"); err != nil {
		return err
	}
	w.clock.last = max(w.clock.last, last)
	if f != nil {
		if err := f(); err != nil {
			return err
		}
	}
	if _, err := w.c.exec("UPDATE clock SET at = ? WHERE one = 1", int64(w.clock.last)); err != nil {
		return err
	}
	if err := w.stillThere(); err != nil {
		return err
	}
	_, err = w.c.exec("COMMIT")
	return err
}

// runOne runs one write of the group. A failing write is undone alone; fatal
// is an error after which the whole group is lost.
func (w *writer) runOne(j *write, savepoint bool) (tx *Tx, fatal error) {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil, nil
	}
	if savepoint {
		if _, err := w.c.exec("SAVEPOINT w"); err != nil {
			return nil, err
		}
	}
	tx = &Tx{Reader: Reader{c: w.c, now: w.clock.wall}, Now: w.clock.next(), w: w}
	j.err = translate(call(j.f, tx))
	switch {
	case w.c.broken != nil:
		return nil, w.c.broken
	case j.err != nil && !savepoint:
		return nil, j.err // alone in its transaction: undo it all
	case j.err != nil:
		if _, err := w.c.exec("ROLLBACK TO w"); err != nil {
			return nil, err
		}
	}
	if savepoint {
		if _, err := w.c.exec("RELEASE w"); err != nil {
			return nil, err
		}
	}
	return tx, nil
}

// call runs f and turns a panic into an error, so that one bad write cannot
// take the writer with it.
func call(f func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return f(tx)
}

// stillThere makes sure that the open files are the ones at their paths: a
// removed file keeps accepting writes that nobody will ever find.
func (w *writer) stillThere() error {
	if w.files[0] == nil {
		return nil
	}
	for i, name := range [2]string{w.path, w.path + "-wal"} {
		fi, err := os.Stat(name)
		if err != nil || !os.SameFile(fi, w.files[i]) {
			return fmt.Errorf("%w: %s", ErrLost, name)
		}
		w.logSize = fi.Size()
	}
	return nil
}
