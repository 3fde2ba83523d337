package store_test

import (
	"testing"

	"hearth/store"
)

// For the limit of a kind of keys, the keys of the account and of its bots count if they
// are neither revoked nor expired.
func TestWhichKeysCountForTheirLimit(t *testing.T) {
	const key = `INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, expires_at, revoked_at) VALUES `
	rows := []string{`UPDATE user SET is_bot = 1, bot_owner_id = 'ada' WHERE id = 'bot'`,
		key + `('1', 'ada', 'agent', '', '', '1', 1, 1, 0, NULL, NULL), ('2', 'bot', 'agent', '', '', '2', 1, 1, 0, NULL, NULL),
			('3', 'ben', 'agent', '', '', '3', 1, 1, 0, NULL, NULL),
			('4', 'ada', 'agent', '', '', '4', 1, 1, 0, NULL, 1), ('5', 'ada', 'agent', '', '', '5', 1, 1, 0, 1, NULL),
			('6', 'ada', 'list', '', '', '6', 1, 1, 0, NULL, NULL)`}
	withRows(t, "ada ben bot", rows, func(tx *store.Tx) error {
		for kind, want := range map[string]int{"agent": 2, "list": 1} {
			if n, err := tx.LiveKeys("ada", kind); n != want || err != nil {
				t.Errorf("%d keys of the kind %s, want %d, %v", n, kind, want, err)
			}
		}
		return nil
	})
}
