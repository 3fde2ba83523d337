package app_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// rowReader reads the file of a world beside the server.
type rowReader struct {
	db      *sql.DB
	version int64  // of the file, as the connection of db counts it
	state   string // at that version
}

// openRows opens the reader of the file at path. It connects when it is used.
func (w *world) openRows(t testing.TB, path string) {
	u := url.URL{Scheme: "file", Opaque: path, RawQuery: "mode=ro&_query_only=on"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	w.reader = rowReader{db: db}
}

// state returns a digest of all rows that a refused request must not change: all
// tables but the write clock, which advances with every attempt.
func (w *world) state() string {
	w.t.Helper()
	var version int64
	if err := w.reader.db.QueryRow("PRAGMA data_version").Scan(&version); err != nil {
		w.t.Fatal(err)
	}
	if w.reader.state == "" || version != w.reader.version {
		sum := sha256.New()
		w.rows(func(table string, row []any) { fmt.Fprintln(sum, table, row) })
		w.reader.version, w.reader.state = version, fmt.Sprintf("%x", sum.Sum(nil))
	}
	return w.reader.state
}

// rows calls f with every row of those tables.
func (w *world) rows(f func(table string, row []any)) {
	w.t.Helper()
	db := w.reader.db
	for _, table := range tables(w.t, db) {
		rows, err := db.QueryContext(context.Background(), `SELECT * FROM "`+table+`"`)
		if err != nil {
			w.t.Fatal(err)
		}
		cols, _ := rows.Columns()
		vals := make([]any, len(cols))
		dest := make([]any, len(cols))
		for i := range vals {
			dest[i] = &vals[i]
		}
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				w.t.Fatal(err)
			}
			f(table, vals)
		}
		if err := rows.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
}

func tables(t testing.TB, db *sql.DB) (names []string) {
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0
		AND name NOT IN ('clock', 'job') ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(n, "sqlite_") {
			names = append(names, n)
		}
	}
	return names
}

// While nobody uses a server, its jobs write nothing. The nightly one that makes the file again is left out.
func TestIdleServerWritesNothing(t *testing.T) {
	w := newWorld(t)
	run := func() {
		t.Helper()
		for _, j := range w.app.Jobs() {
			if j.Name == "free space in the file" {
				continue
			}
			if err := j.Run(t.Context()); err != nil {
				t.Errorf("%s: %v", j.Name, err)
			}
		}
	}
	for range 3 { // what they find once
		run()
		w.clock.Advance(time.Hour)
	}
	if _, err := w.app.DB().Truncate(t.Context()); err != nil {
		t.Fatal(err)
	}
	run()
	if log, err := os.Stat(w.app.DB().Path() + "-wal"); err != nil || log.Size() != 0 {
		t.Errorf("the log: %v, %v", log, err)
	}
}
