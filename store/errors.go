package store

import (
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	// ErrNoRow is the answer of every query for one row that finds none: what
	// does not exist and what the viewer may not see are the same to it.
	ErrNoRow = sql.ErrNoRows
	// ErrTaken reports that a unique value is in use already.
	ErrTaken = errors.New("store: value is taken")
	// ErrTooFar reports that a write would have to count too many rows.
	ErrTooFar = errors.New("store: too far back")
	// ErrFull reports that the disk, or the quota on it, is full. Nothing was
	// written; writes work again as soon as there is room.
	ErrFull = errors.New("store: no space left for the database")
	// ErrReadOnly reports that the file system does not let us write.
	ErrReadOnly = errors.New("store: the database file cannot be written")
	// ErrBusy reports that another process held the file for too long.
	ErrBusy = errors.New("store: the database is busy in another process")
	// ErrLost reports that the database file was removed or replaced while it
	// was open: a write would go into a file nobody can find.
	ErrLost = errors.New("store: the database file was removed or replaced")
	// ErrIO reports that reading or writing the file failed; nothing was written.
	ErrIO = errors.New("store: reading or writing the database failed")
	// ErrDead reports that a sync to disk failed earlier. What the disk holds
	// is unknown since then, so nothing is acknowledged any more.
	ErrDead = errors.New("store: a write could not be secured on disk; the server must be restarted")
	// ErrClosed reports that the database was closed.
	ErrClosed = errors.New("store: the database is closed")
)

// translate gives driver errors the names above and keeps the original for
// the log. It is the one place that knows SQLite's error codes.
func translate(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) || errors.Is(err, ErrTaken) || Unavailable(err) {
		return err // nothing to translate, or translated already
	}
	switch code := e.Code(); {
	case code == sqlite3.SQLITE_CONSTRAINT_UNIQUE, code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", ErrTaken, err)
	case code == sqlite3.SQLITE_IOERR_FSYNC, code == sqlite3.SQLITE_IOERR_DIR_FSYNC:
		return fmt.Errorf("%w: %w", ErrDead, err)
	case code&0xff == sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case code&0xff == sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case code&0xff == sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case code&0xff == sqlite3.SQLITE_IOERR, code&0xff == sqlite3.SQLITE_CANTOPEN, code&0xff == sqlite3.SQLITE_CORRUPT, code&0xff == sqlite3.SQLITE_NOMEM, code&0xff == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrIO, err)
	}
	return err
}

// Unavailable tells whether err means that the database cannot serve now,
// for a reason outside the request.
func Unavailable(err error) bool {
	for _, e := range []error{ErrFull, ErrReadOnly, ErrBusy, ErrLost, ErrIO, ErrDead, ErrClosed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
