package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
			all = append(all, fmt.Sprintf("%s %s on %s: %s", kind, name, table, normalSQL(text)))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	})
	return all
}

// normalSQL returns the text of a statement without comments, line ends and spaces
// around punctuation, so that it does not depend on how it was written.
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

// fileOfVersion creates a file of a schema version with a row in it.
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

// From every schema version there was, the migrations lead to exactly schema.sql, and
// rows survive them. Version N is frozen by a copy of schema.sql as
// testdata/schema/vN.sql, which a release needs.
func TestEverySchemaVersionIsMigrated(t *testing.T) {
	t.Parallel()
	schema := schemaOf(readText(t, "../schema.sql"))
	for v := 1; v <= schema.Version(); v++ {
		name := fmt.Sprintf("../testdata/schema/v%d.sql", v)
		if _, err := os.Stat(name); v == schema.Version() && os.IsNotExist(err) {
			continue // not released
		}
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			isMigrated(t, schema, fileOfVersion(t, readText(t, name), v))
		})
	}
}

// isMigrated opens a file of fileOfVersion and compares it with a new one.
func isMigrated(t *testing.T, schema engine.Schema, path string) {
	t.Helper()
	db, err := engine.Open[Event](t.Context(), path, schema, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	var stored string
	err = db.Read(t.Context(), func(r *engine.Reader) error {
		return r.Conn.Value([]any{&stored}, `SELECT value FROM setting WHERE name = 'stored'`)
	})
	if err != nil || stored != "yes" {
		t.Errorf("the row is %q, %v", stored, err)
	}
	got, want := parts(t, path), parts(t, fileOfVersion(t, schema.Create, schema.Version()))
	if !reflect.DeepEqual(got, want) || len(want) < 10 {
		t.Errorf("the migrations lead to\n\t%s\nand schema.sql has\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// withStep returns schema.sql with one more version, made up, and the version before.
func withStep(t *testing.T) (schema engine.Schema, before int) {
	t.Helper()
	const step = `CREATE TABLE made_up (name TEXT PRIMARY KEY) STRICT; INSERT INTO made_up SELECT name FROM setting`
	schema = schemaOf(readText(t, "../schema.sql"))
	before = schema.Version()
	schema.Create += step
	schema.Migrations = append(schema.Migrations, step)
	return schema, before
}

// A file of the version before is verified, restored and migrated.
func TestStepToTheNextSchemaVersion(t *testing.T) {
	t.Parallel()
	schema, before := withStep(t)
	path := fileOfVersion(t, readText(t, "../schema.sql"), before)
	if rep, err := engine.Verify(t.Context(), schema, path, nil); err != nil || len(rep.Broken) > 0 || rep.SchemaVersion != before {
		t.Fatalf("%+v, %v", rep, err)
	}
	to := filepath.Join(t.TempDir(), "h.db")
	if _, _, err := engine.Restore(t.Context(), schema, path, to, time.Unix(0, 0), nil, func(*Conn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	isMigrated(t, schema, to)
	isMigrated(t, schema, path)
	if rep, err := Verify(t.Context(), readText(t, "../schema.sql"), fmt.Sprintf("%s.v%d", path, before), nil); err != nil ||
		len(rep.Broken) > 0 {
		t.Errorf("the copy made before: %+v, %v", rep, err)
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

// A file from before the first release is refused with a sentence, whatever its version,
// and not changed.
func TestFileFromBeforeTheRelease(t *testing.T) {
	t.Parallel()
	schema := readText(t, "../schema.sql")
	for _, version := range []int{1, 2, 25} {
		path := fileOfVersion(t, schema, schemaOf("").Version())
		withFile(t, path, func(db *sql.DB) {
			if _, err := db.Exec(fmt.Sprintf("PRAGMA journal_mode = DELETE; PRAGMA application_id = 0x68727468; PRAGMA user_version = %d",
				version)); err != nil {
				t.Fatal(err)
			}
		})
		before := readText(t, path)
		_, opened := Open(t.Context(), path, Options{Schema: schema})
		_, verified := Verify(t.Context(), schema, path, nil)
		_, _, restored := Restore(t.Context(), schema, path, path+".new", time.Unix(0, 0), nil)
		for _, err := range []error{opened, verified, restored} {
			if err == nil || !strings.Contains(err.Error(), "before its first release") || !strings.Contains(err.Error(), "--db") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("version %d: %v", version, err)
			}
		}
		if readText(t, path) != before {
			t.Errorf("version %d: the file was changed", version)
		}
	}
}
