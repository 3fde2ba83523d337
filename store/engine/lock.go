package engine

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse reports that another process has the database open.
var ErrInUse = errors.New("stop it first, or use another file with --db")

// lockedByte is the byte of a database that is locked. SQLite locks others, and no
// file is so long.
const lockedByte = 1<<62 - 1

// lockFile opens the file at path and takes its lock. That is of the file itself, so whoever opens
// the file by another name, such as a link or a mount, finds it taken.
func lockFile(path string, flag int) (*os.File, error) {
	f, err := openFile(path, flag)
	if err != nil {
		return nil, err
	}
	if err := lockOpen(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lockOpen takes the lock of a file that was opened at path.
func lockOpen(f *os.File, path string) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if !mine.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	got, err := tryLock(f, true)
	if err != nil {
		return fmt.Errorf("cannot lock %s: %w", path, err)
	}
	// A restore may have replaced it since.
	if now, err := os.Lstat(path); !got || err != nil || !os.SameFile(mine, now) {
		return fmt.Errorf("another hearth is serving %s; %w", path, ErrInUse)
	}
	return nil
}

// served reports whether a process holds the lock of the database at path. Where there
// are no locks, nothing is served.
func served(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer unlock(f)
	got, err := tryLock(f, false)
	return err == nil && !got
}

// When this process runs as root, Own gives a file that it made the owner and group of the
// database at path, or of its folder without a database.
func Own(f *os.File, path string) error {
	uid, gid, ok := OwnerOf(path)
	if !ok {
		return nil
	}
	return f.Chown(uid, gid)
}
