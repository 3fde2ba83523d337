package store_test

import (
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

// A conversation without members is deleted with all of its messages and what they have
// outside it, also messages of people who left it.
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

// Each direct conversation of a deleted account stays with the other person, and then
// is with the account that stands for all deleted accounts. It goes when the other
// person is deleted, too. One that both have with others stays.
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
			for _, name := range column(t, db,
				`SELECT u.name FROM member m JOIN user u ON u.id = m.user_id WHERE m.conversation_id = ? ORDER BY u.name`, id) {
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
