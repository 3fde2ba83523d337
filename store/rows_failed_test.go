package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// A query that fails has no rows, which is not the same as a row that is not there.
func TestFailedQueryIsNoMissingRow(t *testing.T) {
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"),
		Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(t.Context(), func(r *Reader) error {
		const fails = `SELECT value FROM json_each('{')`
		_, ofOne := one[string](r, fails)
		_, ofAll := all[string](r, fails)
		var text string
		ofValue := r.value([]any{&text}, fails)
		for n, err := range []error{ofOne, ofAll, ofValue} {
			if err == nil || errors.Is(err, ErrNoRow) {
				t.Errorf("way %d: %v", n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
