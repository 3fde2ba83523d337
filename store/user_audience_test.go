package store_test

import (
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// A change of an account is told to 5,000 others that are with it in a conversation, and
// not more, each of them once.
func TestUserAudienceIsBounded(t *testing.T) {
	t.Parallel()
	const others = `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO member (conversation_id, user_id, role, joined_at) SELECT `
	withRows(t, "ada", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('d', 'ada', 'owner', 0), ('d', '1', 'member', 1)`,
		others + `'c', i, 'member', i FROM n`,
	}, func(tx *store.Tx) error {
		for i, then := range []string{`UPDATE user SET epoch = 1`, `INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('d', '5001', 'member', 1)`} {
			if err := execAll(tx, then); err != nil {
				return err
			}
			if ids, err := tx.UserAudience("ada"); len(ids) != 5000 || err != nil {
				t.Errorf("%d accounts of %d, %v", len(ids), 5000+i, err)
			}
		}
		return nil
	})
}

// A change of an account in a conversation is shown to the other members, but not to
// those with whom it, or its owner, has a block, nor to members from whom the
// conversation is hidden, nor to those of other conversations.
func TestShownToMembers(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay bot", []string{
		`UPDATE user SET is_bot = 1, bot_owner_id = 'ada' WHERE id = 'bot'`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at, hidden) VALUES ('c', 'ada', 'owner', 0, 0), ('c', 'ben', 'member', 1, 0), ('c', 'cleo', 'member', 2, 0), ('c', 'dora', 'member', 3, 0),
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
