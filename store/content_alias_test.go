package store_test

import (
	"fmt"
)

// aPostOf is a post of the Context lane in conversation c: its time, id, author, text,
// and the post that it replies to.
func aPostOf(at int, id, author, text, parent string) string {
	return fmt.Sprintf(`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, reply_to_id,
		client_request_id, updated_at)
		VALUES ('c', %d, '%s', '%s', 'ask', '%s', nullif('%s', ''), 'r%[1]d', %[1]d)`, at, id, author, text, parent)
}
