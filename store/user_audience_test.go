package store_test

import (
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// A change of an account in a conversation is shown to the other members. It is not
// shown to members who have a block with the account or its owner, to members who have
// the conversation hidden, or to members of other conversations.
func TestShownToMembers(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay bot", []string{
		`UPDATE user SET is_bot = 1, bot_owner_id = 'ada' WHERE id = 'bot'`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at, hidden)
			VALUES ('c', 'ada', 'owner', 0, 0), ('c', 'ben', 'member', 1, 0), ('c', 'cleo', 'member', 2, 0),
			('c', 'dora', 'member', 3, 0),
			('c', 'emil', 'member', 4, 1), ('c', 'bot', 'member', 5, 0), ('d', 'fay', 'owner', 0, 0), ('d', 'ada', 'member', 0, 0)`,
		`INSERT INTO block VALUES ('cleo', 'ada', 0), ('ada', 'dora', 0), ('dora', 'fay', 0)`,
	}, func(tx *store.Tx) error {
		for by, want := range map[string]string{"ada": "ben bot", "bot": "ada ben", "ben": "ada bot cleo dora", "cleo": "ben dora"} {
			ids, err := tx.ShownTo("c", by)
			slices.Sort(ids)
			if got := strings.Join(ids, " "); got != want || err != nil {
				t.Errorf("of %s: %q, want %q, %v", by, got, want, err)
			}
		}
		return nil
	})
}
