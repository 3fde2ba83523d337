package engine

import (
	"encoding/binary"
	"sync"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// cachedPages is how many pages all connections of the process keep together.
const cachedPages = 4096

// reserveCache reserves memory for the pages that connections keep. A connection drops
// all of its pages at the first read after another one has committed; returned to the
// allocator, most of them would be returned to the system and be asked for again at
// once. The memory also bounds what all connections keep: once it is used up, they
// drop pages that are in none's use before they ask the allocator.
//
// SQLite accepts it only before the first connection of the process is opened. A
// program that has opened others before works as well, but more slowly.
var reserveCache = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, 32)
	header := libc.Xcalloc(tls, 1, 4)
	if args == 0 || header == 0 {
		return
	}
	defer libc.Xfree(tls, args)
	defer libc.Xfree(tls, header)
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PCACHE_HDRSZ, libc.VaList(args, header)) != sqlite3.SQLITE_OK {
		return
	}
	size := (sqlite3.SQLITE_DEFAULT_PAGE_SIZE + int32(binary.NativeEndian.Uint32(libc.GoBytes(header, 4))) + 7) &^ 7
	slots := libc.Xmalloc(tls, libc.Tsize_t(size)*cachedPages)
	if slots == 0 {
		return
	}
	rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, libc.VaList(args, slots, size, int32(cachedPages)))
	if rc != sqlite3.SQLITE_OK {
		libc.Xfree(tls, slots)
	}
})
