package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// After SQLite may have given up a write's transaction, no later statement of the
// write runs, even if its function ignores the error. Otherwise the write would be
// half done.
func TestBrokenWriteRunsNoStatement(t *testing.T) {
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "h.db"), Options{Schema: string(schema)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(context.Background(), func(tx *Tx) error {
		if err := tx.SetSetting("before", "1"); err != nil {
			return err
		}
		tx.c.Failed(ErrIO) // as after a read that failed
		if err := tx.SetSetting("after", "1"); !errors.Is(err, ErrIO) {
			t.Errorf("a statement ran: %v", err)
		}
		return nil // the error is ignored
	})
	if !errors.Is(err, ErrIO) {
		t.Errorf("the write was answered with %v", err)
	}
	err = db.Write(context.Background(), func(tx *Tx) error {
		for _, name := range []string{"before", "after"} {
			if v, err := tx.Setting(name); v != "" || err != nil {
				t.Errorf("%s is %q, %v", name, v, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("the next write: %v", err)
	}
}
