package store_test

import (
	"fmt"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// Of a message that is deleted, up to 500 reactions go with it and the rest in parts.
// What is left is shown to nobody.
func TestReactionsToDeletedMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reactions int
		left      string   // after the deletion, with the mark of the message
		parts     []string // that is left after each part, of 200 rows at most
	}{
		{1, "0 0", nil},
		{499, "0 0", nil},
		{500, "0 1", []string{"0 0"}},
		{501, "1 1", []string{"0 0"}},
		{900, "400 1", []string{"200 1", "0 1", "0 0"}},
		{901, "401 1", []string{"201 1", "1 1", "0 0"}},
	} {
		withRows(t, "ada ben", []string{
			`INSERT INTO conversation (id, type, live_count, created_at, updated_at) VALUES ('c', 'group', 2, 0, 0)`,
			`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'ben', 'member', 0)`,
			`INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted) VALUES ('c', 50, 'm', 'ada', 'x', 1), ('c', 60, 'other', 'ada', 'x', 1)`,
			`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 60, 'e', 'ben', 0)`,
			fmt.Sprintf(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d)
				INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) SELECT 'c', 50, n, 'ben', 0 FROM n`, c.reactions),
		}, func(tx *store.Tx) error {
			by := store.Viewer{Kind: store.Human, UserID: "ben"}
			m, err := tx.Message(by, "m")
			if err != nil {
				return err
			}
			if err := tx.DeleteMessage(&m); err != nil {
				return err
			}
			checkCleared(t, tx, m, by)
			const left = `SELECT (SELECT count(*) FROM reaction WHERE message_at = 50) || ' ' || (SELECT reacted FROM message WHERE id = 'm')`
			if got, err := tx.TextForTest(left); got != c.left || err != nil {
				t.Errorf("%d reactions: %q are left, want %q, %v", c.reactions, got, c.left, err)
			}
			var parts []string
			for range 10 {
				n, err := tx.PruneReactions(200)
				if err != nil || n == 0 {
					break
				}
				got, err := tx.TextForTest(left)
				if parts = append(parts, got); n > 200 || err != nil {
					t.Errorf("%d reactions: a part has %d rows, %v", c.reactions, n, err)
				}
			}
			if !slices.Equal(parts, c.parts) {
				t.Errorf("%d reactions: parts leave %q, want %q", c.reactions, parts, c.parts)
			}
			if got, err := tx.Reactors("other"); len(got) != 1 || err != nil {
				t.Errorf("the other message has the reactions %v, %v", got, err)
			}
			return nil
		})
	}
}

// checkCleared checks that nobody is shown a reaction to a message that was deleted.
func checkCleared(t *testing.T, tx *store.Tx, m store.Message, by store.Viewer) {
	t.Helper()
	stored, err := tx.Message(by, m.ID)
	if m.Reacted || stored.Reacted || err != nil {
		t.Errorf("the deleted message has reactions: returned %v, read %v, %v", m.Reacted, stored.Reacted, err)
	}
	if got, err := tx.Reactions(by, []store.Message{m, stored}); len(got) > 0 || err != nil {
		t.Errorf("the deleted message has %d reactions, %v", len(got), err)
	}
	if got, err := tx.Reactors(m.ID); len(got) > 0 || err != nil {
		t.Errorf("the deleted message has the reactions of %d people, %v", len(got), err)
	}
}

// A file in which reactions are left of a deleted message is not damaged: it can be backed
// up and restored.
func TestReactionsLeftAreNoDamage(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p, id := crowded(t, db, 2)
	for _, n := range []int{499, 500, 600} {
		m := store.Message{ConversationID: id, SenderID: p[0].ID, Content: "x"}
		write(t, db, func(tx *store.Tx) error {
			err := tx.Send(&m, nil)
			for i := range n {
				if err == nil {
					_, err = tx.React(&m, store.Reaction{UserID: p[1].ID, Emoji: fmt.Sprint(i)})
				}
			}
			if err != nil {
				return err
			}
			return tx.DeleteMessage(&m)
		})
	}
	check := func(when string) {
		t.Helper()
		if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
			t.Errorf("%s: %q, %v", when, broken, err)
		}
	}
	check("after the deletion")
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.PruneReactions(50)
		return err
	})
	check("with a part of the rest deleted")
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.PruneReactions(1000)
		return err
	})
	check("with all deleted")
}

// Reactions that are left of a deleted message go when the account of its sender is
// deleted.
func TestReactionsLeftOfTheDeleted(t *testing.T) {
	withRows(t, "ada ben", []string{
		`INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted, deleted_at) VALUES ('c', 50, 'm', 'ada', '', 1, 60)`,
		`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 50, '1', 'ben', 0), ('c', 50, '2', 'ben', 0)`,
		`INSERT INTO erasing VALUES ('ada', 70, 'redacted')`,
	}, func(tx *store.Tx) error {
		for range 10 {
			if more, err := tx.Scrub("ada", 2); err != nil || !more {
				return err
			}
		}
		if got, err := tx.TextForTest(`SELECT count(*) || ' ' || (SELECT reacted FROM message) FROM reaction`); got != "0 0" || err != nil {
			t.Errorf("%s are left, %v", got, err)
		}
		return nil
	})
}
