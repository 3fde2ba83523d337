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
// what they have outside it, also those of people who left it.
func TestConversationOfNobodyGoes(t *testing.T) {
	t.Parallel()
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
	erased(t, db, x)
	for _, text := range []string{group, "captured", "attachment: "} {
		rows := slices.DeleteFunc(rowsWith(t, db, text), func(row string) bool { return strings.HasPrefix(row, "delivery: ") }) // they wait
		if len(rows) > 0 {
			t.Errorf("rows are left: %q", rows)
		}
	}
	if rows := rowsWith(t, db, "message: "+beside); len(rows) != 1 {
		t.Errorf("another conversation has the messages %q", rows)
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
		erased(t, db, tc.deleted.ID)
		if rows := rowsWith(t, db, tc.deleted.ID); len(rows) > 0 {
			t.Errorf("rows of %s are left: %q", tc.deleted.Name, rows)
		}
		if got := members(); !slices.Equal(got, tc.want) {
			t.Errorf("without %s the members are %q, want %q", tc.deleted.Name, got, tc.want)
		}
		for n, want := range tc.want {
			if rows := rowsWith(t, db, ids[n]); (len(rows) > 0) != (want != "") {
				t.Errorf("without %s, conversation %d has the rows %q", tc.deleted.Name, n, rows)
			}
		}
	}
}

// The reactions of a deleted account go from each message of others, and those of others
// stay, with the marks of their messages.
func TestReactionsOfTheDeleted(t *testing.T) {
	t.Parallel()
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
	erased(t, db, p.Ada.ID)
	for n, m := range messages {
		got := column(t, db, `SELECT user_id FROM reaction WHERE conversation_id = ? AND message_at = ?`, m.ConversationID, int64(m.CreatedAt))
		marked := column(t, db, `SELECT reacted FROM message WHERE id = ?`, m.ID)[0]
		want, mark := []string{p.Cleo.ID}, "1"
		if n%3 == 1 {
			want, mark = nil, "0"
		}
		if !slices.Equal(got, want) || marked != mark {
			t.Errorf("message %d has reactions of %q and the mark %s", n, got, marked)
		}
	}
}

// Whom a deleted account mentioned is mentioned no more, and the mentions in messages of
// others stay, also those of the same conversation.
func TestMentionsByTheDeleted(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ben, p.Ada, p.Cleo)
	for _, u := range []store.User{p.Ben, p.Ada, p.Cleo} {
		say(t, db, store.Message{ConversationID: id, SenderID: u.ID, Content: "@b @c", Mentions: []store.Mention{{UserID: p.Ben.ID, Size: 2}, {UserID: p.Cleo.ID, Start: 3, Size: 2}}})
	}
	erased(t, db, p.Ada.ID)
	got := column(t, db, `SELECT x.sender_id = ?2 FROM mention q JOIN message x ON x.conversation_id = q.conversation_id AND x.created_at = q.message_at
		WHERE q.conversation_id = ?1 ORDER BY q.message_at`, id, p.Ben.ID)
	if !slices.Equal(got, []string{"1", "1", "0", "0"}) {
		t.Errorf("mentions in messages of Ben: %q", got)
	}
	if marked := column(t, db, `SELECT mentioned FROM message WHERE conversation_id = ? ORDER BY created_at`, id); !slices.Equal(marked, []string{"1", "0", "1"}) {
		t.Errorf("marks of the messages: %q", marked)
	}
}

const groupOfAda = `INSERT INTO conversation (id, type, created_at, updated_at, member_count) VALUES ('c', 'group', 0, 0, 5)`

// The group of an owner who is deleted belongs to the person who joined first, rather than
// to one who joined before but is suspended, or to a bot.
func TestWhoOwnsAGroupAfterItsOwnerIsDeleted(t *testing.T) {
	t.Parallel()
	rows := []string{groupOfAda,
		`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0)`,
		`UPDATE user SET is_bot = 1 WHERE id = 'bot'`, `UPDATE user SET suspended_at = 1 WHERE id = 'off'`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'bot', 'member', 1), ('c', 'late', 'member', 9), ('c', 'off', 'member', 2), ('c', 'zoe', 'member', 3)`}
	withRows(t, "ada bot late off zoe", rows, func(tx *store.Tx) error {
		for _, leaves := range []struct{ id, then string }{{"ada", "zoe"}, {"zoe", "late"}, {"late", "off"}, {"off", "bot"}} {
			if _, err := tx.EraseUser(leaves.id); err != nil {
				return err
			}
			if got, err := tx.TextForTest(`SELECT group_concat(user_id) FROM member WHERE conversation_id = 'c' AND role = 'owner'`); got != leaves.then || err != nil {
				t.Errorf("after %s the group belongs to %q, want %q, %v", leaves.id, got, leaves.then, err)
			}
		}
		return nil
	})
}

// With the messages of an account that is deleted its files are deleted, which no message
// has any more, and the entry of the Stream that was made of a message.
func TestWhatGoesWithTheMessagesOfAnAccount(t *testing.T) {
	rows := []string{groupOfAda,
		`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ben', 'owner', 0)`,
		`INSERT INTO message (conversation_id, created_at, id, sender_id, content, attachments, reacted) VALUES ('c', 10, 'm', 'ada', '', '[{"id":"f"}]', 1)`,
		`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 10, 'e', 'ben', 11)`,
		`INSERT INTO blob (id, hash, size, created_at) VALUES (1, 'h', 1, 0)`,
		`INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, uses, created_at) VALUES ('f', 'ada', 1, 'n', 'text/plain', 1, 1, 0)`,
		`INSERT INTO message_attachment VALUES ('f', 'c', 10)`,
		`INSERT INTO thought (id, user_id, text, kind, status, source_message_id, source_conversation_id, captured, created_at, updated_at) VALUES ('t', 'ada', 'x', 'fact', 'none', 'm', 'c', 1, 10, 10)`}
	withRows(t, "ada ben", rows, func(tx *store.Tx) error {
		if _, err := tx.EraseUser("ada"); err != nil {
			return err
		}
		for _, table := range []string{"attachment", "message_attachment", "reaction", "thought", "blob WHERE hash IS NOT NULL"} {
			if left, err := tx.TextForTest(`SELECT CAST(count(*) AS TEXT) FROM ` + table); left != "0" || err != nil {
				t.Errorf("%s: %s rows are left, %v", table, left, err)
			}
		}
		return nil
	})
}

// The revision of a post changes when its author is deleted, unless it was deleted before.
func TestRevisionOfPostsOfADeletedAccount(t *testing.T) {
	rows := []string{groupOfAda,
		`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ben', 'owner', 0)`,
		`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at, deleted_at)
			VALUES ('c', 1, 'p1', 'ada', 'note', 'x', 'r1', 1, NULL), ('c', 2, 'p2', 'ada', 'note', '', 'r2', 2, 2)`}
	withRows(t, "ada ben", rows, func(tx *store.Tx) error {
		if _, err := tx.EraseUser("ada"); err != nil {
			return err
		}
		if got, err := tx.TextForTest(`SELECT group_concat(id || ' ' || revision || ' ' || deleted_at, ', ' ORDER BY id) FROM context_post`); got != fmt.Sprintf("p1 2 %d, p2 1 2", int64(tx.Now)) || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		return nil
	})
}
