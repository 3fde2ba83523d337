package engine

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

var (
	// ErrNoRow reports that a query for one row found none.
	ErrNoRow = errors.New("store: no row")
	// ErrTaken reports that a unique value is in use.
	ErrTaken = errors.New("store: value is taken")
	// ErrFull reports that the disk or the quota on it is full. Nothing was
	// written; writes work again once there is space.
	ErrFull = errors.New("store: no space left for the database")
	// ErrReadOnly reports that the file system does not allow writing.
	ErrReadOnly = errors.New("store: the database file cannot be written")
	// ErrBusy reports that another process held the file for too long.
	ErrBusy = errors.New("store: the database is busy in another process")
	// ErrLost reports that the database file was removed or replaced while it
	// was open: a write would go into a file without a name.
	ErrLost = errors.New("store: the database file was removed or replaced")
	// ErrIO reports that reading or writing the file failed; nothing was written.
	ErrIO = errors.New("store: reading or writing the database failed")
	// ErrDead reports that a sync to disk failed. What the disk holds is
	// unknown from then on, so no later write is acknowledged.
	ErrDead = errors.New("store: a sync to disk failed; the server must be restarted")
	// ErrInterrupted reports that a long statement was ended with its context.
	ErrInterrupted = errors.New("store: interrupted")
	// ErrClosed reports that the database was closed.
	ErrClosed = errors.New("store: the database is closed")
)

// translate wraps errors of SQLite in the values above and keeps the original
// for the log. It is the one place that knows SQLite's result codes.
func translate(err error) error {
	if err == nil || errors.Is(err, ErrTaken) || Unavailable(err) {
		return err // translated before
	}
	if name := nameOf(sqlite.ErrCode(err)); name != nil {
		return fmt.Errorf("%w: %w", name, err)
	}
	return err
}

// nameOf returns the error value for a result code; nil if there is none.
func nameOf(code sqlite.ResultCode) error {
	switch code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey:
		return ErrTaken
	case sqlite.ResultIOErrFsync, sqlite.ResultIOErrDirFsync:
		return ErrDead
	}
	switch code.ToPrimary() {
	case sqlite.ResultFull:
		return ErrFull
	case sqlite.ResultReadOnly:
		return ErrReadOnly
	case sqlite.ResultBusy:
		return ErrBusy
	case sqlite.ResultInterrupt:
		return ErrInterrupted
	case sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultCorrupt, sqlite.ResultNoMem, sqlite.ResultNotADB:
		return ErrIO
	}
	return nil
}

// Unavailable reports whether err means that the database cannot serve now,
// for a reason outside the request.
func Unavailable(err error) bool {
	for _, e := range []error{ErrFull, ErrReadOnly, ErrBusy, ErrLost, ErrIO, ErrDead, ErrClosed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
