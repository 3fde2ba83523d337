package engine

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// maxLog is how many pages the write-ahead log may hold before it is moved
// into the database file.
const maxLog = 2000

// restartWait is how long the writer waits for reads so that the log begins again, each
// time that maxLog pages were added, while it has four times as many; up to five times as
// long while it has more.
const restartWait = 20 * time.Millisecond

// errRepeat ends a transaction whose writes have to run again, each in a
// savepoint.
var errRepeat = errors.New("engine: a write of the group failed after changing rows")

// runGroup runs the first writes of a group in one transaction, without a savepoint for each: it
// costs as much as a statement, and makes a full-text index write its pending
// terms. If one of several fails after it changed rows, all of them are undone
// and run again in savepoints, so that it is undone alone.
func (w *writer[E]) runGroup(group []*write[E]) (done committed[E], err error) {
	for _, savepoints := range []bool{false, true} {
		err = w.transaction(func() error {
			before := w.c.changes
			if done, err = w.runAll(group, savepoints); err != nil {
				return err
			}
			if w.c.changes == before {
				return errNothing
			}
			return w.saveClock()
		})
		if err != errRepeat {
			break
		}
	}
	if err == errNothing {
		err = nil
	}
	return done, err
}

// committed is what follows from the writes of a group.
type committed[E any] struct {
	writes  int // how many of the group
	durable []func()
	events  []E
}

// errNothing ends a transaction without changes, which needs no commit.
var errNothing = errors.New("engine: nothing was changed")

// runAll runs writes until maxGroupTime has passed, at least one.
func (w *writer[E]) runAll(group []*write[E], savepoints bool) (done committed[E], err error) {
	start := time.Now()
	for i, j := range group {
		if i > 0 && time.Since(start) >= maxGroupTime {
			break
		}
		tx, err := w.runOne(j, savepoints, len(group) == 1)
		if err != nil {
			return committed[E]{}, err
		}
		done.writes++
		if j.err == nil {
			done.events = append(done.events, tx.events...)
			done.durable = append(done.durable, tx.durable...)
		}
	}
	return done, nil
}

// runOne runs one write of a group and sets its error. It fails if the whole
// transaction has to be undone.
func (w *writer[E]) runOne(j *write[E], savepoint, alone bool) (tx *Tx[E], err error) {
	if j.err = j.ctx.Err(); j.err != nil && !j.started {
		return nil, nil
	}
	j.started = true
	if w.twice {
		if err := w.rehearse(j); err != nil {
			return nil, err
		}
	}
	if savepoint {
		if err := w.c.control("SAVEPOINT w"); err != nil {
			return nil, err
		}
	}
	before := w.c.changes
	tx = w.call(j)
	switch {
	case w.c.broken != nil:
		return nil, w.c.broken
	case j.err == nil || w.c.changes == before: // nothing to undo
	case alone:
		return nil, j.err
	case !savepoint:
		return nil, errRepeat
	default:
		if err := w.c.control("ROLLBACK TO w"); err != nil {
			return nil, err
		}
	}
	if savepoint {
		if err := w.c.control("RELEASE w"); err != nil {
			return nil, err
		}
	}
	return tx, nil
}

// rehearse runs a write and undoes it.
func (w *writer[E]) rehearse(j *write[E]) error {
	last := w.clock.last
	if err := w.c.control("SAVEPOINT r"); err != nil {
		return err
	}
	w.call(j)
	if w.c.broken != nil {
		return w.c.broken
	}
	if err := w.c.control("ROLLBACK TO r"); err != nil {
		return err
	}
	w.clock.last = last
	return w.c.control("RELEASE r")
}

func (w *writer[E]) newTx() *Tx[E] {
	return &Tx[E]{Reader: Reader{Conn: w.c, now: w.clock.wall}, Now: w.clock.next(), w: w}
}

// call runs a write's function and sets its error. A panic is an error too, so
// that one bad write cannot stop the writer.
func (w *writer[E]) call(j *write[E]) (tx *Tx[E]) {
	tx = w.newTx()
	defer func() {
		if p := recover(); p != nil {
			j.err = fmt.Errorf("store: panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	j.err = translate(j.f(tx))
	return tx
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
	if w.logSize, err = w.checkFiles(); err != nil {
		return err
	}
	return w.c.control("COMMIT")
}

func (w *writer[E]) saveClock() error {
	_, err := w.c.Exec("UPDATE clock SET at = ? WHERE one = 1", int64(w.clock.last))
	return err
}

// checkFiles makes sure that the open files are the ones at their paths: a
// removed file accepts writes that are lost with it. It returns the size of the
// log.
func (w *writer[E]) checkFiles() (logSize int64, err error) {
	if w.files[0] == nil {
		return 0, nil
	}
	for i, name := range [2]string{w.path, w.path + "-wal"} {
		fi, err := os.Stat(name)
		if err != nil || !os.SameFile(fi, w.files[i]) {
			return 0, fmt.Errorf("%w: %s", ErrLost, name)
		}
		logSize = fi.Size()
	}
	return logSize, nil
}

// checkpoint moves the log into the database file once it has grown long.
// SQLite would do so by itself, but within a commit that a caller waits for,
// and it would not report a failed sync. After any other failure the log stays
// as it is until the next time. Reading the length of the log takes a statement,
// so that is done only when its file has grown, or after some writes.
func (w *writer[E]) checkpoint(writes int) error {
	if w.unchecked += writes; w.unchecked < 64 && w.logSize == w.checkedSize {
		return nil
	}
	w.unchecked, w.checkedSize = 0, w.logSize
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
	if err := w.c.Value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil || pages < 4*w.maxLog {
		return err
	}
	return w.restartLog(time.Duration(min(pages/(4*w.maxLog), 5)) * restartWait)
}

// restartLog has the log begin again once all of it is moved and the reads end that need
// it, for which it waits at most so long. While reads overlap, there is no moment without
// one that began before the newest commit, and the log would grow for ever.
func (w *writer[E]) restartLog(wait time.Duration) error {
	w.c.busyTimeout(wait)
	defer w.c.busyTimeout(busyWait)
	var busy, pages, moved int
	return w.c.Value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(RESTART)")
}
