package engine

import (
	"context"
	"errors"
	"os"
	"time"
)

// truncateWait is how long Truncate waits for readers at most.
const truncateWait = 20 * time.Millisecond

// Truncate moves the write-ahead log into the database file and empties it, so
// that it has nothing of what was deleted: until then the words are in the log, or
// in the part of its file that is written over next. It reports false if readers were in
// the way. It returns ErrLost if the files are not those that were opened.
//
// It leaves SQLite without statistics. Queries name their index, tests check
// the plans; and with statistics SQLite prepares every statement again whose
// plan could depend on a parameter, which made a page of messages cost half as
// much again.
func (db *DB[E]) Truncate(ctx context.Context) (done bool, err error) {
	err = db.w.between(ctx, func(c *Conn) error {
		if err := db.w.checkFiles(); err != nil {
			return err
		}
		defer c.interruptOn(ctx)()
		c.c.SetBusyTimeout(truncateWait)
		defer c.c.SetBusyTimeout(busyWait)
		var busy, pages, moved int
		err := c.Value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(TRUNCATE)")
		done = err == nil && busy == 0
		return err
	})
	if errors.Is(err, ErrBusy) {
		return false, nil
	}
	return done, err
}

// Vacuum makes the file again without its free space, in which pages may still have
// parts of what was deleted. It returns how many bytes smaller the file is. Writes wait
// meanwhile, and reads do not. It needs twice the size of the file on the disk.
func (db *DB[E]) Vacuum(ctx context.Context) (freed int64, err error) {
	if _, err := db.Truncate(ctx); err != nil {
		return 0, err
	}
	before, err := os.Stat(db.path)
	if err != nil {
		return 0, err
	}
	err = db.w.between(ctx, func(c *Conn) error {
		defer c.interruptOn(ctx)()
		if err := c.run("PRAGMA temp_store = file"); err != nil { // the copy may be larger than the memory
			return err
		}
		defer c.run("PRAGMA temp_store = memory")
		return c.run("VACUUM")
	})
	if err != nil {
		return 0, err
	}
	if _, err := db.Truncate(ctx); err != nil {
		return 0, err
	}
	after, err := os.Stat(db.path)
	if err != nil {
		return 0, err
	}
	return before.Size() - after.Size(), nil
}
