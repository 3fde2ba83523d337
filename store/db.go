// Package store is hearth's one SQLite file: its rows and the queries over them,
// on top of package engine. All that is read on behalf of a viewer goes through
// the predicates in visible.go.
package store

import (
	"context"
	_ "embed"
	"errors"
	"sync/atomic"
	"time"

	"hearth/store/engine"
)

// Options are the settings of an open database. Schema is the text of schema.sql, which is
// required when the file may have to be created.
type Options = engine.Options

//go:embed invariants.sql
var invariants string

// restored raises the numbers of later events above all that can have been
// given out since the backup: a client that resumes after one of those must not
// take new events for old ones. Part of the number is random: another restore
// of the same backup gives out others.
const restored = `INSERT INTO event (id, topic, kind, object_id, at)
	SELECT coalesce(max(id), 0) + (1 << 32) + (random() & 0x7fffffff), '', 'restored', '', coalesce(max(at), 0) FROM event`

// schemaOf returns the database's schema; create is "" to open only what is
// there.
func schemaOf(create string) engine.Schema {
	return engine.Schema{Create: create, Migrations: migrations(), Invariants: invariants, Verify: verifyBlobs}
}

// DB is an open database: one writer and a few readers.
type DB struct {
	// Embedded are Path, Queued, Now, Dead, OnCommit, Check, Truncate,
	// Vacuum and Close.
	*engine.DB[Event]

	credentials atomic.Pointer[func(userIDs []string)]
	judged      credentialWrites
	deliveries  atomic.Pointer[func()]
	senders     *UserCache[string, Sender]
	written     chan struct{} // has an element after a write
}

// OnCredentials sets a function that is called with accounts when one of their
// sessions or keys, or their row changed, before the write that changed it returns.
// Decisions about the accounts' credentials are then out of date. The function must
// not block.
func (db *DB) OnCredentials(f func(userIDs []string)) { db.credentials.Store(&f) }

func (db *DB) credentialsChanged(userIDs []string) {
	db.senders.Invalidate(userIDs)
	if f := db.credentials.Load(); f != nil {
		(*f)(userIDs)
	}
}

// Open opens the database file at path, creates it if there is none, and
// migrates an older file. It refuses a file of another program, of a newer
// schema version, or that another process has open, and leaves it as it is.
func Open(ctx context.Context, path string, opt Options) (*DB, error) {
	db, err := engine.Open[Event](ctx, path, schemaOf(opt.Schema), opt)
	if err != nil {
		return nil, err
	}
	return &DB{DB: db, senders: NewUserCache[string, Sender](), written: make(chan struct{}, 1)}, nil
}

// Read runs f with a reader of the current state, which all its statements see,
// whatever is committed meanwhile. f must be short, and must not call Read or Write.
func (db *DB) Read(ctx context.Context, f func(*Reader) error) error {
	return db.DB.Read(ctx, db.reading(f))
}

// ReadLong is Read for what takes long: exports, replays, searches over
// everything. It has readers of its own, so that requests never wait for it.
func (db *DB) ReadLong(ctx context.Context, f func(*Reader) error) error {
	return db.DB.ReadLong(ctx, db.reading(f))
}

// Get returns what f reads with db.Read.
func Get[T any](ctx context.Context, db *DB, f func(*Reader) (T, error)) (v T, err error) {
	err = db.Read(ctx, func(r *Reader) (err error) {
		v, err = f(r)
		return err
	})
	return v, err
}

// reading returns f for the engine. It must be called before the state is chosen
// that f reads.
func (db *DB) reading(f func(*Reader) error) func(*engine.Reader) error {
	generation := db.senders.Generation()
	return func(r *engine.Reader) error {
		return f(&Reader{c: r.Conn, e: r, senders: db.senders, generation: generation})
	}
}

// Write runs f on the single writer and returns once its changes are synced to
// disk or, if f fails, undone. f must only use tx: no I/O, no waiting. A ctx
// that ends before f starts withdraws the write; later it has no effect.
func (db *DB) Write(ctx context.Context, f func(tx *Tx) error) error {
	f, judged := db.judge(ctx, f)
	err := db.DB.Write(ctx, func(etx *engine.Tx[Event]) error { return db.run(etx, f) })
	if err == nil {
		judged()
		select {
		case db.written <- struct{}{}:
		default:
		}
	}
	return err
}

// run runs f within a write of the engine.
func (db *DB) run(etx *engine.Tx[Event], f func(tx *Tx) error) error {
	tx := &Tx{Reader: Reader{c: etx.Conn, e: &etx.Reader}, Now: etx.Now, db: db, e: etx}
	err := f(tx)
	etx.Publish(tx.events...)
	if changed := tx.changed; len(changed) > 0 {
		n := db.judged.written.Add(1)
		etx.OnDurable(func() {
			db.credentialsChanged(changed)
			db.judged.durable.Store(n)
		})
	}
	return err
}

// Conn is a connection, as Options.OnPrepare is given it.
type Conn = engine.Conn

// The clock and the errors of the engine.
type (
	Time        = engine.Time
	ManualClock = engine.ManualClock
	Manifest    = engine.Manifest
	Report      = engine.Report
	Progress    = engine.Progress
)

// TimeOf returns t, truncated to a microsecond.
func TimeOf(t time.Time) Time { return engine.TimeOf(t) }

// ParseTime parses an RFC 3339 time with any offset, in the years 1970 to 9999.
func ParseTime(s string) (Time, error) { return engine.ParseTime(s) }

// NewManualClock returns a clock that shows t.
func NewManualClock(t time.Time) *ManualClock { return engine.NewManualClock(t) }

// The errors of the engine; their comments are there.
var (
	ErrNoRow  = engine.ErrNoRow
	ErrTaken  = engine.ErrTaken
	ErrFull   = engine.ErrFull
	ErrLost   = engine.ErrLost
	ErrIO     = engine.ErrIO
	ErrDead   = engine.ErrDead
	ErrClosed = engine.ErrClosed
	ErrInUse  = engine.ErrInUse
)

// ErrTooFar reports that a write would have to count too many rows.
var ErrTooFar = errors.New("store: too far back")

// Resolve returns the absolute path of a database without symbolic links.
func Resolve(path string) (string, error) { return engine.Resolve(path) }

// OwnerOf returns the owner of a database, or of its folder. It reports false unless this
// process runs as root.
func OwnerOf(path string) (uid, gid int, ok bool) { return engine.OwnerOf(path) }

// Unavailable reports whether err means that the database cannot serve now,
// for a reason outside the request.
func Unavailable(err error) bool { return engine.Unavailable(err) }
