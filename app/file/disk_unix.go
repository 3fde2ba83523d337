//go:build linux || darwin

package file

import "syscall"

// freeBytes returns how many bytes can be written to the file system of a folder.
func freeBytes(folder string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
