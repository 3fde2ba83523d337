package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// A query that fails has no rows, which is not the same as a row that is not there.
func TestFailedQueryIsNoMissingRow(t *testing.T) {
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"), Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(t.Context(), func(r *Reader) error {
		const fails = `SELECT value FROM json_each('{')`
		_, ofOne := one(r, scanOne[string], fails)
		_, ofAll := all(r, scanOne[string], fails)
		_, ofMessages := r.messages("", 1, fails)
		var text string
		ofValue := r.value([]any{&text}, fails)
		for n, err := range []error{ofOne, ofAll, ofMessages, ofValue} {
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

// Whoever reads more than they may is told so, and not that there is no row.
func TestMeteredQueryIsNoMissingRow(t *testing.T) {
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"), Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	enough := errors.New("enough")
	ctx := WithMeter(t.Context(), &Meter{Read: func(int) error { return enough }})
	for name, read := range map[string]func(r *Reader) error{
		"one": func(r *Reader) error { _, err := one(r, scanOne[string], `SELECT 'x'`); return err },
		"all": func(r *Reader) error { _, err := all(r, scanOne[string], `SELECT 'x'`); return err },
	} {
		err := db.Read(ctx, func(r *Reader) error {
			if _, err := one(r, scanOne[string], `SELECT printf('%.*c', 20000, 'x')`); err != nil {
				return err
			}
			err := read(r)
			if !errors.Is(err, enough) {
				t.Errorf("%s: %v", name, err)
			}
			return err
		})
		if !errors.Is(err, enough) {
			t.Errorf("%s: the read: %v", name, err)
		}
	}
}
