package store

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// It is known which conversations have an enabled webhook of their own, and whether any
// account has one of all its conversations. Those that are disabled do not count.
func TestWhereWebhooksAreEnabled(t *testing.T) {
	const hook = `INSERT INTO webhook (id, user_id, conversation_id, url, secret, token, created_at, disabled_at, disabled_why) `
	const (
		ofConversation         = hook + `VALUES ('a', 'u', 'c', '', '', '', 0, NULL, '')`
		ofConversationDisabled = hook + `VALUES ('b', 'u', 'd', '', '', '', 0, 1, 'owner')`
		ofAccount              = hook + `VALUES ('e', 'u', NULL, '', '', '', 0, NULL, '')`
		ofAccountDisabled      = hook + `VALUES ('f', 'v', NULL, '', '', '', 0, 1, 'gone')`
	)
	undo := errors.New("undo")
	w := newRankWorld(t, 0)
	for _, c := range []struct {
		inserts       []string
		conversations string
		ofAccounts    bool
	}{
		{nil, "", false},
		{[]string{ofConversation}, "c", false},
		{[]string{ofAccount}, "", true},
		{[]string{ofConversationDisabled}, "", false},
		{[]string{ofAccountDisabled}, "", false},
		{[]string{ofConversation, ofConversationDisabled, ofAccountDisabled}, "c", false},
		{[]string{ofConversationDisabled, ofAccount, ofAccountDisabled}, "", true},
	} {
		if err := w.db.Write(t.Context(), func(tx *Tx) error {
			for _, query := range append([]string{`PRAGMA defer_foreign_keys = ON`}, c.inserts...) {
				if _, err := tx.exec(query); err != nil {
					return err
				}
			}
			e, err := tx.enabledWebhooks()
			if got := strings.Join(slices.Sorted(maps.Keys(e.conversations)), " "); !e.known || got != c.conversations || e.ofAccounts != c.ofAccounts || err != nil {
				t.Errorf("%q: known %v, of %q and of accounts %v, %v", c.inserts, e.known, got, e.ofAccounts, err)
			}
			return undo
		}); !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}
