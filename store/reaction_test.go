package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
)

// The reactions to a message are deleted with it, and no others.
func TestReactionsToDeletedMessages(t *testing.T) {
	t.Parallel()
	for _, reactions := range []int{0, 1, 900} {
		withRows(t, "ada ben", []string{
			`INSERT INTO conversation (id, type, live_count, created_at, updated_at) VALUES ('c', 'group', 2, 0, 0)`,
			`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'ben', 'member', 0)`,
			fmt.Sprintf(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted)
				VALUES ('c', 50, 'm', 'ada', 'x', %d > 0), ('c', 60, 'other', 'ada', 'x', 1)`, reactions),
			`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 60, 'e', 'ben', 0)`,
			fmt.Sprintf(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %[1]d)
				INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) SELECT 'c', 50, n, 'ben', 0
				FROM n WHERE n <= %[1]d`, reactions),
		}, func(tx *store.Tx) error {
			by := store.Viewer{Kind: store.Human, UserID: "ben"}
			m, err := tx.Message(by, "m")
			if err != nil {
				return err
			}
			if err := tx.DeleteMessage(&m); err != nil {
				return err
			}
			checkCleared(t, tx, m, by)
			const left = `SELECT (SELECT count(*) FROM reaction WHERE message_at = 50) || ' ' || (SELECT reacted FROM message WHERE id = 'm')`
			if got, err := tx.TextForTest(left); got != "0 0" || err != nil {
				t.Errorf("%d reactions: %q are left, %v", reactions, got, err)
			}
			if got, err := tx.Parts("other"); got["ben"] != "e" || err != nil {
				t.Errorf("the other message has the parts %v, %v", got, err)
			}
			return nil
		})
	}
}

// checkCleared checks that nobody is shown a reaction to a message that was deleted.
func checkCleared(t *testing.T, tx *store.Tx, m store.Message, by store.Viewer) {
	t.Helper()
	stored, err := tx.Message(by, m.ID)
	if m.Reacted || stored.Reacted || err != nil {
		t.Errorf("the deleted message has reactions: returned %v, read %v, %v", m.Reacted, stored.Reacted, err)
	}
	if got, err := tx.Reactions(by, []store.Message{m, stored}); len(got) > 0 || err != nil {
		t.Errorf("the deleted message has %d reactions, %v", len(got), err)
	}
	if got, err := tx.Parts(m.ID); len(got) != 1 || got[m.SenderID] != "sent" || err != nil {
		t.Errorf("the deleted message is of %v, %v", got, err)
	}
}
