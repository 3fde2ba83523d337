package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// All connections together keep at most cachedPages pages, also if each could keep many.
func TestConnectionsShareTheCache(t *testing.T) {
	db := openTest(t, Options{Synchronous: "OFF"})
	ctx := context.Background()
	long := strings.Repeat("x", 1<<20)
	for n := range 12 {
		if err := db.Write(ctx, func(tx *Tx[string]) error { return put(tx, fmt.Sprint(n)+long) }); err != nil {
			t.Fatal(err)
		}
	}
	var inUse func(reads int) error
	inUse = func(reads int) error {
		return db.Read(ctx, func(r *Reader) error {
			if _, err := readNames(r); err != nil || reads == 1 {
				return err
			}
			return inUse(reads - 1)
		})
	}
	if err := inUse(2); err != nil {
		t.Fatal(err)
	}
	used, most := cacheStatus(t, sqlite3.SQLITE_STATUS_PAGECACHE_USED)
	_, beyond := cacheStatus(t, sqlite3.SQLITE_STATUS_PAGECACHE_OVERFLOW)
	if used < cachedPages/2 || most > cachedPages || beyond > 1<<20 {
		t.Errorf("%d pages are kept in the memory for them, at most %d of %d, and %d bytes beside it", used, most, cachedPages, beyond)
	}
}

// cacheStatus returns a counter of SQLite about all connections, and the highest it was.
func cacheStatus(t *testing.T, what int32) (now, most int) {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	to := libc.Xcalloc(tls, 2, 4)
	defer libc.Xfree(tls, to)
	if rc := sqlite3.Xsqlite3_status(tls, what, to, to+4, 0); rc != sqlite3.SQLITE_OK {
		t.Fatal(rc)
	}
	b := libc.GoBytes(to, 8)
	return int(binary.NativeEndian.Uint32(b)), int(binary.NativeEndian.Uint32(b[4:]))
}
