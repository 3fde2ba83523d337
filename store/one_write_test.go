package store_test

import (
	"errors"
	"fmt"
	"testing"

	"hearth/store"
)

// A block says how many its account has with it, and is refused if there is one already.
func TestBlocksAreCountedAndOnlyOnce(t *testing.T) {
	t.Parallel()
	withRows(t, "ada ben cleo", nil, func(tx *store.Tx) error {
		for n, c := range []struct{ blocker, blocked string }{{"ada", "ben"}, {"ada", "cleo"}} {
			if count, err := tx.InsertBlock(c.blocker, c.blocked); count != n+1 || err != nil {
				t.Errorf("%s has %d blocks, want %d, %v", c.blocker, count, n+1, err)
			}
		}
		if count, err := tx.InsertBlock("cleo", "ada"); count != 1 || err != nil {
			t.Errorf("%d blocks of another, %v", count, err)
		}
		if _, err := tx.InsertBlock("ada", "ben"); !errors.Is(err, store.ErrTaken) {
			t.Errorf("the second block of the same account: %v", err)
		}
		return nil
	})
}

// The reactions to several messages of a conversation are counted for each of them, and
// those to other messages of it are not returned.
func TestReactionsAreOfTheMessagesAskedFor(t *testing.T) {
	t.Parallel()
	rows := []string{
		`INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'ben', 'member', 0)`,
	}
	var messages []store.Message
	for n := 1; n <= 3; n++ {
		rows = append(rows, fmt.Sprintf(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted) VALUES ('c', %[1]d, 'm%[1]d', 'ada', 'x', 1)`, n),
			fmt.Sprintf(`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', %d, 'e', 'ben', %d)`, n, 10+n))
		messages = append(messages, store.Message{ConversationID: "c", CreatedAt: store.Time(n), Reacted: true})
	}
	withRows(t, "ada ben", rows, func(tx *store.Tx) error {
		for n := 1; n <= 3; n++ {
			counts, err := tx.Reactions(human("ada"), messages[:n])
			if len(counts) != n || err != nil {
				t.Errorf("reactions to %d messages: %+v, %v", n, counts, err)
			}
			for _, c := range counts {
				if c.Count != 1 {
					t.Errorf("of %d messages: %+v", n, c)
				}
			}
		}
		return nil
	})
}
