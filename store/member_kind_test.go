package store_test

import (
	"errors"
	"testing"

	"hearth/store"
)

// The membership of an account in a conversation is the one in that conversation: its
// role in another does not count, nor that it is a member of another.
func TestMemberOfOneConversation(t *testing.T) {
	withRows(t, "ada ben cleo", []string{
		`INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', 0, 0), ('d', 'group', 0, 0), ('e', 'group', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('d', 'ada', 'member', 0), ('e', 'ada', 'owner', 0),
			('d', 'ben', 'owner', 0), ('c', 'cleo', 'member', 0)`,
	}, func(tx *store.Tx) error {
		for _, c := range []struct{ by, conversation, of, role string }{
			{"ada", "c", "ada", "owner"},
			{"ada", "d", "ada", "member"},
			{"ben", "d", "ada", "member"},
			{"ada", "e", "ada", "owner"},
			{"ada", "c", "ben", ""},
			{"ada", "d", "cleo", ""},
			{"ben", "c", "ada", ""}, // which Ben may not see
		} {
			m, err := tx.Member(human(c.by), c.conversation, c.of)
			if c.role == "" {
				if !errors.Is(err, store.ErrNoRow) {
					t.Errorf("%+v: %+v, %v", c, m, err)
				}
			} else if err != nil || m.ConversationID != c.conversation || m.UserID != c.of || m.Role != c.role {
				t.Errorf("%+v: %+v, %v", c, m, err)
			}
		}
		return nil
	})
}

// The limit of keys of a kind counts the keys of that kind, of an account and its bots.
func TestLiveKeysOfAKind(t *testing.T) {
	withRows(t, "ada ben bot", []string{
		`UPDATE user SET is_bot = 1, bot_owner_id = 'ada' WHERE id = 'bot'`,
		`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at) VALUES
			('1', 'ada', 'agent', '', '', '1', 1, 1, 0), ('2', 'bot', 'agent', '', '', '2', 1, 1, 0), ('3', 'ada', 'list', '', '', '3', 1, 1, 0), ('4', 'ben', 'list', '', '', '4', 1, 1, 0)`,
	}, func(tx *store.Tx) error {
		for of, want := range map[[2]string]int{{"ada", "agent"}: 2, {"ada", "list"}: 1, {"ben", "agent"}: 0, {"ben", "list"}: 1} {
			if n, err := tx.LiveKeys(of[0], of[1]); n != want || err != nil {
				t.Errorf("%v: %d, want %d, %v", of, n, want, err)
			}
		}
		return nil
	})
}

// A direct conversation that a block hides is shown again once the other account is read
// as deleted, for the block ends with it. One that another block hides stays hidden.
func TestBlockEndsWithADeletedAccount(t *testing.T) {
	withRows(t, "ada ben cleo", []string{
		`INSERT INTO conversation (id, type, direct_key, created_at, updated_at, member_count) VALUES ('ab', 'direct', 'ada:ben', 0, 0, 2), ('bc', 'direct', 'ben:cleo', 0, 0, 2)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at, hidden) VALUES ('ab', 'ada', 'owner', 0, 1), ('ab', 'ben', 'member', 0, 1), ('bc', 'ben', 'owner', 0, 1), ('bc', 'cleo', 'member', 0, 1)`,
		`INSERT INTO block VALUES ('ben', 'ada', 0), ('ben', 'cleo', 0)`,
	}, func(tx *store.Tx) error {
		if _, err := tx.EraseUser("ada"); err != nil {
			return err
		}
		for id, want := range map[string]bool{"ab": false, "bc": true} {
			if hidden, err := tx.IsHidden(human("ben"), id); hidden != want || err != nil {
				t.Errorf("%s is hidden: %v, want %v, %v", id, hidden, want, err)
			}
		}
		return nil
	})
}
