package store_test

import (
	"database/sql"
	"os"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// The sizes of the files are those that the file system tells, and what is free is the
// pages that nothing uses.
func TestFileSizes(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	storeText(t, db, 300_000)
	storeText(t, db, 0)
	if done, err := db.Truncate(t.Context()); err != nil || !done { // so that the file has what was written
		t.Fatal(done, err)
	}
	check := func() store.FileSizes {
		t.Helper()
		got, err := db.FileSizes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := store.FileSizes{Database: fileSize(t, db.Path()), Log: fileSize(t, db.Path()+"-wal"),
			Free: pages(t, db, `page_size * freelist_count`, `pragma_freelist_count`)}
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		return got
	}
	if got := check(); got.Free < 300_000 || got.Database <= got.Free {
		t.Errorf("after something was deleted: %+v", got)
	}
	storeText(t, db, 100_000)
	if got := check(); got.Log < 100_000 {
		t.Errorf("after something was written: %+v", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.FileSizes(t.Context()); err == nil {
		t.Error("a database that is closed has sizes")
	}
}

// The sizes of tables, with the pages that are free and the schema, are the whole
// database; each table takes its own, and files what their contents take.
func TestTableSizes(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	sizes := func() (of map[string]int64, all int64) {
		t.Helper()
		of = map[string]int64{}
		err := db.Read(t.Context(), func(r *store.Reader) error {
			found, err := r.TableSizes()
			for _, s := range found {
				if _, ok := of[s.Table]; ok {
					t.Errorf("%s is there twice", s.Table)
				}
				of[s.Table] = s.Bytes
				if s.Table != "blob_part" {
					all += s.Bytes
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return of, all
	}
	before, all := sizes()
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.ExecForTest(`INSERT INTO blob (size, created_at) VALUES (5, 0), (7, 0)`)
		return err
	})
	storeText(t, db, 300_000)
	after, more := sizes()
	for table, size := range after {
		switch grown := size - before[table]; {
		case table == "blob_part" && size != 12, table == "setting" && (grown < 300_000 || grown > 350_000), table != "setting" &&
			table != "blob_part" && grown > 8192:
			t.Errorf("%s: %d and then %d", table, before[table], size)
		}
	}
	if len(after) != len(before) || len(after) < 50 || more-all < 300_000 {
		t.Errorf("%d tables of %d bytes and %d of %d", len(before), all, len(after), more)
	}
	if want := pages(t, db, `page_size * (page_count - freelist_count) - (SELECT sum(pgsize) FROM dbstat
		WHERE name IN ('sqlite_schema', 'blob_part'))`, `pragma_page_count, pragma_freelist_count`); more != want {
		t.Errorf("all tables take %d, want %d", more, want)
	}
}

// storeText sets a setting to a text of a size, or removes it.
func storeText(t *testing.T, db *storetest.DB, size int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error { return tx.SetSetting("filled", strings.Repeat("x", size)) })
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// pages evaluates an expression over pragmas by another connection.
func pages(t *testing.T, db *storetest.DB, expression, tables string) (n int64) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+db.Path()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.QueryRow(`SELECT ` + expression + ` FROM pragma_page_size, ` + tables).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
