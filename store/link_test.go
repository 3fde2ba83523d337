package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A database is opened, backed up, verified and restored by a symbolic link as by
// its own name: its log is beside the file.
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
	if _, err := store.Open(ctx, file, store.Options{Schema: schema}); err == nil ||
		!strings.Contains(err.Error(), "another hearth is serving") {
		t.Errorf("it is served under both names: %v", err)
	}
	if _, err := store.MakeBackup(ctx, db, backup, storetest.Epoch, nil); err != nil {
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
	if _, err := store.Open(ctx, link, store.Options{Schema: schema}); err == nil ||
		!strings.Contains(err.Error(), "is a symbolic link to "+file) {
		t.Errorf("a link to nothing: %v", err)
	}
}
