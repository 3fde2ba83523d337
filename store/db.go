// Package store is hearth's one SQLite file: rows, the queries over them, and
// the single writer. Everything that is read for somebody goes through the
// predicates in visible.go.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
)

// Options say how a database is opened.
type Options struct {
	Schema string           // schema.sql; needed when the file may have to be made
	Now    func() time.Time // the wall clock; nil is time.Now
	Shared bool             // do not claim the file: for short commands beside a running server
	// OnPrepare, if set, sees every statement once per connection, before it
	// is first run. Tests use it to ask for its query plan.
	OnPrepare func(ctx context.Context, c *sql.Conn, query string)
	// Synchronous is FULL unless a fault test asks for less to prove that it
	// would notice.
	Synchronous string
	// OnGroup, if set, is told how many writes each transaction held and how
	// long it took. It runs on the writer and must not block.
	OnGroup func(writes int, took time.Duration)
	// OnMigrate is told before the steps from an older version are run.
	OnMigrate func(from, to int, copyPath string)
}

// DB is an open database: one writer and a few readers.
type DB struct {
	path    string
	opt     Options
	lock    *flock.Flock
	writePo *sql.DB
	readPo  *sql.DB
	readers chan *conn
	opened  int // how many readers there are
	w       *writer

	closeOnce sync.Once
	closeErr  error
}

// Open opens the database file at path, making it if there is none, and
// brings an older file up to date. It refuses, without touching it, a file
// that is not hearth's, is newer than this program, or is served already.
func Open(ctx context.Context, path string, opt Options) (*DB, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Synchronous == "" {
		opt.Synchronous = "FULL"
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, opt: opt}
	if err := db.open(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	sqlite.StrictPragmas(true)
	if err := db.claim(); err != nil {
		return err
	}
	err := gate(ctx, db.path, db.opt.Schema)
	if err != nil {
		return err
	}
	if db.writePo, err = sql.Open("sqlite", dsn(db.path, false, db.opt.Synchronous)); err != nil {
		return err
	}
	db.writePo.SetMaxOpenConns(1)
	c, err := db.writePo.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open %s: %w", db.path, translate(err))
	}
	if err := prepareFile(ctx, c, db.path, db.opt); err != nil {
		c.Close()
		return err
	}
	if db.w, err = newWriter(ctx, newConn(c, db.opt.OnPrepare), db.path, db.opt); err != nil {
		c.Close()
		return err
	}
	return db.openReaders(ctx)
}

func (db *DB) openReaders(ctx context.Context) (err error) {
	if db.readPo, err = sql.Open("sqlite", dsn(db.path, true, db.opt.Synchronous)); err != nil {
		return err
	}
	n := max(2, runtime.NumCPU())
	db.readPo.SetMaxOpenConns(n)
	db.readPo.SetMaxIdleConns(n)
	db.readers = make(chan *conn, n)
	for range n {
		c, err := db.readPo.Conn(ctx)
		if err != nil {
			return translate(err)
		}
		db.readers <- newConn(c, db.opt.OnPrepare)
		db.opened++
	}
	return nil
}

func dsn(path string, readOnly bool, synchronous string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	q := "_busy_timeout=5000&_foreign_keys=on&_defensive=1&_dqs=0&_error_rc=1" +
		"&_pragma=cache_size(-16000)&_pragma=temp_store(memory)&_pragma=trusted_schema(0)"
	if readOnly {
		q += "&mode=ro&_query_only=on"
	} else {
		q += "&_txlock=immediate&_journal_mode=WAL&_synchronous=" + synchronous +
			"&_pragma=journal_size_limit(67108864)&_pragma=secure_delete(1)&_pragma=wal_autocheckpoint(0)"
	}
	return u.String() + "?" + q
}

// claim takes the lock that lets one process serve the file.
func (db *DB) claim() error {
	if db.opt.Shared {
		return nil
	}
	db.lock = flock.New(db.path+".lock", flock.SetPermissions(0o600))
	ok, err := db.lock.TryLock()
	if err != nil {
		return fmt.Errorf("cannot make %s.lock beside the database: %w", db.path, err)
	}
	if !ok {
		return fmt.Errorf("another hearth is serving %s; stop it first, or give this one its own file with --db", db.path)
	}
	return nil
}

// Path returns the absolute path of the database file.
func (db *DB) Path() string { return db.path }

// Queued returns how many writes wait for the writer.
func (db *DB) Queued() int { return len(db.w.queue) }

// Now returns the wall clock's time, for deciding what has expired. Writes
// use Tx.Now instead.
func (db *DB) Now() Time { return TimeOf(db.opt.Now()) }

// Dead is closed once a sync to disk has failed: the process should end.
func (db *DB) Dead() <-chan struct{} { return db.w.dead }

// OnCommit sets the function that is given the events of each commit, in
// order, after they are on disk. It runs on the writer and must not block.
func (db *DB) OnCommit(f func([]Event)) { db.w.onCommit.Store(&f) }

// Close waits for the writes under way and closes the file. Later calls of
// Read and Write answer ErrClosed; another Close answers as the first did.
func (db *DB) Close() error {
	db.closeOnce.Do(func() { db.closeErr = db.close() })
	return db.closeErr
}

func (db *DB) close() error {
	if db.w != nil {
		db.w.close()
	}
	var err error
	if db.readPo != nil {
		err = db.closeReaders()
	}
	if db.writePo != nil {
		if e := db.writePo.Close(); err == nil {
			err = e
		}
	}
	if db.lock != nil {
		db.lock.Unlock()
	}
	return err
}

func (db *DB) closeReaders() error {
	for range db.opened {
		select {
		case c, ok := <-db.readers:
			if ok {
				c.close()
			}
		case <-time.After(5 * time.Second):
			db.readPo.Close()
			return fmt.Errorf("store: a reader is still at work")
		}
	}
	return db.readPo.Close()
}

// Read runs f with a reader of the current state. Each statement sees the
// newest commit of its moment; Snapshot holds one state for all of them.
// f must not call Read or Write again.
func (db *DB) Read(ctx context.Context, f func(*Reader) error) error {
	select {
	case c, ok := <-db.readers:
		if !ok {
			return ErrClosed
		}
		defer func() { db.readers <- c }()
		c.broken = nil
		return translate(f(&Reader{c: c, now: db.opt.Now}))
	case <-ctx.Done():
		return ctx.Err()
	case <-db.w.stopped:
		return ErrClosed
	}
}

// Snapshot is Read with every statement seeing the same state. It must end
// soon: while it is open the write-ahead log cannot be emptied.
func (db *DB) Snapshot(ctx context.Context, f func(*Reader) error) error {
	return db.Read(ctx, func(r *Reader) error {
		if _, err := r.c.exec("BEGIN"); err != nil {
			return err
		}
		defer func() {
			r.c.broken = nil
			r.c.exec("ROLLBACK")
		}()
		return f(r)
	})
}
