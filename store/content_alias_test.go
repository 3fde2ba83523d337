package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
)

// aPostOf is a post of the Context lane in conversation c: its time, id, author, text,
// and the post that it replies to.
func aPostOf(at int, id, author, text, parent string) string {
	return fmt.Sprintf(`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, reply_to_id, client_request_id, updated_at)
		VALUES ('c', %d, '%s', '%s', 'ask', '%s', nullif('%s', ''), 'r%[1]d', %[1]d)`, at, id, author, text, parent)
}

// Of the entries of a Stream those are part of another that are pinned to the same
// conversation, of the same message and with the same text; and only of one that is
// shared there.
func TestAliasesOfEntries(t *testing.T) {
	thought := func(id, author, source, text string, captured, at int) string {
		return fmt.Sprintf(`INSERT INTO thought (id, user_id, text, kind, status, source_message_id, source_conversation_id, captured, created_at, updated_at)
			VALUES ('%s', '%s', '%s', 'fact', 'none', '%s', 'c', %d, %d, 0)`, id, author, text, source, captured, at)
	}
	withRows(t, "ada ben", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('d', 'ada', 'owner', 0)`,
		thought("m1", "ben", "m1", "x", 1, 10), thought("m1late", "ben", "m1", "x", 0, 13), thought("m1early", "ada", "m1", "x", 0, 12),
		thought("m1other", "ada", "m1", "y", 0, 12), thought("m1there", "ada", "m1", "x", 0, 11), thought("m1note", "ada", "m1", "x", 0, 11),
		thought("m2", "ben", "m2", "x", 0, 10), thought("m2b", "ben", "m2", "x", 0, 11),
		thought("m3", "ada", "m3", "x", 0, 10), thought("m3b", "ben", "m3", "x", 0, 11), // a note of ada's own
		thought("m4", "ada", "m4", "x", 0, 10), thought("m4b", "ben", "m4", "x", 0, 11), // pinned elsewhere
		thought("m5", "ben", "m5", "x", 1, 10),
		`INSERT INTO thought_pin SELECT 'c', id, user_id, 0 FROM thought WHERE id IN ('m1late', 'm1early', 'm1other', 'm2', 'm2b', 'm3b', 'm4b')`,
		`INSERT INTO thought_pin SELECT 'd', id, user_id, 0 FROM thought WHERE id IN ('m1there', 'm1late', 'm4')`,
	}, func(tx *store.Tx) error {
		for id, want := range map[string]string{"m1": "m1early m1late", "m2": "m2b", "m2b": "m2", "m3": "", "m4": "", "m5": ""} {
			as, err := tx.ContentAliases(human("ada"), "c", id)
			if got := inOrder(as, err, func(a store.ContentAlias) string {
				if a.ID != id {
					t.Errorf("%+v of %s", a, id)
				}
				return a.AliasID
			}); got != want {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
		return nil
	})
}
