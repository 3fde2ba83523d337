//go:build unix

package engine

import (
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

// tryLock locks lockedByte until f is closed, and reports false if another process has.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	command, kind := setLock, int16(syscall.F_RDLCK)
	if command == 0 {
		command = syscall.F_SETLK
	}
	if exclusive {
		kind = syscall.F_WRLCK
	}
	err := syscall.FcntlFlock(f.Fd(), command, &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: lockedByte, Len: 1})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func openFile(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, 0o600) }

func rename(from, to string) error { return os.Rename(from, to) }

// OwnerOf returns the owner of a database, or of its folder. It reports false unless this
// process runs as root.
func OwnerOf(path string) (uid, gid int, ok bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		fi, err = os.Stat(filepath.Dir(path))
	}
	if err != nil {
		return 0, 0, false
	}
	owner, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
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
