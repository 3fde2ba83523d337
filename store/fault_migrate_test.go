package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func readText(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// withFile opens a file for the length of f.
func withFile(t *testing.T, path string, f func(c *sql.Conn)) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, false, "FULL"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f(c)
}

// schemaOf lists what a file is made of, in words that do not depend on how
// the statements were laid out.
func schemaOf(t *testing.T, c *sql.Conn) []string {
	t.Helper()
	rows, err := c.QueryContext(context.Background(), "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var kind, name, table, text string
		if err := rows.Scan(&kind, &name, &table, &text); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s on %s: %s", kind, name, table, normalSQL(text)))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// normalSQL drops comments, line ends and spaces around punctuation.
func normalSQL(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		words = append(words, strings.Fields(line)...)
	}
	text = strings.Join(words, " ")
	for _, p := range []string{"(", ")", ","} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+p, p), p+" ", p)
	}
	return text
}

// The steps from every format there ever was end in exactly schema.sql.
func TestEveryFormatBecomesTheNewest(t *testing.T) {
	newest := readText(t, "../schema.sql")
	var want []string
	path := filepath.Join(t.TempDir(), "new.db")
	if err := makeFile(context.Background(), path, newest); err != nil {
		t.Fatal(err)
	}
	withFile(t, path, func(c *sql.Conn) { want = schemaOf(t, c) })
	if len(want) < 10 {
		t.Fatalf("the schema has only %d parts", len(want))
	}
	if len(steps())+1 != schemaVersion {
		t.Errorf("%d steps lead to format %d, but new files are made as %d", len(steps()), len(steps())+1, schemaVersion)
	}
	for v := 1; v <= schemaVersion; v++ {
		name := fmt.Sprintf("../testdata/schema/v%d.sql", v)
		path := fileOfFormat(t, readText(t, name), v)
		db, err := Open(context.Background(), path, Options{Schema: newest})
		if err != nil {
			t.Errorf("format %d: %v", v, err)
			continue
		}
		if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
			t.Errorf("format %d: %v %v", v, broken, err)
		}
		db.Close()
		withFile(t, path, func(c *sql.Conn) {
			got := schemaOf(t, c)
			for _, part := range want {
				if !slices.Contains(got, part) {
					t.Errorf("from format %d the steps do not lead to\n\t%s", v, part)
				}
			}
			for _, part := range got {
				if !slices.Contains(want, part) {
					t.Errorf("from format %d the steps lead to, and schema.sql does not,\n\t%s", v, part)
				}
			}
		})
		if t.Failed() && v == schemaVersion {
			t.Errorf("%s is what schema.sql makes in the newest format: copy it over while that is unreleased", name)
		}
	}
}

// fileOfFormat makes a file of an older format with a row in it.
func fileOfFormat(t *testing.T, schema string, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	if err := makeFile(context.Background(), path, schema); err != nil {
		t.Fatal(err)
	}
	withFile(t, path, func(c *sql.Conn) {
		script := fmt.Sprintf("INSERT INTO setting VALUES ('kept', 'yes'); PRAGMA user_version = %d", version)
		if err := inTransaction(context.Background(), c, script); err != nil {
			t.Fatal(err)
		}
	})
	return path
}

func versionOf(t *testing.T, c *sql.Conn) (version int, kept string) {
	t.Helper()
	if err := c.QueryRowContext(context.Background(), "SELECT (SELECT user_version FROM pragma_user_version), (SELECT value FROM setting WHERE name = 'kept')").Scan(&version, &kept); err != nil {
		t.Fatal(err)
	}
	return version, kept
}

func TestMigrate(t *testing.T) {
	const good1 = `CREATE TABLE extra (a INTEGER) STRICT; INSERT INTO extra SELECT 7 FROM setting WHERE name = 'kept'`
	const good2 = `ALTER TABLE extra ADD COLUMN b TEXT`
	const bad = `CREATE TABLE half (a INTEGER) STRICT; DELETE FROM setting; INSERT INTO nowhere VALUES (1)`
	for _, c := range []struct {
		name  string
		steps []string
		ends  int
		fails bool
	}{
		{"one step", []string{good1}, 2, false},
		{"two steps", []string{good1, good2}, 3, false},
		{"a failing step", []string{bad}, 1, true},
		{"a failing second step", []string{good1, bad}, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := context.Background()
			path := fileOfFormat(t, readText(t, "../schema.sql"), 1)
			var told string
			withFile(t, path, func(conn *sql.Conn) {
				err := migrate(ctx, conn, path, 1, c.steps, func(from, to int, copyPath string) {
					told = fmt.Sprint(from, to, copyPath == path+".format1")
				})
				if (err != nil) != c.fails || err != nil && (!strings.Contains(err.Error(), path+".format1") || strings.Contains(err.Error(), "\n")) {
					t.Errorf("migrate: %v", err)
				}
				if v, kept := versionOf(t, conn); v != c.ends || kept != "yes" {
					t.Errorf("the file is in format %d with the row %q, want %d", v, kept, c.ends)
				}
				var half int
				if conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(&half); half != 0 {
					t.Error("a failed step left a table behind")
				}
			})
			if want := fmt.Sprint(1, len(c.steps)+1, true); told != want {
				t.Errorf("told %q, want %q", told, want)
			}
			withFile(t, path+".format1", func(conn *sql.Conn) {
				if v, kept := versionOf(t, conn); v != 1 || kept != "yes" {
					t.Errorf("the copy is in format %d with the row %q", v, kept)
				}
			})
			if fi, err := os.Stat(path + ".format1"); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("the copy may be read by others: %v %v", fi.Mode(), err)
			}
		})
	}
}

// A file of a format this program does not know is refused as it is.
func TestNewerFormat(t *testing.T) {
	schema := readText(t, "../schema.sql")
	for _, version := range []int{schemaVersion + 1, 1 << 20} {
		path := fileOfFormat(t, schema, version)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		db, err := Open(context.Background(), path, Options{Schema: schema})
		if err == nil {
			db.Close()
			t.Fatalf("format %d was opened", version)
		}
		if text := err.Error(); !strings.Contains(text, "newer hearth") || strings.Contains(text, "\n") {
			t.Errorf("format %d: %s", version, text)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("format %d: the file was touched (%v)", version, err)
		}
	}
}

// A format that never was, such as that of a damaged header, is refused too.
func TestImpossibleFormat(t *testing.T) {
	schema := readText(t, "../schema.sql")
	for _, version := range []int{0, -1} {
		path := fileOfFormat(t, schema, version)
		db, err := Open(context.Background(), path, Options{Schema: schema})
		if err == nil {
			db.Close()
			t.Errorf("format %d was opened", version)
		} else if !strings.Contains(err.Error(), "damaged") {
			t.Errorf("format %d: %v", version, err)
		}
		if left, _ := filepath.Glob(path + ".format*"); len(left) > 0 {
			t.Errorf("format %d: %v was left", version, left)
		}
	}
}
