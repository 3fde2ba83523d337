package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// A block between two people hides their direct conversation, and the conversations
// between them and their bots. Conversations with anybody else stay. A hidden
// conversation does not change.
func TestWhatABlockHides(t *testing.T) {
	pairs := []string{"ada:ben", "ada:bens", "adas:ben", "adas:bens", "ada:cleo", "ben:cleo", "adas:cleo", "bens:cleo", "ada:ada", "ben:ben",
		"ada:adas"}
	rows := []string{`UPDATE user SET is_bot = 1, bot_owner_id = iif(id = 'adas', 'ada', 'ben') WHERE id IN ('adas', 'bens')`}
	for _, pair := range pairs {
		a, b, _ := strings.Cut(pair, ":")
		rows = append(rows, fmt.Sprintf(`INSERT INTO conversation (id, type, direct_key, created_at, updated_at)
			VALUES ('%s', 'direct', '%s:%s', 0, 0)`, pair, min(a, b), max(a, b)),
			fmt.Sprintf(`INSERT OR IGNORE INTO member (conversation_id, user_id, role, joined_at)
				VALUES ('%[1]s', '%[2]s', 'owner', 0), ('%[1]s', '%[3]s', 'member', 0)`, pair, a, b))
	}
	withRows(t, "ada ben cleo adas bens", rows, func(tx *store.Tx) error {
		hide := func(a, b, want string, hidden bool) {
			t.Helper()
			changed, err := tx.HideDirects(a, b)
			got := strings.Fields(inOrder(changed, err, func(d store.Direct) string {
				if d.Hidden != hidden || !slices.Contains([]string{d.UserID + ":" + d.OtherID, d.OtherID + ":" + d.UserID}, d.ID) {
					t.Errorf("%+v", d)
				}
				return d.ID
			}))
			slices.Sort(got)
			if strings.Join(got, " ") != want {
				t.Errorf("the block of %s and %s changes %q, want %q", a, b, got, want)
			}
		}
		hide("ada", "ben", "", false)
		if err := execAll(tx, `INSERT INTO block VALUES ('ben', 'ada', 0)`); err != nil {
			return err
		}
		hide("ada", "cleo", "", true)
		hide("cleo", "ben", "", true)
		hide("ada", "ben", "ada:ben ada:bens adas:ben adas:bens", true)
		hide("ben", "ada", "", true)
		for _, pair := range pairs {
			a, b, _ := strings.Cut(pair, ":")
			for _, id := range []string{a, b, "stranger"} {
				want := id != "stranger" && slices.Contains([]string{"ada:ben", "ada:bens", "adas:ben", "adas:bens"}, pair)
				if hidden, err := tx.IsHidden(human(id), pair); err != nil || hidden != want {
					t.Errorf("%s is hidden from %s: %v, want %v, %v", pair, id, hidden, want, err)
				}
			}
		}
		if err := execAll(tx, `DELETE FROM block`); err != nil {
			return err
		}
		hide("ben", "ada", "ada:ben ada:bens adas:ben adas:bens", false)
		// Nor is it a block of the two that one of them blocks a third, or is blocked by them.
		if err := execAll(tx, `INSERT INTO block VALUES ('ada', 'stranger', 0), ('stranger', 'ben', 0)`); err != nil {
			return err
		}
		for _, pair := range []string{"ada:ben", "ada:cleo", "ben:cleo"} {
			a, b, _ := strings.Cut(pair, ":")
			hide(a, b, "", true)
			hide(b, a, "", true)
		}
		return nil
	})
}

// Two accounts are together if both are in one conversation that is not hidden. A member
// has a block there if the other account of the block is a member, too.
func TestMembersWithABlock(t *testing.T) {
	withRows(t, "ada ben cleo dora", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at, hidden) VALUES
			('group', 'ada', 'owner', 0, 0), ('group', 'ben', 'member', 1, 0), ('group', 'emil', 'member', 2, 0),
			('other', 'cleo', 'owner', 0, 0), ('other', 'dora', 'member', 1, 0), ('other', 'ada', 'member', 2, 0),
			('direct', 'ben', 'owner', 0, 1), ('direct', 'cleo', 'member', 0, 1),
			('none', 'emil', 'owner', 0, 0)`,
		`INSERT INTO block VALUES ('ben', 'ada', 0), ('ben', 'dora', 0), ('dora', 'emil', 0), ('zoe', 'ben', 0), ('cleo', 'ben', 0)`,
	}, func(tx *store.Tx) error {
		for conversation, want := range map[string]string{"group": "ada ben", "other": "", "direct": "ben cleo", "none": ""} {
			ids, err := tx.BlockedMembers(conversation)
			slices.Sort(ids)
			if got := strings.Join(ids, " "); err != nil || got != want {
				t.Errorf("%s: %q have a block, want %q, %v", conversation, got, want, err)
			}
		}
		for pair, want := range map[string]bool{"ada ben": true, "ben ada": true, "ada dora": true, "ben cleo": false, "cleo ben": false,
			"ben dora": false, "ada zoe": false, "zoe ada": false, "emil ben": true, "emil dora": false} {
			a, b, _ := strings.Cut(pair, " ")
			if ok, err := tx.AreTogether(a, b); err != nil || ok != want {
				t.Errorf("%s are together: %v, %v", pair, ok, err)
			}
		}
		return nil
	})
}
