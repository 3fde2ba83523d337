package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// maxGroup is how many writes share a transaction at most. It bounds how
// long the first of them waits for the last.
const maxGroup = 256

// Tx is a write under way: a Reader that includes its own changes. It is valid
// within the function it was given to.
type Tx[E any] struct {
	Reader
	// Now is the time of this write, strictly later than that of every
	// earlier write that changed the file.
	Now Time

	w       *writer[E]
	events  []E
	durable []func()
}

// Tick returns a time later than Now and every earlier Tick, for a write whose
// rows need an order.
func (tx *Tx[E]) Tick() Time { return tx.w.tick() }

// Publish passes events to the listeners once the write is durable.
func (tx *Tx[E]) Publish(events ...E) { tx.events = append(tx.events, events...) }

// OnDurable has f run once the write is durable, before Write returns: for what
// must be in force when the write is acknowledged. f runs on the writer and must
// not block.
func (tx *Tx[E]) OnDurable(f func()) { tx.durable = append(tx.durable, f) }

// writer is the single writer. It runs the queued writes in one transaction,
// commits it, and only then answers them.
type writer[E any] struct {
	c         *Conn
	last      Time // of the newest write
	queue     chan *write[E]
	tasks     chan func() // see between
	listeners []func([]E)
	opt       Options
	files     map[string]os.FileInfo // the database and its log as they were opened

	maxLog int // pages
	tried  int // pages in the log when it was last moved

	closing chan struct{} // no more writes are accepted
	stopped chan struct{} // the writer has ended
	dead    chan struct{} // a sync failed
}

type write[E any] struct {
	ctx  context.Context
	f    func(*Tx[E]) error
	tx   Tx[E]
	err  error
	done chan struct{}
}

func newWriter[E any](c *Conn, path string, opt Options) (*writer[E], error) {
	w := &writer[E]{
		c: c, opt: opt, maxLog: maxLog, queue: make(chan *write[E], maxGroup), tasks: make(chan func()),
		closing: make(chan struct{}), stopped: make(chan struct{}), dead: make(chan struct{}),
	}
	// The first commit creates the log file, so that both can be checked from
	// here on.
	err := w.transaction(func() error {
		if err := w.c.Value([]any{&w.last}, "SELECT at FROM clock WHERE one = 1"); err != nil {
			return err
		}
		return w.saveClock()
	})
	if err != nil {
		return nil, err
	}
	w.files = map[string]os.FileInfo{}
	for _, name := range []string{path, path + "-wal"} {
		if w.files[name], err = os.Stat(name); err != nil {
			return nil, fmt.Errorf("%s disappeared while it was opened: %w", name, err)
		}
	}
	go w.run()
	return w, nil
}

// Write runs f on the single writer and returns once its changes are synced to
// disk or, if f fails, undone. f must only use tx: no I/O, no waiting. A ctx
// that ends before f starts withdraws the write; later it has no effect.
func (db *DB[E]) Write(ctx context.Context, f func(tx *Tx[E]) error) error {
	j := &write[E]{ctx: ctx, f: f, done: make(chan struct{})}
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

// between has the writer call f between two groups, outside a transaction.
func (w *writer[E]) between(ctx context.Context, f func(c *Conn) error) error {
	ended := make(chan error, 1)
	call := func() {
		w.c.broken = nil
		ended <- w.dieOf(f(w.c)) // before the next group is acknowledged
	}
	select {
	case w.tasks <- call:
		return <-ended
	case <-w.stopped:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer[E]) close() {
	close(w.closing)
	<-w.stopped
}

func (w *writer[E]) run() {
	defer close(w.stopped)
	defer w.c.Close()
	for {
		j := w.next()
		if j == nil {
			return
		}
		group := []*write[E]{j}
		w.yield()
		for len(group) < maxGroup && len(w.queue) > 0 {
			group = append(group, <-w.queue)
		}
		w.commit(group)
	}
}

// next waits for a write, and returns nil once there are none and the writer is closed.
func (w *writer[E]) next() *write[E] {
	for {
		select {
		case f := <-w.tasks:
			f()
		case j := <-w.queue:
			return j
		case <-w.closing:
			select {
			case j := <-w.queue:
				return j
			default:
				return nil
			}
		}
	}
}

// maxYields is how often the writer lets other goroutines run before it takes a
// group.
const maxYields = 3

// yield lets goroutines run that are ready to, as long as they queue further
// writes: those share the sync of the group, which takes longer than their turns.
func (w *writer[E]) yield() {
	for range maxYields {
		queued := len(w.queue)
		runtime.Gosched()
		if len(w.queue) == queued {
			return
		}
	}
}

// commit runs the writes of a group and answers them. Listeners run after the answers: no
// caller waits for them.
func (w *writer[E]) commit(group []*write[E]) {
	err := ErrDead
	start := time.Now()
	if !w.isDead() {
		err = w.dieOf(w.runGroup(group))
	}
	var events []E
	for _, j := range group {
		switch {
		case err != nil:
			j.err = err
		case j.err == nil:
			events = append(events, j.tx.events...)
			for _, f := range j.tx.durable {
				w.safely(f)
			}
		}
	}
	for _, j := range group {
		close(j.done)
	}
	if w.opt.OnGroup != nil {
		w.opt.OnGroup(len(group), time.Since(start))
	}
	if len(events) > 0 {
		for _, f := range w.listeners {
			w.safely(func() { f(events) })
		}
	}
	if err == nil {
		w.dieOf(w.checkpoint())
	}
}

// dieOf stops all acknowledging if err is a failed sync. It returns err.
func (w *writer[E]) dieOf(err error) error {
	if errors.Is(err, ErrDead) && !w.isDead() {
		close(w.dead)
	}
	return err
}

func (w *writer[E]) isDead() bool {
	select {
	case <-w.dead:
		return true
	default:
		return false
	}
}

// safely calls f, and logs if it panics.
func (w *writer[E]) safely(f func()) {
	defer func() {
		if p := recover(); p != nil {
			w.opt.Log.Error("a listener for commits panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	f()
}
