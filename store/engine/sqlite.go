package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // sets the library up, and registers it with database/sql
	sqlite3 "modernc.org/sqlite/lib"
)

// handle is an open SQLite connection. It calls the translated C library
// directly: database/sql and its driver together cost as much as the statements
// of a send. The connection has no lock of its own, so only one goroutine may
// use it at a time; interrupt is the exception.
type handle struct {
	tls *libc.TLS
	db  uintptr
}

// sqliteError is an error of SQLite with its extended result code.
type sqliteError struct {
	code int32
	msg  string
}

// Error returns the message, which may have names that are in the file.
func (e *sqliteError) Error() string { return fmt.Sprintf("%s (SQLite %d)", printable(e.msg), e.code) }

// openHandle opens the file that a URI names.
func openHandle(uri string) (*handle, error) {
	h := &handle{tls: libc.NewTLS()}
	name, err := libc.CString(uri)
	if err != nil {
		h.tls.Close()
		return nil, err
	}
	defer libc.Xfree(h.tls, name)
	to := h.alloc(8)
	defer libc.Xfree(h.tls, to)
	rc := sqlite3.Xsqlite3_open_v2(h.tls, name, to, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_CREATE|
		sqlite3.SQLITE_OPEN_NOMUTEX|sqlite3.SQLITE_OPEN_URI|sqlite3.SQLITE_OPEN_EXRESCODE, 0)
	h.db = pointerAt(to)
	if rc == sqlite3.SQLITE_OK {
		return h, nil
	}
	err = h.fail(rc)
	h.close()
	return nil, err
}

// alloc returns n bytes outside the Go heap.
func (h *handle) alloc(n int) uintptr {
	p := libc.Xmalloc(h.tls, libc.Tsize_t(n))
	if p == 0 {
		panic(fmt.Sprintf("engine: cannot allocate %d bytes", n))
	}
	return p
}

// pointerAt reads a pointer that C has stored at p.
func pointerAt(p uintptr) uintptr {
	if bits.UintSize == 32 {
		return uintptr(binary.NativeEndian.Uint32(libc.GoBytes(p, 4)))
	}
	return uintptr(binary.NativeEndian.Uint64(libc.GoBytes(p, 8)))
}

// fail returns the error for a result code. SQLite's message is added unless it
// is about another call.
func (h *handle) fail(rc int32) error {
	e := &sqliteError{code: rc, msg: libc.GoString(sqlite3.Xsqlite3_errstr(h.tls, rc))}
	if h.db == 0 || sqlite3.Xsqlite3_extended_errcode(h.tls, h.db)&0xff != rc&0xff {
		return e
	}
	if msg := libc.GoString(sqlite3.Xsqlite3_errmsg(h.tls, h.db)); msg != e.msg {
		e.msg += ": " + msg
	}
	return e
}

// flag sets an on-off option of the connection.
func (h *handle) flag(option int32, on bool) error {
	args := h.alloc(16)
	defer libc.Xfree(h.tls, args)
	rc := sqlite3.Xsqlite3_db_config(h.tls, h.db, option, libc.VaList(args, libc.Bool32(on), uintptr(0)))
	if rc != sqlite3.SQLITE_OK {
		return h.fail(rc)
	}
	return nil
}

// script runs statements separated by semicolons and drops their rows.
func (h *handle) script(text string) error {
	p, err := libc.CString(text)
	if err != nil {
		return err
	}
	defer libc.Xfree(h.tls, p)
	if rc := sqlite3.Xsqlite3_exec(h.tls, h.db, p, 0, 0, 0); rc != sqlite3.SQLITE_OK {
		return h.fail(rc)
	}
	return nil
}

// interruptOn ends every statement under way once ctx is done, until stop is
// called, which the caller must do before it closes the connection. SQLite
// forgets an interrupt that comes before a statement has started, so it is
// repeated.
func (h *handle) interruptOn(ctx context.Context) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
		case <-stopped:
			return
		}
		tls := libc.NewTLS()
		defer tls.Close()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			sqlite3.Xsqlite3_interrupt(tls, h.db)
			select {
			case <-tick.C:
			case <-stopped:
				return
			}
		}
	}()
	return func() { close(stopped); <-ended }
}

// changes returns how many rows all statements together have changed.
func (h *handle) changes() int64 { return sqlite3.Xsqlite3_total_changes64(h.tls, h.db) }

// close closes the connection. Its statements must be closed before.
func (h *handle) close() error {
	rc := sqlite3.Xsqlite3_close_v2(h.tls, h.db)
	h.db = 0
	h.tls.Close()
	if rc != sqlite3.SQLITE_OK {
		return &sqliteError{code: rc, msg: "the connection was not closed"}
	}
	return nil
}
