package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// Writes fail once the database file is removed, moved or replaced while it is
// open, as they would be lost with it. Reads still work, and writes work again
// once the file is back.
func TestFileLost(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let an open file be moved")
	}
	move := func(from, to string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
				t.Fatal(err)
			}
		}
	}
	both := func(fs ...func(*testing.T, string)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, f := range fs {
				f(t, dir)
			}
		}
	}
	put := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("another file"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name       string
		away, back func(t *testing.T, dir string)
	}{
		{"moved", move("a/h.db", "a/x.db"), move("a/x.db", "a/h.db")},
		{"replaced", both(move("a/h.db", "a/x.db"), put("a/h.db")), move("a/x.db", "a/h.db")},
		{"log moved", move("a/h.db-wal", "a/x"), move("a/x", "a/h.db-wal")},
		{"log replaced", both(move("a/h.db-wal", "a/x"), put("a/h.db-wal")), move("a/x", "a/h.db-wal")},
		{"folder moved", move("a", "b"), move("b", "a")},
	} {
		t.Run(c.name, func(t *testing.T) { fileLost(t, c.away, c.back) })
	}
}

func fileLost(t *testing.T, away, back func(t *testing.T, dir string)) {
	ctx := context.Background()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a", "h.db")
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	set := func(n int) error {
		return db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(fmt.Sprint("n", n), "v") })
	}
	expect := func(db *store.DB, there ...bool) {
		t.Helper()
		err := db.Read(ctx, func(r *store.Reader) error {
			for n, want := range there {
				if v, err := r.Setting(fmt.Sprint("n", n)); err != nil || (v == "v") != want {
					t.Errorf("row %d is %q, %v; want it there: %v", n, v, err, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if err := set(0); err != nil {
		t.Fatal(err)
	}
	away(t, dir)
	for range 3 {
		if err := set(1); !errors.Is(err, store.ErrLost) {
			t.Errorf("a write without the file: %v", err)
		}
	}
	// A connection opened to what is at the path now would remove the log.
	if _, err := db.Truncate(ctx); err == nil {
		t.Error("the log of another file was moved")
	}
	expect(db, true, false)
	back(t, dir)
	if err := set(2); err != nil {
		t.Errorf("a write after the file came back: %v", err)
	}
	expect(db, true, false, true)

	// Closed while it is away, the file and its log still have everything.
	away(t, dir)
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	back(t, dir)
	if db, err = store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	expect(db, true, false, true)
}

// A removed file stays lost, however often a write is tried.
func TestFileRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let an open file be removed")
	}
	db := storetest.Open(t)
	if err := os.Remove(db.Path()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		err := db.Write(context.Background(), func(tx *store.Tx) error { return tx.SetSetting("a", "1") })
		if !errors.Is(err, store.ErrLost) {
			t.Errorf("a write into a removed file: %v", err)
		}
	}
	if _, err := os.Stat(db.Path()); err == nil {
		t.Error("the file was created again")
	}
}
