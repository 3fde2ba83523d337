package store_test

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// Beside a replicator such as Litestream, which keeps a table of its own in the file, holds
// reads and moves the log, no write is lost or fails.
func TestReplicated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.db")
	db := openAt(t, path)
	beside, err := sql.Open("sqlite", "file:"+path+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	if _, err := beside.Exec(`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)`); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		for range 30 {
			read, err := beside.Begin()
			if err == nil {
				_, err = read.Exec(`SELECT count(*) FROM _litestream_seq`)
				read.Rollback()
			}
			for _, statement := range []string{`PRAGMA wal_checkpoint(RESTART)`, `PRAGMA wal_checkpoint(TRUNCATE)`,
				`INSERT INTO _litestream_seq (id, seq) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1`} {
				if err == nil {
					_, err = beside.Exec(statement)
				}
			}
			if err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	fill(t, db, "row", 500)
	if err := <-ended; err != nil {
		t.Error("the replicator: ", err)
	}
	fill(t, db, "last", 20)
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("%q %v", broken, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n, last := settings(t, path, "row"), settings(t, path, "last"); n != 500 || last != 20 {
		t.Errorf("%d and %d rows are left", n, last)
	}
}
