package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// maxSocket is how long the name of a socket can be on every system, in bytes.
const maxSocket = 100

// SocketPath returns the path of the socket at which the server of a database can be reached by commands.
func SocketPath(db string) string { return db + ".sock" }

// shortly calls f with a name of path that is short enough for a socket.
func shortly(path string, f func(name string) error) error {
	if len(path) <= maxSocket {
		return f(path)
	}
	dir, err := os.MkdirTemp("", "hearth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "d")
	if err := os.Symlink(filepath.Dir(path), link); err != nil {
		return err
	}
	return f(filepath.Join(link, filepath.Base(path)))
}

// listenSocket listens at the socket of the database, whose lock this process has: a socket that is there is of a
// process that was killed.
func listenSocket(db string) (ln *net.UnixListener, err error) {
	path := SocketPath(db)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = shortly(path, func(name string) (err error) {
		ln, err = listenPrivately(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot listen at %s: %w", path, err)
	}
	ln.SetUnlinkOnClose(false) // it would remove the short name
	if err := ownSocket(path, db); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// dialSocket connects to the server of a database.
func dialSocket(ctx context.Context, db string) (conn net.Conn, err error) {
	err = shortly(SocketPath(db), func(name string) (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, "unix", name)
		return err
	})
	return conn, err
}

// openSocket serves the commands of operators. Without them the server works, too.
func (a *App) openSocket() {
	ln, err := listenSocket(a.db.Path())
	if err != nil {
		a.cfg.Log.Warn("commands that need the database cannot be used while this server runs", "error", err)
		return
	}
	a.operators = a.server(http.HandlerFunc(a.serveOperator))
	go a.operators.Serve(ln)
}

// operatorTime is how long commands in progress may take when the server stops.
const operatorTime = time.Second

func (a *App) closeSocket() {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	if a.operators.Shutdown(ctx) != nil {
		a.operators.Close()
	}
	os.Remove(SocketPath(a.db.Path()))
}
