// Package engine is the storage engine under package store: one SQLite file
// with a single writer that commits in groups, pools of readers, migrations,
// backups, and a clock for writes. It knows SQL and files, and no table but
// clock, which holds the last write time.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"
)

// Schema is what a database is made of. Its version is the number of its
// migrations plus one, stored as SQLite's user_version.
type Schema struct {
	Create     string   // makes a new database in the newest version; "" if it cannot be made
	Migrations []string // the first leads from version 1 to 2, and so on
	Invariants string   // queries that return no row in a sound database, each after a line "-- name: ..."
	// Verify, if not nil, returns what else is wrong with a file of the newest version.
	Verify func(ctx context.Context, c *Conn) (broken []string, err error)
}

// Version returns the newest schema version.
func (s Schema) Version() int { return len(s.Migrations) + 1 }

// Options are the settings of an open database.
type Options struct {
	Schema string           // the Create of the schema, for callers of Open
	Now    func() time.Time // the wall clock; nil is time.Now
	Log    *slog.Logger     // for failures that have no caller; nil is slog.Default()
	Kept   bool             // the file must be there, of the newest version: for commands, which migrate nothing
	// OnPrepare, if not nil, is called with every statement once per
	// connection, before it is prepared. Tests check the query plan in it.
	OnPrepare func(c *Conn, query string)
	// Synchronous is FULL if "". Fault tests set less to prove that they
	// notice.
	Synchronous string
	// OnGroup, if not nil, is called after each transaction with the number of
	// its writes and its duration. It runs on the writer and must not block.
	OnGroup func(writes int, took time.Duration)
	// OnMigrate, if not nil, is called before an older file is migrated, with
	// the schema versions and where the copy of the file is.
	OnMigrate func(from, to int, copyPath string)
}

// DB is an open database whose writes publish events of type E.
type DB[E any] struct {
	path   string
	schema Schema
	opt    Options
	lock   *os.File // closed last: that ends the lock
	short  *pool
	long   *pool
	w      *writer[E]

	copying   sync.Mutex // a copy is made, or the database closes
	closeOnce sync.Once
	closeErr  error
}

// Open opens the database file at path, creates it if there is none, and
// migrates an older file. It refuses a file of another program, of a newer
// schema version, or that another process has open, and leaves it as it is.
func Open[E any](ctx context.Context, path string, schema Schema, opt Options) (*DB[E], error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.Synchronous == "" {
		opt.Synchronous = "FULL"
	}
	path, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	db := &DB[E]{path: path, schema: schema, opt: opt}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (db *DB[E]) open(ctx context.Context) error {
	var err error
	if db.lock, err = lockDatabase(db.path, db.schema); err != nil {
		return err
	}
	if err := removeDatabase(copyOf(db.path)); err != nil {
		return err
	}
	version, err := checkVersion(db.path, db.schema, db.opt.Kept)
	if err != nil {
		return err
	}
	c, err := openConn(db.path, writing, db.opt.Synchronous)
	if err != nil {
		return fmt.Errorf("open %s: %w", db.path, err)
	}
	if version < db.schema.Version() {
		err = migrate(ctx, c, db.path, version, db.schema.Migrations, db.opt.OnMigrate)
	}
	if err == nil {
		c.onPrepare = db.opt.OnPrepare
		db.w, err = newWriter[E](c, db.path, db.opt)
	}
	if err != nil {
		c.Close()
		return err
	}
	if db.short, err = newPool(db.path, max(2, runtime.NumCPU())+1, db.opt); err != nil {
		return err
	}
	db.long, err = newPool(db.path, longReaders(), db.opt)
	return err
}

// Path returns the absolute path of the database file.
func (db *DB[E]) Path() string { return db.path }

// Queued returns how many writes wait for the writer.
func (db *DB[E]) Queued() int { return len(db.w.queue) }

// Now returns the time of the wall clock, to decide what has expired. When something was
// written is told by Tx.Now instead.
func (db *DB[E]) Now() Time { return TimeOf(db.opt.Now()) }

// Dead returns a channel that is closed once a sync to disk has failed: the
// process should end.
func (db *DB[E]) Dead() <-chan struct{} { return db.w.dead }

// OnCommit adds a listener. It is called with the events of each commit, in
// order, after they are durable and their writes are answered. Listeners run on
// the writer, in the order they were added, and must not block; a listener that
// panics is logged, and the others still run.
func (db *DB[E]) OnCommit(f func([]E)) {
	db.w.between(context.Background(), func(*Conn) error {
		db.w.listeners = append(db.w.listeners, f)
		return nil
	})
}

// Close waits for the writes under way and closes the file. Later calls of
// Read and Write return ErrClosed; another Close returns what the first did.
func (db *DB[E]) Close() error {
	db.closeOnce.Do(func() { db.closeErr = db.close() })
	return db.closeErr
}

func (db *DB[E]) close() error {
	db.copying.Lock()
	defer db.copying.Unlock()
	var errs []error
	for _, p := range []*pool{db.short, db.long} {
		if p != nil {
			errs = append(errs, p.close())
		}
	}
	if db.w != nil {
		db.w.close()
	}
	if db.lock != nil {
		errs = append(errs, unlock(db.lock))
	}
	return errors.Join(errs...)
}
