package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// soundFile returns the bytes of a closed database with some rows.
func soundFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.db")
	db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(context.Background(), func(tx *store.Tx) error {
		for range 200 {
			if _, err := loadRow(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// loadRow adds an account.
func loadRow(tx *store.Tx) (store.User, error) {
	id := store.NewID()
	return tx.InsertUser(store.User{ID: id, Email: id + "@example.org", Name: id, SignupProvider: "magic-link"})
}

// foreignDatabase returns the bytes of a sound SQLite file of another program.
func foreignDatabase(t *testing.T, script string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A file that is not a sound hearth database is refused with one line that names
// it and how to solve it, and is not changed.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	sound := soundFile(t)
	patched := func(at int, with ...byte) []byte {
		b := bytes.Clone(sound)
		copy(b[at:], with)
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"text", []byte("Dear diary,\n" + strings.Repeat("today was long. ", 400)), "is not a hearth database"},
		{"short text", []byte("x"), "is not a hearth database"},
		{"zeros", make([]byte, 8192), "is not a hearth database"},
		{"cut in the header", sound[:60], "is not a hearth database"},
		{"cut after the header", sound[:100], "damaged"},
		{"cut within a page", sound[:len(sound)-1000], "damaged"},
		{"cut in the middle", sound[:len(sound)/2/4096*4096], "damaged"},
		{"magic flipped", patched(3, 'X'), "is not a hearth database"},
		{"page size flipped", patched(16, 0x03, 0x07), "damaged"},
		{"read version flipped", patched(18, 9, 9), "damaged"},
		{"application id flipped", patched(68, 0xff), "belongs to another program"},
		{"schema page overwritten", patched(100, bytes.Repeat([]byte{0xa5}, 3900)...), "damaged"},
		{"foreign", foreignDatabase(t, "CREATE TABLE x (a); INSERT INTO x VALUES (1)"), "belongs to another program"},
		{"foreign with a log", foreignDatabase(t, "PRAGMA journal_mode = WAL; PRAGMA application_id = 77; CREATE TABLE x (a)"),
			"belongs to another program"},
	} {
		t.Run(c.name, func(t *testing.T) { badFile(t, c.data, c.want) })
	}
}

func badFile(t *testing.T, data []byte, want string) {
	path := filepath.Join(t.TempDir(), "given.db")
	if err := os.WriteFile(path, data, 0o640); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
	if err == nil {
		db.Close()
		t.Fatal("it was opened")
	}
	text := err.Error()
	if strings.ContainsAny(text, "\n\r") || !strings.Contains(text, path) || !strings.Contains(text, want) ||
		!strings.Contains(text, "hearth restore") && !strings.Contains(text, "--db") {
		t.Errorf("it was refused with %q, which should contain %q", text, want)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
		t.Errorf("its bytes were changed (%v)", err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("its mode was changed to %v", fi.Mode())
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := f.Name(); name != "given.db" {
			t.Errorf("%s was left beside it", name)
		}
	}
}

// A folder in place of the file, or one that does not exist, is refused too.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "h.db")} {
		db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
		if err == nil {
			db.Close()
			t.Errorf("%s was opened", path)
		} else if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %q", path, err)
		}
	}
}

// A second server on one file is refused until the first has ended.
func TestSecondServer(t *testing.T) {
	db := storetest.Open(t)
	again, err := store.Open(context.Background(), db.Path(), store.Options{Schema: storetest.Schema(t)})
	if err == nil {
		again.Close()
		t.Fatal("two servers share one file")
	}
	if !strings.Contains(err.Error(), "another hearth is serving "+db.Path()) {
		t.Errorf("refused with: %v", err)
	}
	if err := db.Write(context.Background(), func(tx *store.Tx) error { return tx.SetSetting("a", "1") }); err != nil {
		t.Errorf("the first server after that: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if again, err = store.Open(context.Background(), db.Path(), store.Options{Schema: storetest.Schema(t)}); err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// Creating a new file may have been interrupted any number of times before.
func TestUnfinishedNewFile(t *testing.T) {
	t.Parallel()
	for _, left := range [][]byte{nil, []byte("half"), soundFile(t)} {
		path := filepath.Join(t.TempDir(), "h.db")
		for _, ending := range []string{".new", ".new-journal", ".new-wal", ".new-shm"} {
			if err := os.WriteFile(path+ending, left, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
		if err != nil {
			t.Fatal(err)
		}
		if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
			t.Error(broken, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if files, _ := filepath.Glob(path + ".new*"); len(files) > 0 {
			t.Errorf("left behind: %v", files)
		}
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("others can read the file: %v %v", fi.Mode(), err)
		}
	}
}
