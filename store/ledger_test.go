package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// erasedAccount is an account in a ledger by its number.
func erasedAccount(n int) Erased {
	return Erased{UserID: fmt.Sprintf("0198c0de-0000-7000-8000-%012d", n), At: 1773480413_000000 + Time(n)}
}

// The text file with the deletion ledger has a line for each account, however often it
// is added. A line that lacks its end or its beginning stays without effect, and the next
// account has a line of its own.
func TestLedgerFile(t *testing.T) {
	a, b, c := erasedAccount(1), erasedAccount(2), erasedAccount(3)
	line := func(e Erased) string { return e.UserID + " " + e.At.String() + "\n" }
	for name, tc := range map[string]struct {
		before string
		add    []Erased
		after  string
		read   []Erased
	}{
		"of no account":        {"", nil, "", nil},
		"new":                  {"", []Erased{a, b}, line(a) + line(b), []Erased{a, b}},
		"longer":               {line(a), []Erased{b, c}, line(a) + line(b) + line(c), []Erased{a, b, c}},
		"known":                {line(a) + line(b), []Erased{b, {UserID: a.UserID, At: 1}}, line(a) + line(b), []Erased{a, b}},
		"twice":                {"", []Erased{a, b, a}, line(a) + line(b), []Erased{a, b}},
		"partly known":         {line(b), []Erased{a, b}, line(b) + line(a), []Erased{b, a}},
		"cut in an id":         {line(a) + b.UserID[:20], []Erased{b}, line(a) + b.UserID[:20] + "\n" + line(b), []Erased{a, b}},
		"cut in a time":        {line(a) + line(b)[:50], []Erased{b}, line(a) + line(b)[:50] + "\n" + line(b), []Erased{a, b}},
		"one character":        {"0", []Erased{b}, "0\n" + line(b), []Erased{b}},
		"the end of a line":    {line(b)[10:], []Erased{a}, line(b)[10:] + line(a), []Erased{a}},
		"without its line end": {line(a)[:len(line(a))-1], []Erased{b}, line(a) + line(b), []Erased{a, b}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hearth.db")
			if tc.before != "" {
				if err := os.WriteFile(LedgerPath(path), []byte(tc.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := appendLedger(LedgerPath(path), tc.add); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(LedgerPath(path))
			if string(text) != tc.after || (err != nil) != (tc.after == "") {
				t.Errorf("the file is %q, want %q, %v", text, tc.after, err)
			}
			if read, err := ReadLedger(path); err != nil || !slices.Equal(read, tc.read) {
				t.Errorf("read: %v, want %v, %v", read, tc.read, err)
			}
		})
	}
}

// A server adds to the file that is beside its own.
func TestAppendLedger(t *testing.T) {
	w := newRankWorld(t, 0)
	if err := w.db.AppendLedger([]Erased{erasedAccount(1)}); err != nil {
		t.Fatal(err)
	}
	if read, err := ReadLedger(w.db.Path()); err != nil || !slices.Equal(read, []Erased{erasedAccount(1)}) {
		t.Errorf("%v, %v", read, err)
	}
}

// What was added to the text file is not acknowledged while the file, or the folder that
// has its name, is not synced.
func TestLedgerThatCannotBeSynced(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("which files can be written and not synced is known of Linux only")
	}
	unsynced := filepath.Join(t.TempDir(), "ledger")
	if err := os.Symlink(os.DevNull, unsynced); err != nil {
		t.Fatal(err)
	}
	synced, err := os.Create(filepath.Join(t.TempDir(), "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	defer synced.Close()
	for name, path := range map[string]string{"the file": unsynced, "its folder": fmt.Sprintf("/proc/self/fd/%d", synced.Fd())} {
		if err := appendLedger(path, []Erased{erasedAccount(1)}); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s cannot be synced: %v", name, err)
		}
	}
}

// The ledger of a file that nobody serves has what is in it and what is beside it.
func TestLedgerOf(t *testing.T) {
	t.Parallel()
	beside, inside := erasedAccount(1), erasedAccount(2)
	for name, tc := range map[string]struct {
		schema string // "" is no file
		want   []Erased
	}{
		"no file":     {"", []Erased{beside}},
		"the current": {readText(t, "../schema.sql"), []Erased{beside, inside}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hearth.db")
			if tc.schema != "" {
				path = fileOfVersion(t, tc.schema, schemaOf("").Version())
				withFile(t, path, func(db *sql.DB) {
					if _, err := db.Exec(`INSERT INTO erased VALUES (?1, ?2)`,
						inside.UserID, int64(inside.At)); err != nil {
						t.Fatal(err)
					}
				})
			}
			if err := appendLedger(LedgerPath(path), []Erased{beside}); err != nil {
				t.Fatal(err)
			}
			if got, err := LedgerOf(t.Context(), path); err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("%v, want %v, %v", got, tc.want, err)
			}
		})
	}
}
