package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"hearth/store"
	"hearth/store/storetest"
)

// asked is what differs from a question: a message of 20 from a person to the owner of
// a secretary that is enabled since 10, alone in a direct conversation. All ids begin
// with the number of the case, ?1.
var asked = []struct {
	name, change string
	question     bool
}{
	{"as it is", ``, true},
	{"enabled just before", `UPDATE secretary SET updated_at = 19 WHERE user_id = ?1 || 'owner'`, true},
	{"enabled at the moment", `UPDATE secretary SET updated_at = 20 WHERE user_id = ?1 || 'owner'`, false},
	{"enabled afterwards", `UPDATE secretary SET updated_at = 21 WHERE user_id = ?1 || 'owner'`, false},
	{"disabled", `UPDATE secretary SET enabled = 0 WHERE user_id = ?1 || 'owner'`, false},
	{"of another", `UPDATE secretary SET user_id = ?1 || 'other' WHERE user_id = ?1 || 'owner'`, false},
	{"the sender has one, too", `INSERT INTO secretary VALUES (?1 || 'sender', 1, 10)`, true},
	{"the sender alone has one", `UPDATE secretary SET user_id = ?1 || 'sender' WHERE user_id = ?1 || 'owner'`, false},
	{"in a group", `UPDATE conversation SET type = 'group', direct_key = NULL WHERE id = ?1 || 'place'`, false},
	{"hidden by a block", `UPDATE member SET hidden = 1 WHERE conversation_id = ?1 || 'place'`, false},
	{"in another conversation", `UPDATE member SET conversation_id = ?1 || 'other' WHERE conversation_id = ?1 || 'place'`, false},
	{"the owner is suspended", `UPDATE user SET suspended_at = 1 WHERE id = ?1 || 'owner'`, false},
	{"the sender is suspended", `UPDATE user SET suspended_at = 1 WHERE id = ?1 || 'sender'`, false},
	{"of a bot", `UPDATE user SET is_bot = 1 WHERE id = ?1 || 'sender'`, false},
	{"of the server", `UPDATE user SET is_system = 1 WHERE id = ?1 || 'sender'`, false},
	{"of a secretary", `UPDATE message SET via_secretary = 1 WHERE id = ?1`, false},
	{"of an agent", `UPDATE message SET agent_id = 'k' WHERE id = ?1`, false},
	{"deleted", `UPDATE message SET deleted_at = 30, content = '' WHERE id = ?1`, false},
	{"without a text", `UPDATE message SET content = '' WHERE id = ?1`, false},
	{"a card", `UPDATE message SET message_type = 'card', card_kind = 'x' WHERE id = ?1`, false},
	{"the last", ``, true},
}

// Secretaries may answer the messages that persons wrote to their owners, as long as
// nothing differs from that, whether the messages are read from the log or by their id.
func TestSecretaryQuestions(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		insertAsked(t, tx)
		n := int64(len(asked))
		for _, window := range [][2]int64{{0, 2 * n}, {0, n}, {1, n}, {0, 1}, {1, 2}, {n - 1, 2 * n}, {n, 2 * n}} {
			var want []string
			for i, c := range asked {
				if id := int64(i + 1); c.question && id > window[0] && id <= window[1] {
					want = append(want, fmt.Sprintf("text %d for %downer", id, id))
				}
			}
			found, err := tx.SecretaryQuestions(window[0], window[1])
			got, err := texts(found, err, questionText)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("events %v: %q, want %q, %v", window, got, want, err)
			}
		}
		for i, c := range asked {
			id := strconv.Itoa(i + 1)
			q, err := tx.SecretaryQuestion(id)
			if got := questionText(q); c.question && (err != nil || got != "text "+id+" for "+id+"owner") || !c.question &&
				!errors.Is(err, store.ErrNoRow) {
				t.Errorf("%s: %q, %v", c.name, got, err)
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

func questionText(q store.SecretaryQuestion) string { return q.Type + " " + q.ID + " for " + q.OwnerID }

// insertAsked inserts the messages of asked, with an event that each was sent, of the
// same number, and later ones that it was edited.
func insertAsked(t *testing.T, tx *store.Tx) {
	statements := strings.Split(`PRAGMA defer_foreign_keys = ON;
		INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at)
		SELECT ?1 || value, ?1 || value, ?1 || value, '', '', '', 0, 0 FROM json_each('["owner", "sender"]');
		INSERT INTO secretary VALUES (?1 || 'owner', 1, 10);
		INSERT INTO conversation (id, type, direct_key, created_at, updated_at) VALUES (?1 || 'place', 'direct', ?1, 0, 0);
		INSERT INTO member (conversation_id, user_id, role, joined_at) SELECT ?1 || 'place', ?1 || value, 'member', 0
		FROM json_each('["owner", "sender"]');
		INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES (?1 || 'place', 20, ?1, ?1 || 'sender', 'hello');
		INSERT INTO event (id, topic, kind, object_id, at) VALUES (?1, ?1 || 'place', 'message.created', ?1, 20);
		INSERT INTO event (id, topic, kind, object_id, at) VALUES (?1 + `+strconv.Itoa(len(asked))+`, ?1 || 'place',
		'message.updated', ?1, 20)`, ";")
	for i, c := range asked {
		for _, s := range append(statements, c.change) {
			var args []any
			if strings.Contains(s, "?1") {
				args = []any{strconv.Itoa(i + 1)}
			}
			if s == "" {
				continue
			}
			if _, err := tx.ExecForTest(s, args...); err != nil {
				t.Fatalf("%s: %s: %v", c.name, s, err)
			}
		}
	}
}

// The server has a secretary if one is enabled.
func TestAnySecretary(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		for _, c := range []struct {
			of      store.User
			enabled bool
			any     bool
		}{{p.Ada, false, false}, {p.Ben, true, true}, {p.Ada, true, true}, {p.Ben, false, true}, {p.Ada, false, false}} {
			if err := tx.EnableSecretary(c.of.ID, c.enabled); err != nil {
				return err
			}
			if has, err := tx.AnySecretary(); has != c.any || err != nil {
				t.Errorf("%s: %v: %v, %v", c.of.Name, c.enabled, has, err)
			}
		}
		return nil
	})
}

// The id of a reply is the same each time, differs from that of the reply to any other
// message of that moment, and is a UUID of its time.
func TestReplyID(t *testing.T) {
	at := store.Time(1_700_000_000_123_456)
	seen := map[string]bool{}
	for i := range 200 {
		message := strconv.Itoa(i)
		id := store.ReplyID(message, at)
		for range 3 {
			if again := store.ReplyID(message, at); again != id {
				t.Fatalf("%s, and then %s", id, again)
			}
		}
		u, err := uuid.Parse(id)
		if err != nil || u.Variant() != uuid.RFC4122 || u.Version() != 7 || id[:18] != store.NewTimeID(at)[:18] || seen[id] {
			t.Fatalf("%s: %v, version %v, %v", id, u.Variant(), u.Version(), err)
		}
		seen[id] = true
	}
}
