package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// rowsWith returns the rows that have a text.
func rowsWith(t *testing.T, db *storetest.DB, text string) (found []string) {
	t.Helper()
	for row := range rowsOf(t, db) {
		if strings.Contains(row, text) {
			found = append(found, row)
		}
	}
	return found
}

// A conversation that nobody is a member of any more goes with all of its messages and
// what they have outside it, also those of people who left it, however many are deleted
// at a time.
func TestConversationOfNobodyGoes(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 1000} {
		db := storetest.OpenCrowd(t)
		x, y := storetest.Crowd["x"], storetest.Crowd["y"]
		group := column(t, db, `SELECT conversation_id FROM member WHERE user_id = ?`, x)[0]
		// y has one more of each, and leaves.
		write(t, db, func(tx *store.Tx) error {
			p := store.ContextPost{ConversationID: group, AuthorID: y, Kind: "note", Text: "x", ClientRequestID: "x"}
			return tx.InsertContextPost(&p, nil)
		})
		var said store.Message
		for range 9 { // more than there are of the others
			said = say(t, db, store.Message{ConversationID: group, SenderID: y, Content: "#tag"})
		}
		write(t, db, func(tx *store.Tx) error {
			return tx.Capture(&said, &store.Capture{ID: "captured", Kind: "fact", Status: "none", Tags: []string{"tag"}})
		})
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`INSERT INTO conversation_change (conversation_id, at, kind, user_id) VALUES (?, 5, 'left', ?)`, group, y)
			if err == nil {
				err = tx.RemoveMember(store.Viewer{UserID: y}, group, y)
			}
			return err
		})
		beside := groupOf(t, db, y)
		eraseAccount(t, db, x, limit)
		for _, text := range []string{group, "captured", "attachment: "} {
			rows := slices.DeleteFunc(rowsWith(t, db, text), func(row string) bool { return strings.HasPrefix(row, "delivery: ") }) // they wait, and are skipped
			if len(rows) > 0 {
				t.Errorf("by %d: rows are left: %q", limit, rows)
			}
		}
		if rows := rowsWith(t, db, "message: "+beside); len(rows) != 1 {
			t.Errorf("by %d: another conversation has the messages %q", limit, rows)
		}
	}
}

// groupOf makes a group of one account with a message.
func groupOf(t *testing.T, db *storetest.DB, id string) (group string) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		group, err = tx.InsertGroup(id, nil, "G")
		return err
	})
	say(t, db, store.Message{ConversationID: group, SenderID: id, Content: "x"})
	return group
}

// Each direct conversation of a deleted account stays with the other person, who has it
// with the account that stands for all deleted ones, and goes when that person is
// deleted, too. One that both have with others stays.
func TestDirectConversationsOfTheDeleted(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 1000} {
		db := storetest.Open(t)
		p := storetest.People(t, db)
		var ids []string
		pairs := [][2]store.User{{p.Ada, p.Ben}, {p.Cleo, p.Ada}, {p.Ada, p.Stranger}, {p.Ben, p.Cleo}}
		write(t, db, func(tx *store.Tx) error {
			ids = nil
			for _, pair := range pairs {
				id, _, err := tx.InsertDirect(pair[0].ID, pair[1].ID, "")
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
		for n, pair := range pairs {
			say(t, db, store.Message{ConversationID: ids[n], SenderID: pair[n%2].ID, Content: "x"})
		}
		members := func() (all []string) {
			for _, id := range ids {
				names := ""
				for _, name := range column(t, db, `SELECT u.name FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = ? ORDER BY u.name`, id) {
					names += name + " "
				}
				all = append(all, strings.TrimSpace(names))
			}
			return all
		}
		for _, tc := range []struct {
			deleted store.User
			want    []string
		}{
			{p.Ada, []string{"Ben Deleted account", "Cléo 🌿 Deleted account", "Deleted account غريب", "Ben Cléo 🌿"}},
			{p.Ben, []string{"", "Cléo 🌿 Deleted account", "Deleted account غريب", "Cléo 🌿 Deleted account"}},
		} {
			eraseAccount(t, db, tc.deleted.ID, limit)
			if rows := rowsWith(t, db, tc.deleted.ID); len(rows) > 0 {
				t.Errorf("by %d: rows of %s are left: %q", limit, tc.deleted.Name, rows)
			}
			if got := members(); !slices.Equal(got, tc.want) {
				t.Errorf("by %d: without %s the members are %q, want %q", limit, tc.deleted.Name, got, tc.want)
			}
			for n, want := range tc.want {
				if rows := rowsWith(t, db, ids[n]); (len(rows) > 0) != (want != "") {
					t.Errorf("by %d: without %s, conversation %d has the rows %q", limit, tc.deleted.Name, n, rows)
				}
			}
		}
	}
}

// The reactions of a deleted account go from each message of others, and those of others
// stay, with the marks of their messages.
func TestReactionsOfTheDeleted(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 1000} {
		db := storetest.Open(t)
		p := storetest.People(t, db)
		groups := []string{group(t, db, p.Ben, p.Ada, p.Cleo), group(t, db, p.Ben, p.Ada, p.Cleo)}
		var messages []store.Message
		for n := range 6 { // in each group: Ada and Cleo, Ada, Cleo
			m := say(t, db, store.Message{ConversationID: groups[n/3], SenderID: p.Ben.ID, Content: "x"})
			write(t, db, func(tx *store.Tx) error {
				m := m // the write is tried twice
				for k, u := range []store.User{p.Ada, p.Cleo} {
					if n%3 != 2-k {
						if _, err := tx.React(&m, store.Reaction{UserID: u.ID, Emoji: "👍"}); err != nil {
							return err
						}
					}
				}
				return nil
			})
			messages = append(messages, m)
		}
		eraseAccount(t, db, p.Ada.ID, limit)
		for n, m := range messages {
			got := column(t, db, `SELECT user_id FROM reaction WHERE conversation_id = ? AND message_at = ?`, m.ConversationID, int64(m.CreatedAt))
			marked := column(t, db, `SELECT reacted FROM message WHERE id = ?`, m.ID)[0]
			want, mark := []string{p.Cleo.ID}, "1"
			if n%3 == 1 {
				want, mark = nil, "0"
			}
			if !slices.Equal(got, want) || marked != mark {
				t.Errorf("by %d: message %d has reactions of %q and the mark %s", limit, n, got, marked)
			}
		}
	}
}

// Posts of a deleted account are deleted when it is read as such, whenever others are,
// and are one revision further; those that were deleted before stay as they were.
func TestPostsOfTheDeleted(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ben, p.Ada, p.Cleo)
	var deletedAt string
	for _, u := range []store.User{p.Ada, p.Cleo} {
		for n := range 2 {
			var post store.ContextPost
			write(t, db, func(tx *store.Tx) error {
				post = store.ContextPost{ID: fmt.Sprint(u.Name, n), ConversationID: id, AuthorID: u.ID, Kind: "note", Text: "x", ClientRequestID: fmt.Sprint(n)}
				return tx.InsertContextPost(&post, nil)
			})
			if n == 1 {
				write(t, db, func(tx *store.Tx) error { return tx.DeleteContextPost(&post) })
				deletedAt = column(t, db, `SELECT deleted_at FROM context_post WHERE id = ?`, post.ID)[0] + " " + deletedAt
			}
		}
	}
	var at []string
	for _, u := range []store.User{p.Ada, p.Cleo} {
		redacted(t, db, u.ID)
		at = append(at, column(t, db, `SELECT at FROM erasing WHERE user_id = ?`, u.ID)...)
	}
	scrubAccount(t, db, p.Cleo.ID, 1)
	scrubAccount(t, db, p.Ada.ID, 1)
	before := strings.Fields(deletedAt) // Cléo's, Ada's
	want := []string{at[0] + " 2", before[1] + " 2", at[1] + " 2", before[0] + " 2"}
	if got := column(t, db, `SELECT deleted_at || ' ' || revision FROM context_post WHERE conversation_id = ? ORDER BY created_at`, id); !slices.Equal(got, want) {
		t.Errorf("deleted at, with the revisions %q, want %q", got, want)
	}
}

// Whom a deleted account mentioned is mentioned no more, and the mentions in messages of
// others stay, also those of the same conversation.
func TestMentionsByTheDeleted(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 1000} {
		db := storetest.Open(t)
		p := storetest.People(t, db)
		id := group(t, db, p.Ben, p.Ada, p.Cleo)
		for _, u := range []store.User{p.Ben, p.Ada, p.Cleo} {
			say(t, db, store.Message{ConversationID: id, SenderID: u.ID, Content: "@b @c", Mentions: []store.Mention{{UserID: p.Ben.ID, Size: 2}, {UserID: p.Cleo.ID, Start: 3, Size: 2}}})
		}
		eraseAccount(t, db, p.Ada.ID, limit)
		got := column(t, db, `SELECT x.sender_id = ?2 FROM mention q JOIN message x ON x.conversation_id = q.conversation_id AND x.created_at = q.message_at
			WHERE q.conversation_id = ?1 ORDER BY q.message_at`, id, p.Ben.ID)
		if !slices.Equal(got, []string{"1", "1", "0", "0"}) {
			t.Errorf("by %d: mentions in messages of Ben: %q", limit, got)
		}
		if marked := column(t, db, `SELECT mentioned FROM message WHERE conversation_id = ? ORDER BY created_at`, id); !slices.Equal(marked, []string{"1", "0", "1"}) {
			t.Errorf("by %d: marks of the messages: %q", limit, marked)
		}
	}
}
