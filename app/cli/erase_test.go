package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An account that was erased beside a running server is erased again from an
// older backup, also if the database that knew of it is gone.
func TestErasedAccountStaysErased(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, filepath.Join(dir, "h.db"))
	s.signIn("ada@example.org")
	s.signIn("ben@example.org")
	backup := filepath.Join(dir, "backup.db")
	must := func(want string, args ...string) {
		t.Helper()
		if r := hearth(t, args...); r.code != 0 || !strings.Contains(r.out, want) {
			t.Fatalf("%q: %+v", args, r)
		}
	}
	must("Backed up", "backup", "--db", s.db, backup)
	if r := hearth(t, "user", "erase", "--db", s.db, "ada@example.org"); r.code != 2 || !strings.Contains(r.err, "--yes") {
		t.Errorf("without a confirmation: %+v", r)
	}
	must("is deleted", "user", "erase", "--yes", "--db", s.db, "ada@example.org")
	if r := hearth(t, "user", "erase", "--yes", "--db", s.db, "ada@example.org"); r.code != 1 || !strings.Contains(r.err, "No account") {
		t.Errorf("a second time: %+v", r)
	}
	must("smaller", "vacuum", "--db", s.db)
	s.stop()
	must("smaller", "vacuum", "--db", s.db)
	must("are deleted again: 1.", "restore", "--db", s.db, backup)
	lost := filepath.Join(dir, "h.db")
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	must("are deleted again: 1.", "restore", "--db", s.db, backup)
	r := hearth(t, "user", "ls", "--db", s.db)
	if r.code != 0 || strings.Contains(r.out, "ada@example.org") || !strings.Contains(r.out, "ben@example.org") {
		t.Errorf("the accounts are %+v", r)
	}
	must("is valid", "verify", s.db)
}
