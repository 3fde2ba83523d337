package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A commit by another process ends what is known of frequent keys: that process may have
// changed them.
func TestForeignCommitEndsWhatIsKnown(t *testing.T) {
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "h.db")
	db, err := Open(ctx, path, Options{Schema: string(schema)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := Open(ctx, path, Options{Schema: string(schema), Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := db.Write(ctx, func(tx *Tx) error { return tx.SetSetting("a", "b") }); err != nil {
		t.Fatal(err)
	}
	before := db.senders.Generation()
	if err := other.Write(ctx, func(tx *Tx) error { return tx.SetSetting("a", "c") }); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); db.senders.Generation() == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what is cached is known for 5 seconds after a commit by another process")
		}
	}
}
