package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store/engine"
)

func readText(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// withFile opens a file with the driver alone for the length of f.
func withFile(t *testing.T, path string, f func(db *sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f(db)
}

// parts lists what a file is made of, in a form that does not depend on the
// layout of the statements.
func parts(t *testing.T, path string) (all []string) {
	t.Helper()
	withFile(t, path, func(db *sql.DB) {
		rows, err := db.Query(`SELECT type, name, tbl_name, coalesce(sql, '') FROM (SELECT * FROM sqlite_schema ORDER BY type, name)
			UNION ALL SELECT 'setting', k, 'message_word', v FROM message_word_config
			UNION ALL SELECT 'setting', k, 'list_word', v FROM list_word_config`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var kind, name, table, text string
			if err := rows.Scan(&kind, &name, &table, &text); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%s %s on %s: %s", kind, name, table, engine.NormalSQL(text)))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	})
	return all
}

// fileOfVersion creates a file of an older schema version with a row in it.
func fileOfVersion(t *testing.T, schema string, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	old := engine.Schema{Create: schema, Migrations: make([]string, version-1)}
	db, err := engine.Open[Event](context.Background(), path, old, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	withFile(t, path, func(db *sql.DB) {
		if _, err := db.Exec("INSERT INTO setting VALUES ('stored', 'yes')"); err != nil {
			t.Fatal(err)
		}
	})
	return path
}

// Every migration is in the list that is run.
func TestEveryMigrationIsListed(t *testing.T) {
	files, err := filepath.Glob("migration*.go")
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, file := range files {
		written += len(regexp.MustCompile(`(?m)^const migrationTo\d`).FindAllString(readText(t, file), -1))
	}
	if listed := len(migrations()); listed != written || written == 0 {
		t.Errorf("the files migration*.go have %d migrations and the list of migrate.go %d", written, listed)
	}
}

// The migrations from every schema version there ever was lead to exactly
// schema.sql, and rows survive them.
func TestEverySchemaVersionIsMigrated(t *testing.T) {
	t.Parallel()
	newest := readText(t, "../schema.sql")
	version := schemaOf("").Version()
	want := parts(t, fileOfVersion(t, newest, version))
	if len(want) < 10 {
		t.Fatalf("the schema has only %d parts", len(want))
	}
	for v := 1; v <= version; v++ {
		name := fmt.Sprintf("../testdata/schema/v%d.sql", v)
		if _, err := os.Stat(name); err != nil {
			t.Fatalf("there is no file for schema version %d: copy schema.sql to testdata/schema/v%d.sql", v, v)
		}
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			path := fileOfVersion(t, readText(t, name), v)
			isMigrated(t, newest, path)
			sameParts(t, v, parts(t, path), want)
			if t.Failed() && v == version {
				t.Errorf("schema.sql and schema version %d differ: add a migration to the list of store/migrate.go, or, if version %d is not on the main branch yet, copy schema.sql to %s", v, v, name)
			}
		})
	}
}

// isMigrated opens a file of fileOfVersion.
func isMigrated(t *testing.T, newest, path string) {
	t.Helper()
	db, err := Open(context.Background(), path, Options{Schema: newest})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	err = db.Read(context.Background(), func(r *Reader) error {
		if v, err := r.Setting("stored"); v != "yes" || err != nil {
			t.Fatalf("the row is %q, %v", v, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func sameParts(t *testing.T, version int, got, want []string) {
	t.Helper()
	for _, part := range want {
		if !slices.Contains(got, part) {
			t.Errorf("from version %d the migrations do not lead to\n\t%s", version, part)
		}
	}
	for _, part := range got {
		if !slices.Contains(want, part) {
			t.Errorf("from version %d the migrations lead to, and schema.sql does not,\n\t%s", version, part)
		}
	}
}

// A file of a version this program does not know is refused unchanged.
func TestNewerSchemaVersion(t *testing.T) {
	schema := readText(t, "../schema.sql")
	path := fileOfVersion(t, schema, schemaOf("").Version()+1)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(context.Background(), path, Options{Schema: schema})
	if err == nil {
		db.Close()
		t.Fatal("it was opened")
	}
	if text := err.Error(); !strings.Contains(text, "newer hearth") || strings.Contains(text, "\n") {
		t.Error(text)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// A file of every schema version there ever was is restored, and what a file of an
// older version has that this version does not, or lacks, is found. Without HEARTH_LONG
// most of the older versions are verified alone.
func TestEverySchemaVersionIsVerified(t *testing.T) {
	t.Parallel()
	newest := readText(t, "../schema.sql")
	version := schemaOf("").Version()
	for v := 1; v < version; v++ {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			path := fileOfVersion(t, readText(t, fmt.Sprintf("../testdata/schema/v%d.sql", v)), v)
			if rep, err := Verify(context.Background(), newest, path, nil); err != nil || len(rep.Broken) > 0 || rep.SchemaVersion != v {
				t.Fatalf("%+v, %v", rep, err)
			}
			long := os.Getenv("HEARTH_LONG") != ""
			if long || v == 1 || v >= version-2 {
				isRestored(t, newest, path)
			}
			if long || v >= version-2 {
				otherPartsAreFound(t, newest, path)
			}
		})
	}
}

// isRestored restores a copy of a file and opens it.
func isRestored(t *testing.T, newest, path string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy.db")
	if _, err := Backup(context.Background(), path, copied, time.Unix(0, 0), nil); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "h.db")
	if _, _, err := Restore(context.Background(), newest, copied, to, time.Unix(0, 0), nil); err != nil {
		t.Error(err)
	} else if db, err := Open(context.Background(), to, Options{Schema: newest}); err != nil {
		t.Error(err)
	} else if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// otherPartsAreFound changes copies of a file and verifies them.
func otherPartsAreFound(t *testing.T, newest, path string) {
	t.Helper()
	for statement, want := range map[string]string{
		`DROP INDEX event_topic`:                  "the index event_topic",
		`CREATE TABLE other (x TEXT)`:             "the table other is not one of hearth's",
		`ALTER TABLE event ADD COLUMN other TEXT`: "the table event is not as hearth makes it",
		`DROP TABLE item`:                         "item",
		`CREATE TABLE "item word_data" (x)`:       "the table item word_data is not one of hearth's",
		`PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE TABLE setting (x AS SELECT 1)' WHERE name = 'setting'`: "setting",
		`CREATE TABLE made AS SELECT 1 AS x`: "the table made is not one of hearth's",
	} {
		changed := filepath.Join(t.TempDir(), "changed.db")
		if err := os.WriteFile(changed, []byte(readText(t, path)), 0o600); err != nil {
			t.Fatal(err)
		}
		withFile(t, changed, func(db *sql.DB) {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		})
		rep, err := Verify(context.Background(), newest, changed, nil)
		if all := strings.Join(rep.Broken, "\n"); err != nil || !strings.Contains(all, want) {
			t.Errorf("%s: %q, %v, want %q", statement, all, err, want)
		}
	}
}

// A file whose rows cannot be migrated is not restored.
func TestRowsThatCannotBeMigrated(t *testing.T) {
	t.Parallel()
	newest := readText(t, "../schema.sql")
	path := fileOfVersion(t, readText(t, "../testdata/schema/v2.sql"), 2)
	withFile(t, path, func(db *sql.DB) {
		// Which the migration adds.
		if _, err := db.Exec(`INSERT INTO setting VALUES ('words_position', '')`); err != nil {
			t.Fatal(err)
		}
	})
	to := filepath.Join(t.TempDir(), "h.db")
	_, _, err := Restore(context.Background(), newest, path, to, time.Unix(0, 0), nil)
	if err == nil || !strings.Contains(err.Error(), "cannot be migrated") {
		t.Errorf("restored: %v", err)
	}
	if left, _ := filepath.Glob(to + "*"); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
