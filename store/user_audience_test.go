package store_test

import (
	"testing"

	"hearth/store"
)

// A change of an account is told to 5,000 others that are with it in a conversation, and
// not more, each of them once.
func TestUserAudienceIsBounded(t *testing.T) {
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
