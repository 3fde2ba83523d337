package store_test

import (
	"fmt"
	"strings"
	"testing"

	"hearth/store"
)

// The conversations of an account are those before a moment, the newest first and up to a
// number, each with its newest message.
func TestPagesOfConversations(t *testing.T) {
	var rows []string
	for i, at := range []int{40, 10, 30, 20} {
		rows = append(rows, fmt.Sprintf(`INSERT INTO conversation (id, type, last_message_at, created_at, updated_at) VALUES ('c%[1]d', 'group', %[1]d, %[2]d, 0)`, at, i),
			fmt.Sprintf(`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c%d', 'ada', 'owner', 0)`, at),
			fmt.Sprintf(`INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES ('c%[1]d', %[1]d, 'm%[1]d', 'ada', 'x'), ('c%[1]d', %[1]d - 5, 'n%[1]d', 'ada', 'x')`, at))
	}
	withRows(t, "ada", rows, func(tx *store.Tx) error {
		for _, c := range []struct {
			before store.Time
			limit  int
			want   string
		}{{0, 9, "m40 m30 m20 m10"}, {30, 9, "m20 m10"}, {0, 2, "m40 m30"}, {31, 1, "m30"}, {10, 9, ""}} {
			cs, err := tx.Conversations(human("ada"), c.before, c.limit)
			if got := inOrder(cs, err, func(c store.Conversation) string {
				if c.Last.ConversationID != c.ID || c.Last.Type != "text" {
					t.Errorf("the newest message of %s: %+v", c.ID, c.Last)
				}
				return c.Last.ID
			}); got != c.want {
				t.Errorf("before %d up to %d: %q, want %q", c.before, c.limit, got, c.want)
			}
		}
		return nil
	})
}

// A conversation has the first eight of its members for its picture, and another title
// changes that of no other conversation.
func TestTitleAndFirstMembers(t *testing.T) {
	var ids []string
	for i := range 9 {
		ids = append(ids, fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i))
	}
	withRows(t, strings.Join(ids, " "), nil, func(tx *store.Tx) error {
		by := human(ids[1])
		for n := range 2 {
			id, err := tx.InsertGroup(ids[0], ids[1:8+n], "before")
			if err != nil {
				return err
			}
			if err := tx.SetTitle(id, fmt.Sprint("after ", n)); err != nil {
				return err
			}
			c, err := tx.Conversation(by, id)
			if c.Title != fmt.Sprint("after ", n) || c.UpdatedAt != tx.Now || c.MemberCount != 8+n || fmt.Sprint(c.Recent) != fmt.Sprint(ids[:8]) || fmt.Sprint(c.Owners) != fmt.Sprint(ids[:1]) || err != nil {
				t.Errorf("%+v, %v", c, err)
			}
			tx.Now = tx.Tick()
		}
		cs, err := tx.Conversations(by, 0, 9)
		if got := inOrder(cs, err, func(c store.Conversation) string { return c.Title }); got != "after 1 after 0" {
			t.Errorf("titles %q", got)
		}
		return nil
	})
}
