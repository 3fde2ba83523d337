package engine

import (
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
)

// mode is the mode parameter of SQLite's URIs: what a connection may do.
type mode string

const (
	// writing connections may create and change the file.
	writing mode = "rwc"
	// readOnly connections leave the file and its log as they are.
	readOnly mode = "ro"
	// complete is for a file without a log that no process writes to; no other
	// file is made beside it.
	complete mode = "ro&immutable=1"
)

// pageCache is how much memory a connection of a pool keeps of the file, in KiB.
const pageCache = 8000

// busyWait is how long a connection waits for locks.
const busyWait = 5 * time.Second

// openConn opens the file at path. A writing connection has the
// setting synchronous, by SQLite's names.
func openConn(path string, m mode, synchronous string) (*Conn, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	opened, err := sqlite.OpenConn("file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?mode="+string(m),
		sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return nil, translate(err)
	}
	c := &Conn{c: opened, stmts: map[string]*sqlite.Stmt{}}
	if err := c.configure(m, synchronous); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// configure sets the options of a new connection. SQLite ignores a pragma it
// does not know, so those that promises rest on are read back.
func (c *Conn) configure(m mode, synchronous string) error {
	c.c.SetBusyTimeout(busyWait)
	pragmas := [][3]string{ // name, value, what is read back
		{"foreign_keys", "1", "1"},
		{"temp_store", "memory", "2"},
		{"trusted_schema", "0", "0"},
		{"cache_size", fmt.Sprint(-pageCache), fmt.Sprint(-pageCache)},
	}
	if m == writing {
		level := map[string]string{"OFF": "0", "NORMAL": "1", "FULL": "2", "EXTRA": "3"}[synchronous]
		pragmas = append(pragmas, [][3]string{
			{"journal_mode", "wal", "wal"},
			{"synchronous", synchronous, level},
			{"secure_delete", "1", "1"},
			{"wal_autocheckpoint", "0", "0"},
			{"journal_size_limit", "67108864", "67108864"},
		}...)
	} else {
		pragmas = append(pragmas, [3]string{"query_only", "1", "1"})
	}
	for _, p := range pragmas {
		if err := c.run("PRAGMA " + p[0] + " = " + p[1]); err != nil {
			return err
		}
		got, err := c.firstRow("PRAGMA " + p[0])
		if err != nil {
			return err
		}
		if got != p[2] {
			return fmt.Errorf("engine: PRAGMA %s is %s, not %s", p[0], got, p[2])
		}
	}
	return nil
}
