package store_test

import (
	"fmt"
	"strings"
	"testing"

	"hearth/store"
)

// A step of the deletion of an account takes as many rows as it may and not one more,
// whichever they are, and the next step takes the rest.
func TestScrubIsDoneInSteps(t *testing.T) {
	const intent = `INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at)
		VALUES (%[1]d, '%[1]d', 'ada', 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, 0, 0)`
	for name, c := range map[string]struct{ insert, left string }{
		"pins":                                {`INSERT INTO thought_pin VALUES ('c', '%d', 'ada', 0)`, `thought_pin`},
		"thoughts":                            {`INSERT INTO thought (id, user_id, text, kind, status, created_at, updated_at) VALUES ('%[1]d', 'ada', 'x', 'fact', 'none', %[1]d, 0)`, `thought`},
		"intents":                             {intent, `intent`},
		"matches, as first":                   {`INSERT INTO intent_match VALUES ('%[1]d', %[1]d, 9, 'ada', 'ben', 'reciprocal', 1, 'open', 0, 0, 0, 0, NULL, %[1]d)`, `intent_match`},
		"matches, as second":                  {`INSERT INTO intent_match VALUES ('%[1]d', %[1]d, 9, 'ben', 'ada', 'reciprocal', 1, 'open', 0, 0, 0, 0, NULL, %[1]d)`, `intent_match`},
		"items":                               {`INSERT INTO item (id, list_id, rank, content, author_id, created_at, updated_at) VALUES ('%[1]d', 'l', %[1]d, 'x', 'ada', 0, 0)`, `item WHERE author_id = 'ada'`},
		"items checked off":                   {`INSERT INTO item (id, list_id, rank, content, checked_at, checked_by, created_at, updated_at) VALUES ('%[1]d', 'l', %[1]d, 'x', 0, 'ada', 0, 0)`, `item WHERE checked_by = 'ada'`},
		"collapsed thoughts":                  {`INSERT INTO thought_collapsed VALUES ('ada', 'c', '%d')`, `thought_collapsed`},
		"requests by it":                      {`INSERT INTO context_request VALUES ('%[1]d', '%[1]d', 'c', 1, 'ada', 'ben', 'k', 'pending', NULL, NULL, %[1]d, 0, NULL)`, `context_request`},
		"requests to it":                      {`INSERT INTO context_request VALUES ('%[1]d', '%[1]d', 'c', 1, 'ben', 'ada', 'k', 'pending', NULL, NULL, %[1]d, 0, NULL)`, `context_request`},
		"posts of a conversation of nobody":   {`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at) VALUES ('empty', %[1]d, '%[1]d', 'ben', 'note', 'x', '%[1]d', 0)`, `context_post`},
		"changes of a conversation of nobody": {`INSERT INTO conversation_change (conversation_id, at, kind, user_id) VALUES ('empty', %d, 'left', 'ben')`, `conversation_change`},
		"direct conversations":                {`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('%[1]d', 'ada', 'owner', 0), ('%[1]d', 'ben', 'member', 0)`, `member WHERE user_id = 'ada'`},
	} {
		rows := []string{`INSERT INTO erasing VALUES ('ada', 5, 'redacted')`}
		ofNobody := strings.Contains(c.insert, `'empty'`)
		if ofNobody {
			rows = append(rows, `INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('empty', 'group', 0, 0)`)
		}
		for n := range 5 {
			rows = append(rows, fmt.Sprintf(c.insert, n))
		}
		withRows(t, "ada ben", rows, func(tx *store.Tx) error {
			for step, want := range []string{"3", "1", "0"} {
				more, err := tx.Scrub("ada", 2)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				left, err := tx.TextForTest(`SELECT CAST(count(*) AS TEXT) FROM ` + c.left)
				if left != want || !more || err != nil {
					t.Errorf("%s, step %d: %s are left, want %s; more %v, %v", name, step, left, want, more, err)
				}
			}
			more, err := tx.Scrub("ada", 2)
			if more && ofNobody { // the conversation itself
				more, err = tx.Scrub("ada", 2)
			}
			if more || err != nil {
				t.Errorf("%s: more %v, %v", name, more, err)
			}
			return nil
		})
	}
}
