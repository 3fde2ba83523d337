//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// The lock is of the file itself: by another name it is taken, too, until its holder has ended.
func TestSecondName(t *testing.T) {
	db := storetest.Open(t)
	link := filepath.Join(t.TempDir(), "other.db")
	if err := os.Link(db.Path(), link); err != nil {
		t.Skip("the file system has no links: ", err)
	}
	again, err := store.Open(context.Background(), link, store.Options{Schema: storetest.Schema(t)})
	if err == nil {
		again.Close()
		t.Fatal("a second name of the file was opened")
	}
	if !strings.Contains(err.Error(), "another hearth is serving "+link) || strings.Contains(err.Error(), "\n") {
		t.Errorf("refused with: %v", err)
	}
	if rep, err := store.Verify(context.Background(), storetest.Schema(t), link, nil); err != nil || !rep.Served {
		t.Errorf("%+v, %v", rep, err)
	}
}

// What root makes belongs to the owner of the database, and a new database to the owner of
// its folder.
func TestFilesOfRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const owner, group = 4711, 4712
	dir := t.TempDir()
	if err := os.Chown(dir, owner, group); err != nil {
		t.Skip("root may not give files away here: ", err)
	}
	path, backup := filepath.Join(dir, "h.db"), filepath.Join(t.TempDir(), "backup.db")
	db := openAt(t, path)
	fill(t, db, "row", 20)
	if err := db.AppendLedger([]store.Erased{{UserID: store.NewID(), At: store.TimeOf(storetest.Epoch)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.MakeBackup(t.Context(), db, backup, storetest.Epoch, nil); err != nil {
		t.Fatal(err)
	}
	check := func(pattern string, want int) {
		t.Helper()
		names, _ := filepath.Glob(pattern)
		if len(names) != want {
			t.Errorf("%q", names)
		}
		for _, name := range names {
			fi, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if st := fi.Sys().(*syscall.Stat_t); st.Uid != owner || st.Gid != group || fi.Mode().Perm() != 0o600 {
				t.Errorf("%s belongs to %d:%d, %v", name, st.Uid, st.Gid, fi.Mode())
			}
		}
	}
	check(path+"*", 4)
	db.Close()
	if _, _, err := store.Restore(t.Context(), storetest.Schema(t), backup, path, storetest.Epoch, nil); err != nil {
		t.Fatal(err)
	}
	check(path+"*", 3)
	check(backup+"*", 2)
}
