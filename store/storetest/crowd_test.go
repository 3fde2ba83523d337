package storetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withoutCrowd are the tables in which the crowd has no row.
var withoutCrowd = []string{
	"audit", "feedback", "report", "report_file", // read by administrators, of all accounts
	"clock", "sequence", "setting", "job", "event", "word_queue", // the server's own
	"erased", "intent_vector", "context_intention", // would change what is read of other rows of the crowd
}

// The crowd has a row in every other table, and a change of any of its rows is noticed.
func TestCrowd(t *testing.T) {
	c, err := theCrowd()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "h.db")
	if err := os.WriteFile(path, c.file, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	noticed := func() bool {
		rec := &recorder{TB: t}
		c.check(rec, file)
		return rec.failed
	}
	if noticed() {
		t.Error("the rows of a new file are taken for changed")
	}
	tables, err := texts(file, `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		has := false
		for row := range c.rows {
			has = has || strings.HasPrefix(row, table+": ")
		}
		if has == slices.Contains(withoutCrowd, table) {
			t.Errorf("the crowd has rows in %s: %v; add one to crowd.sql, or the table to those without", table, has)
		}
		if !has {
			continue
		}
		if _, err := file.Exec(`SAVEPOINT s; DELETE FROM ` + table); err != nil {
			t.Errorf("%s: %v", table, err)
		}
		if !noticed() {
			t.Errorf("nobody notices that %s is empty", table)
		}
		if _, err := file.Exec(`ROLLBACK TO s; RELEASE s`); err != nil {
			t.Error(err)
		}
	}
}
