package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

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
	// ErrClosed reports that the database was closed.
	ErrClosed = errors.New("store: the database is closed")
)

// errorOf has the errors that are told apart, by SQLite's result codes.
var errorOf = map[sqlite.ResultCode]error{
	sqlite.ResultConstraintUnique: ErrTaken, sqlite.ResultConstraintPrimaryKey: ErrTaken,
	sqlite.ResultIOErrFsync: ErrDead, sqlite.ResultIOErrDirFsync: ErrDead,
	sqlite.ResultFull: ErrFull, sqlite.ResultReadOnly: ErrReadOnly, sqlite.ResultBusy: ErrBusy,
	sqlite.ResultIOErr: ErrIO, sqlite.ResultCantOpen: ErrIO, sqlite.ResultCorrupt: ErrIO, sqlite.ResultNoMem: ErrIO,
	sqlite.ResultNotADB: ErrIO,
}

// translate wraps errors of SQLite in the values above and keeps the original
// for the log.
func translate(err error) error {
	if err == nil || errors.Is(err, ErrTaken) || Unavailable(err) {
		return err // translated before
	}
	code := sqlite.ErrCode(err)
	if name := cmp.Or(errorOf[code], errorOf[code.ToPrimary()]); name != nil {
		return fmt.Errorf("%w: %w", name, err)
	}
	return err
}

// Unavailable reports whether err means that the database cannot serve now,
// for a reason outside the request.
func Unavailable(err error) bool {
	return slices.ContainsFunc([]error{ErrFull, ErrReadOnly, ErrBusy, ErrLost, ErrIO, ErrDead, ErrClosed},
		func(e error) bool { return errors.Is(err, e) })
}
