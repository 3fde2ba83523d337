package engine

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// openFile opens a file that can be renamed and replaced meanwhile.
func openFile(path string, flag int) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(filepath.Base(path), flag, 0o600)
}

// rename renames a file within its folder, while openFile has it or the other open.
func rename(from, to string) error {
	dir, err := os.OpenRoot(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Rename(filepath.Base(from), filepath.Base(to))
}

// tryLock locks lockedByte until unlock, and reports false if another process has.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := &windows.Overlapped{Offset: lockedByte & 0xffffffff, OffsetHigh: lockedByte >> 32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// unlock ends the lock of f and closes it.
func unlock(f *os.File) error { return f.Close() }

// OwnerOf reports false: files have the permissions of their folder.
func OwnerOf(string) (uid, gid int, ok bool) { return 0, 0, false }

// SyncDir does nothing: a folder cannot be synced here; the file system keeps names safe.
func SyncDir(string) error { return nil }
