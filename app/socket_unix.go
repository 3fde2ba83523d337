//go:build unix

package app

import (
	"net"
	"os"
	"sync"
	"syscall"

	"hearth/store"
)

var masking sync.Mutex // the mask is of the process

// listenPrivately makes a socket with the mode 0600, so that no other user can connect to it at any time.
func listenPrivately(path string) (*net.UnixListener, error) {
	masking.Lock()
	defer masking.Unlock()
	defer syscall.Umask(syscall.Umask(0o177))
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

func ownSocket(path, db string) error {
	uid, gid, ok := store.OwnerOf(db)
	if !ok {
		return nil
	}
	return os.Lchown(path, uid, gid)
}
