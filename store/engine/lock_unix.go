//go:build unix

package engine

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// setLock is the command that locks for an open file: unlike a lock of the process, it does
// not end when the process closes the file elsewhere.
var setLock = map[string]int{"linux": 37, "android": 37, "darwin": 90}[runtime.GOOS] // F_OFD_SETLK

// tryLock locks lockedByte until unlock, and reports false if another process has.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	kind := int16(syscall.F_RDLCK)
	if exclusive {
		kind = syscall.F_WRLCK
	}
	err := lockByte(f, kind)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	return err == nil, err
}

// unlock ends the lock of f and closes it. A process that is being started has f, too, for a moment, and so the lock.
func unlock(f *os.File) error { return errors.Join(lockByte(f, syscall.F_UNLCK), f.Close()) }

func lockByte(f *os.File, kind int16) error {
	lock := &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: lockedByte, Len: 1}
	return syscall.FcntlFlock(f.Fd(), cmp.Or(setLock, syscall.F_SETLK), lock)
}

func openFile(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, 0o600) }

func rename(from, to string) error { return os.Rename(from, to) }

// OwnerOf returns the owner of a database, or of its folder. It reports false unless this
// process runs as root.
func OwnerOf(path string) (uid, gid int, ok bool) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		fi, err = os.Stat(filepath.Dir(path))
	}
	if err != nil || os.Geteuid() != 0 {
		return 0, 0, false
	}
	owner := fi.Sys().(*syscall.Stat_t)
	return int(owner.Uid), int(owner.Gid), true
}

// SyncDir syncs a folder, so that a new name in it survives a power cut.
func SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
