package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What was read of webhooks is kept for later messages, but not by a group of writes that
// changed them: that may be undone.
func TestWebhooksThatAreKnown(t *testing.T) {
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	db, err := Open(ctx, filepath.Join(t.TempDir(), "h.db"), Options{Schema: string(schema)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	undo := errors.New("undo")
	for _, stale := range []bool{true, false} {
		if err := db.Write(ctx, func(tx *Tx) error {
			db.webhooks = enabledWebhooks{}
			if err := db.queueDeliveries(tx, []sentMessage{{conversationID: "c", id: "m", at: tx.Now}}, stale); err != nil {
				return err
			}
			if known := db.webhooks.known; known == stale {
				t.Errorf("the group changed webhooks %v: they are known %v", stale, known)
			}
			return undo
		}); !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}
