//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// What is not a regular file is refused, and not waited for.
func TestIrregularFiles(t *testing.T) {
	pipe := func(name string) string {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	dir := t.TempDir()
	db, backup := madeBackup(t)
	manifest := filepath.Join(dir, "backup.db")
	if err := os.WriteFile(manifest, read(t, backup), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe(store.ManifestPath(manifest))
	for _, name := range []string{pipe(filepath.Join(dir, "pipe")), os.DevNull, dir, manifest} {
		for what, f := range map[string]func() error{
			"verify": func() error {
				_, err := store.Verify(context.Background(), storetest.Schema(t), name, nil)
				return err
			},
			"restore": func() error {
				_, _, err := store.Restore(context.Background(), storetest.Schema(t), name, db, storetest.Epoch, nil)
				return err
			},
		} {
			ended := make(chan error, 1)
			go func() { ended <- f() }()
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), "not a regular file") {
					t.Errorf("%s of %s: %v", what, name, err)
				}
			case <-time.After(5 * time.Second):
				t.Errorf("%s of %s waits", what, name)
			}
		}
	}
}
