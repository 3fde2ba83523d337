package store_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// unreadCases are conversations of a reader, by what they are. They have a message at
// second 1, 2 and so on, each as its sender and the members it mentions. The reader has
// read up to a second, 0 for never, and seen some of the messages.
var unreadCases = map[string]struct {
	messages  []string
	read      int
	seen      int
	mentioned bool
}{
	"never read":                            {[]string{"other reader"}, 0, 0, true},
	"not mentioned":                         {[]string{"other"}, 0, 0, false},
	"another is mentioned":                  {[]string{"other friend", "other"}, 0, 0, false},
	"mentioned before":                      {[]string{"other reader", "other", "other"}, 2, 2, false},
	"mentioned in the last that is read":    {[]string{"other", "other reader", "other"}, 2, 2, false},
	"mentioned in the first that is unread": {[]string{"other", "other", "other reader", "other"}, 2, 2, true},
	"mentioned by themselves":               {[]string{"other", "reader reader"}, 0, 0, false},
	"beside a mention by themselves":        {[]string{"reader reader", "other reader"}, 0, 0, true},
	"nothing is unread":                     {[]string{"other reader"}, 0, 1, false},
	"empty":                                 {nil, 0, 0, false},
	unasked:                                 {[]string{"other reader"}, 0, 0, true},
}

// unasked is a conversation that is not asked for by its id.
const unasked = "not asked for"

// Every query of conversations tells of the same ones how many messages their reader has
// not read, and whether one of those, of another account,
// mentions them: of those conversations alone that are asked for and visible to them.
func TestUnreadMentions(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	by := store.Viewer{Kind: store.Human, UserID: "reader"}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		insertUnread(t, tx)
		names := slices.Sorted(maps.Keys(unreadCases))
		asked := []string{"hidden", "of others", "of nobody"}
		var all, want []string
		for _, name := range names {
			c := unreadCases[name]
			text := fmt.Sprint(name, ": ", len(c.messages)-c.seen, " ", c.mentioned, " ", c.read)
			if all = append(all, text); name != unasked {
				asked, want = append(asked, name), append(want, text)
			}
		}
		same := func(query string, got, want []string, err error) {
			t.Helper()
			slices.Sort(got)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v\n%s\nwant\n%s", query, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		conversation := func(c store.Conversation) string {
			return fmt.Sprint(c.ID, ": ", c.Unread, " ", c.Mentioned, " ", int64(c.LastReadAt))
		}
		found, err := tx.Conversations(by, 0, 100)
		got, err := texts(found, err, conversation)
		same("Conversations", got, all, err)
		found, err = tx.ConversationsByID(by, asked...)
		got, err = texts(found, err, conversation)
		same("ConversationsByID", got, want, err)
		for i, name := range names {
			c, err := tx.Conversation(by, name)
			same("Conversation", []string{conversation(c)}, all[i:i+1], err)
			st, err := tx.ReadState(by, name)
			text := fmt.Sprint(st.ConversationID, ": ", st.Unread, " ", st.Mentioned, " ", int64(st.LastReadAt))
			same("ReadState", []string{text}, all[i:i+1], err)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// insertUnread inserts the conversations of unreadCases, and some that the reader does
// not see. Messages of different conversations have the same times.
func insertUnread(t *testing.T, tx *store.Tx) {
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := tx.ExecForTest(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(`PRAGMA defer_foreign_keys = ON`)
	join := func(id, user string, hidden bool, read, seen int) {
		exec(`INSERT INTO member (conversation_id, user_id, role, joined_at, last_read_at, seen_count, hidden)
			VALUES (?1, ?2, 'member', 0, nullif(?3, 0), ?4, ?5)`, id, user, read, seen, hidden)
	}
	add := func(id string, messages []string) {
		exec(`INSERT INTO conversation (id, type, live_count, last_message_at, created_at, updated_at)
			VALUES (?1, 'group', ?2, nullif(?2, 0), 0, 0)`, id, len(messages))
		join(id, "friend", false, 0, 0)
		for i, m := range messages {
			sender, mentioned, ok := strings.Cut(m, " ")
			exec(`INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES (?1, ?2, ?1 || ?2, ?3, '')`, id, i+1, sender)
			if ok {
				exec(`INSERT INTO mention (conversation_id, message_at, start, user_id, size) VALUES (?1, ?2, 0, ?3, 2)`, id, i+1, mentioned)
			}
		}
	}
	for name, c := range unreadCases {
		add(name, c.messages)
		join(name, "reader", false, c.read, c.seen)
	}
	for _, name := range []string{"hidden", "of others"} {
		add(name, []string{"other reader"})
	}
	join("hidden", "reader", true, 0, 0)
}
