package engine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileOfVersion creates a file of a schema version with a row in it.
func fileOfVersion(t *testing.T, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	f, err := createFile(path, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	script(t, path, fmt.Sprintf("INSERT INTO thing (name) VALUES ('stored'); PRAGMA user_version = %d", version))
	return path
}

func script(t *testing.T, path, text string) {
	t.Helper()
	c, err := openConn(path, writing, "FULL")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.script(text); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// about returns a file's schema version, its row, and whether it has a table
// named half.
func about(t *testing.T, path string) (text string) {
	t.Helper()
	err := Inspect(path, func(c *Conn) (err error) {
		text, err = c.firstRow(`SELECT (SELECT user_version FROM pragma_user_version), (SELECT name FROM thing WHERE name = 'stored'),
			(SELECT count(*) FROM sqlite_schema WHERE name = 'half')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMigrate(t *testing.T) {
	const good1 = `CREATE TABLE extra (a TEXT) STRICT; INSERT INTO extra SELECT name FROM thing`
	const good2 = `ALTER TABLE extra ADD COLUMN b TEXT`
	const bad = `CREATE TABLE half (a INTEGER) STRICT; DELETE FROM thing; INSERT INTO nowhere VALUES (1)`
	for _, c := range []struct {
		name       string
		migrations []string
		ends       int
		fails      bool
	}{
		{"one", []string{good1}, 2, false},
		{"two", []string{good1, good2}, 3, false},
		{"failing", []string{bad}, 1, true},
		{"failing second", []string{good1, bad}, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fileOfVersion(t, 1)
			schema := testSchema
			schema.Migrations = c.migrations
			var reported string
			db, err := Open[string](context.Background(), path, schema, Options{OnMigrate: func(from, to int, copyPath string) {
				reported = fmt.Sprint(from, to, copyPath == path+".v1")
			}})
			if err == nil {
				db.Close()
			}
			if (err != nil) != c.fails || err != nil && (!strings.Contains(err.Error(), path+".v1") || strings.Contains(err.Error(), "\n")) {
				t.Errorf("open: %v", err)
			}
			if got, want := about(t, path), fmt.Sprint(c.ends, " stored ", 0); got != want {
				t.Errorf("the file is %q, want %q", got, want)
			}
			if want := fmt.Sprint(1, len(c.migrations)+1, true); reported != want {
				t.Errorf("reported %q, want %q", reported, want)
			}
			if got := about(t, path+".v1"); got != "1 stored 0" {
				t.Errorf("the copy is %q", got)
			}
			if fi, err := os.Stat(path + ".v1"); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("others can read the copy: %v %v", fi.Mode(), err)
			}
		})
	}
}

// refused opens a file that must be refused in one line and stay as it is.
func refused(t *testing.T, path string, schema Schema, opt Options, want ...string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open[string](context.Background(), path, schema, opt)
	if err == nil {
		db.Close()
		t.Fatal("it was opened")
	}
	for _, word := range want {
		if !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n") {
			t.Errorf("refused with %q, which should contain %q", err, word)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
	if copies, _ := filepath.Glob(path + ".v*"); len(copies) > 0 {
		t.Errorf("%v was left", copies)
	}
}

// A version that cannot be, such as that of a damaged header, is refused, and a
// newer one.
func TestUnknownSchemaVersion(t *testing.T) {
	for version, want := range map[int]string{0: "damaged", -1: "damaged", 2: "newer hearth", 1 << 20: "newer hearth"} {
		refused(t, fileOfVersion(t, version), testSchema, Options{}, want, fmt.Sprint("version ", version))
	}
}

// A command never migrates a file.
func TestKeptIsNotMigrated(t *testing.T) {
	path := fileOfVersion(t, 1)
	newer := testSchema
	newer.Migrations = []string{`CREATE TABLE extra (a TEXT) STRICT`}
	refused(t, path, newer, Options{Kept: true}, path, "schema version 1", "version 2", "hearth serve")
}
