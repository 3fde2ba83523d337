package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A block says how many its account has with it, and is refused if there is one already.
func TestBlocksAreCountedAndOnlyOnce(t *testing.T) {
	t.Parallel()
	withRows(t, "ada ben cleo", nil, func(tx *store.Tx) error {
		for n, c := range []struct{ blocker, blocked string }{{"ada", "ben"}, {"ada", "cleo"}} {
			if count, err := tx.InsertBlock(c.blocker, c.blocked); count != n+1 || err != nil {
				t.Errorf("%s has %d blocks, want %d, %v", c.blocker, count, n+1, err)
			}
		}
		if count, err := tx.InsertBlock("cleo", "ada"); count != 1 || err != nil {
			t.Errorf("%d blocks of another, %v", count, err)
		}
		if _, err := tx.InsertBlock("ada", "ben"); !errors.Is(err, store.ErrTaken) {
			t.Errorf("the second block of the same account: %v", err)
		}
		return nil
	})
}

// The reactions to several messages of a conversation are counted for each of them, and
// those to other messages of it are not returned.
func TestReactionsAreOfTheMessagesAskedFor(t *testing.T) {
	t.Parallel()
	rows := []string{
		`INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'ben', 'member', 0)`,
	}
	var messages []store.Message
	for n := 1; n <= 3; n++ {
		rows = append(rows, fmt.Sprintf(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted) VALUES ('c', %[1]d, 'm%[1]d', 'ada', 'x', 1)`, n),
			fmt.Sprintf(`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', %d, 'e', 'ben', %d)`, n, 10+n))
		messages = append(messages, store.Message{ConversationID: "c", CreatedAt: store.Time(n), Reacted: true})
	}
	withRows(t, "ada ben", rows, func(tx *store.Tx) error {
		for n := 1; n <= 3; n++ {
			counts, err := tx.Reactions(human("ada"), messages[:n])
			if len(counts) != n || err != nil {
				t.Errorf("reactions to %d messages: %+v, %v", n, counts, err)
			}
			for _, c := range counts {
				if c.Count != 1 {
					t.Errorf("of %d messages: %+v", n, c)
				}
			}
		}
		return nil
	})
}

// A conversation in which a deleted account wrote and reacted is named once among
// those that changed.
func TestConversationsOfARedactionAreNamedOnce(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	first, second := group(t, db, p.Ada, p.Ben), group(t, db, p.Ada, p.Ben)
	write(t, db, func(tx *store.Tx) error {
		for _, id := range []string{first, second, first} {
			m := store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "x"}
			tx.Now = tx.Tick()
			if err := tx.Send(&m, nil); err != nil {
				return err
			}
			if _, err := tx.React(&m, store.Reaction{UserID: p.Ada.ID, Emoji: "e"}); err != nil {
				return err
			}
		}
		return nil
	})
	want := []string{min(first, second), max(first, second)}
	if out := erased(t, db, p.Ada.ID); !slices.Equal(out.Messages, want) {
		t.Errorf("changed %q, want %q", out.Messages, want)
	}
}

// A webhook is made at the moment of its write.
func TestWebhookHasTheMomentOfItsWrite(t *testing.T) {
	t.Parallel()
	withRows(t, "ada", nil, func(tx *store.Tx) error {
		w, err := tx.InsertWebhook(store.Webhook{UserID: "ada", URL: "https://hook.example", Secret: "s", Token: "t"})
		if err != nil || w.CreatedAt != tx.Now || tx.Now == 0 {
			t.Errorf("made at %d, want %d, %v", w.CreatedAt, tx.Now, err)
		}
		return nil
	})
}

// A secretary that is enabled already has been so since it was enabled first: messages
// that were sent in between are still for it.
func TestSecretaryEnabledTwice(t *testing.T) {
	withRows(t, "ada", nil, func(tx *store.Tx) error {
		first := tx.Now
		for n, enabled := range []bool{true, true, false, true} {
			tx.Now = first + store.Time(n)
			if err := tx.EnableSecretary("ada", enabled); err != nil {
				return err
			}
			want := fmt.Sprint(int64(first) + int64([]int{0, 0, 2, 3}[n]))
			if got, err := tx.TextForTest(`SELECT CAST(updated_at AS TEXT) FROM secretary`); strings.TrimSpace(got) != want || err != nil {
				t.Errorf("write %d: changed at %s, want %s, %v", n, got, want, err)
			}
		}
		return nil
	})
}
