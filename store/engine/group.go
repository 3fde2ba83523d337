package engine

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// maxLog is how many pages the write-ahead log may hold before it is moved
// into the database file.
const maxLog = 2000

// restartWait is how long the writer waits for reads so that the log begins again. It
// waits each time that maxLog pages were added, while the log has up to four times maxLog
// pages. While the log has more, it waits up to five times as long.
const restartWait = 20 * time.Millisecond

// runGroup runs writes in one transaction and commits it, which writes nothing if they
// changed nothing. Each of several has a savepoint, so that one that fails is undone alone.
func (w *writer[E]) runGroup(group []*write[E]) error {
	return w.transaction(func() error {
		before := w.c.TotalChanges()
		for _, j := range group {
			if err := w.runOne(j, len(group) > 1); err != nil {
				return err
			}
		}
		if w.c.TotalChanges() == before {
			return nil
		}
		return w.saveClock()
	})
}

// runOne runs a write of a group and sets its error. It fails if the whole
// transaction has to be undone.
func (w *writer[E]) runOne(j *write[E], savepoint bool) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if savepoint {
		if err := w.c.control("SAVEPOINT w"); err != nil {
			return err
		}
	}
	w.call(j)
	switch {
	case w.c.broken != nil:
		return w.c.broken
	case !savepoint:
		return j.err
	case j.err != nil:
		if err := w.c.control("ROLLBACK TO w"); err != nil {
			return err
		}
	}
	return w.c.control("RELEASE w")
}

// call runs a write's function and sets its error. A panic is an error too, so
// that one bad write cannot stop the writer.
func (w *writer[E]) call(j *write[E]) {
	defer func() {
		if p := recover(); p != nil {
			j.err = fmt.Errorf("store: panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	j.tx = Tx[E]{Reader: Reader{Conn: w.c, now: w.opt.Now}, Now: w.tick(), w: w}
	j.err = translate(j.f(&j.tx))
}

// transaction runs f between BEGIN and COMMIT.
func (w *writer[E]) transaction(f func() error) (err error) {
	w.c.broken = nil
	if err := w.c.control("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.c.broken = nil
			w.c.control("ROLLBACK") // fails if SQLite has rolled back by itself
		}
	}()
	if err := f(); err != nil {
		return err
	}
	if err := w.checkFiles(); err != nil {
		return err
	}
	return w.c.control("COMMIT")
}

func (w *writer[E]) saveClock() error {
	_, err := w.c.Exec("UPDATE clock SET at = ? WHERE one = 1", int64(w.last))
	return err
}

// checkFiles makes sure that the open files are the ones at their paths: a
// removed file accepts writes that are lost with it.
func (w *writer[E]) checkFiles() error {
	for name, opened := range w.files {
		if fi, err := os.Stat(name); err != nil || !os.SameFile(fi, opened) {
			return fmt.Errorf("%w: %s", ErrLost, name)
		}
	}
	return nil
}

// checkpoint moves the log into the database file once it has grown long.
// SQLite would do so by itself, but within a commit that a caller waits for,
// and it would not report a failed sync. After any other failure the log stays
// as it is until the next time.
//
// While reads overlap, there is no moment without one that began before the newest
// commit, and the log would grow for ever. So once it is four times as long, the writer
// waits for a moment until it can begin again.
func (w *writer[E]) checkpoint() error {
	var busy, pages, moved int
	w.c.broken = nil
	if err := w.c.Value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(NOOP)"); err != nil {
		return err
	}
	added := pages - w.tried // negative if the log has begun again
	if pages-moved < w.maxLog || added >= 0 && added < w.maxLog {
		return nil
	}
	w.tried = pages
	if err := w.c.control("PRAGMA wal_checkpoint(PASSIVE)"); err != nil || pages < 4*w.maxLog {
		return err
	}
	w.c.c.SetBusyTimeout(time.Duration(min(pages/(4*w.maxLog), 5)) * restartWait)
	defer w.c.c.SetBusyTimeout(busyWait)
	return w.c.control("PRAGMA wal_checkpoint(RESTART)")
}
