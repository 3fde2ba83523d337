package storetest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hearth/store"
)

// The check refuses what reads a protected table without a predicate.
func TestUnseen(t *testing.T) {
	const list, user = `/* visible: list */ (l.owner_id = ?) /* end */`, `/* visible: user */ (u.id = l.owner_id) /* end */`
	for query, want := range map[string]string{
		`SELECT id FROM list WHERE id = ?`:                                                             "table list",
		`select id from list where id = ?`:                                                             "table list",
		`WITH a AS (SELECT id FROM item) SELECT id FROM a`:                                             "table item",
		`SELECT (SELECT name FROM user WHERE id = ?)`:                                                  "table user",
		`SELECT 1 FROM setting, message`:                                                               "table message",
		`SELECT id FROM list l WHERE ` + list:                                                          "",
		`SELECT id FROM list l JOIN user u ON u.id = l.owner_id WHERE ` + list:                         "table user",
		`SELECT id FROM list l JOIN user u ON ` + user + ` WHERE ` + list:                              "",
		`SELECT id FROM message WHERE ` + list:                                                         "table message",
		`SELECT id FROM list WHERE title = '/* server: no */'`:                                         "",
		`SELECT id FROM list /* server:  */`:                                                           "table list",
		`SELECT id FROM list /* visible: list */`:                                                      "table list",
		`SELECT id FROM list /* server: pruning */`:                                                    "",
		`SELECT value FROM setting WHERE name = ?`:                                                     "",
		`INSERT INTO list (id) VALUES (?)`:                                                             "",
		`UPDATE list SET title = ? WHERE list.id = ?`:                                                  "",
		`DELETE FROM list WHERE id = ?`:                                                                "",
		`DELETE FROM list WHERE id IN (SELECT id FROM list LIMIT ?)`:                                   "table list",
		`INSERT INTO event (topic) SELECT id FROM conversation`:                                        "table conversation",
		`UPDATE list SET title = ? WHERE id = ? RETURNING (SELECT name FROM user WHERE id = owner_id)`: "table user",
	} {
		if got := unseen(query); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// recorder is a test that notes its errors.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}

// The check is asked about the statements of every database that Open makes.
func TestOpenInspectsStatements(t *testing.T) {
	rec := &recorder{TB: t}
	inspect := Inspect(rec)
	bad := 0
	db := open(t, crowd{}, func(c *store.Conn, query string) {
		if inspect(c, query); rec.failed {
			t.Errorf("refused: %s", query)
		}
		bad++
		if inspect(c, fmt.Sprintf("SELECT id FROM list WHERE id = '%d'", bad)); !rec.failed {
			t.Error("a statement without a predicate was let through")
		}
		rec.failed = false
	})
	err := db.Read(context.Background(), func(r *store.Reader) error { _, err := r.Setting("x"); return err })
	if err != nil || bad == 0 {
		t.Errorf("%d statements were inspected, %v", bad, err)
	}
}

// Only the store's visible*.go may write a predicate's comments.
func TestPredicatesAreInOneFile(t *testing.T) {
	mark := regexp.MustCompile(`/\* (visible: |end \*/)`)
	here, marks := 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !mark.Match(text) {
			return err
		}
		dir, name := filepath.Split(filepath.ToSlash(path))
		switch {
		case dir == "../../store/" && strings.HasPrefix(name, "visible"):
			marks++
		case dir == "../../store/storetest/" && strings.HasPrefix(name, "visible"):
			here++
		default:
			t.Errorf("%s writes a predicate's comments: use the functions of store/visible.go", path)
		}
		return nil
	})
	if err != nil || marks == 0 || here != 1 {
		t.Errorf("%d files of the store have predicates, %d of this package name them, %v", marks, here, err)
	}
}
