package store_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// signInLinks are rows of login_link by name: of one address with a link for each state,
// and of another.
var signInLinks = map[string]struct {
	email   string
	expires time.Duration // from now on
	used    bool
}{
	"live": {"a@example.org", time.Microsecond, false}, "another": {"a@example.org", time.Hour, false}, "used": {"a@example.org", time.Hour, true},
	"ends": {"a@example.org", 0, false}, "ended": {"a@example.org", -time.Microsecond, false}, "foreign": {"b@example.org", time.Hour, false},
}

// withLinks calls f in a write of a database with signInLinks.
func withLinks(t *testing.T, f func(tx *store.Tx)) {
	t.Helper()
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for name, l := range signInLinks {
			if err := tx.InsertLink(store.LoginLink{TokenHash: name, Email: l.email, CodeHash: name, ExpiresAt: tx.Reader.Now().Add(l.expires)}); err != nil {
				return err
			}
			if l.used {
				if _, err := tx.ExecForTest(`UPDATE login_link SET used_at = 1 WHERE token_hash = ?`, name); err != nil {
					return err
				}
			}
		}
		f(tx)
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// A sign-in link is used once, until it expires, and no other is with it.
func TestUseOfSignInLinks(t *testing.T) {
	withLinks(t, func(tx *store.Tx) {
		for _, c := range []struct {
			name string
			want error
		}{{"used", store.ErrNoRow}, {"ends", store.ErrNoRow}, {"ended", store.ErrNoRow}, {"none", store.ErrNoRow}, {"live", nil}, {"live", store.ErrNoRow}} {
			if err := tx.UseLink(c.name); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		}
		left, err := tx.LiveLinks("a@example.org")
		if err != nil || len(left) != 1 || left[0].TokenHash != "another" {
			t.Errorf("left: %+v, %v", left, err)
		}
		if n, err := tx.ExecForTest(`DELETE FROM login_link WHERE used_at IS NOT NULL`); n != 2 || err != nil {
			t.Errorf("%d links are used, %v", n, err)
		}
	})
}

// A wrong code is counted for the links of the address that can be used, and not beyond
// the number of those that may be tried.
func TestWrongCodes(t *testing.T) {
	withLinks(t, func(tx *store.Tx) {
		for n := range store.MaxCodeAttempts + 2 {
			if err := tx.CountWrongCode("A@Example.org"); err != nil {
				t.Fatal(err)
			}
			var counted []string
			for _, name := range slices.Sorted(maps.Keys(signInLinks)) {
				want := min(n+1, store.MaxCodeAttempts)
				if had, err := tx.ExecForTest(`DELETE FROM login_link WHERE token_hash = ? AND attempts = 0`, name); err != nil || had > 0 {
					continue // it is not counted any more either
				}
				if is, err := tx.ExecForTest(`UPDATE login_link SET attempts = attempts WHERE token_hash = ? AND attempts = ?`, name, want); err != nil {
					t.Fatal(err)
				} else if is == 1 {
					counted = append(counted, name)
				}
			}
			if got := strings.Join(counted, " "); got != "another live" {
				t.Errorf("the %d. code is counted for %q", n+1, got)
			}
		}
	})
}

// A database is opened, backed up, verified and restored by a symbolic link as by
// its own name: its log and its lock are beside the file.
func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	ctx, schema := context.Background(), storetest.Schema(t)
	dir, elsewhere := t.TempDir(), t.TempDir()
	file, link, backup := filepath.Join(elsewhere, "real.db"), filepath.Join(dir, "link.db"), filepath.Join(dir, "backup.db")
	openAt(t, file).Close()
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, link)
	fill(t, db, "row", 20)
	if _, err := store.Open(ctx, file, store.Options{Schema: schema}); err == nil || !strings.Contains(err.Error(), "another hearth is serving") {
		t.Errorf("it is served under both names: %v", err)
	}
	if _, err := store.Backup(ctx, link, backup, storetest.Epoch, nil); err != nil {
		t.Errorf("backup of what is served: %v", err)
	}
	if rep, err := store.Verify(ctx, schema, link, nil); err != nil || !rep.Served || len(rep.Broken) > 0 {
		t.Errorf("verify of what is served: %+v %v", rep, err)
	}
	db.Close()
	if _, _, err := store.Restore(ctx, schema, backup, link, storetest.Epoch, nil); err != nil {
		t.Errorf("restore: %v", err)
	}
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q now: %v", to, err)
	}
	if n := settings(t, link, "row"); n != 20 {
		t.Errorf("%d rows were restored", n)
	}
	if left, _ := filepath.Glob(link + "?*"); len(left) > 0 {
		t.Errorf("beside the link there are %v", left)
	}
	os.Remove(file)
	if _, err := store.Open(ctx, link, store.Options{Schema: schema}); err == nil || !strings.Contains(err.Error(), "is a symbolic link to "+file) {
		t.Errorf("a link to nothing: %v", err)
	}
}
