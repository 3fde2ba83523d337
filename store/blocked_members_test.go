package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// The members of a conversation whose events differ are those with a block between them
// and another member, or between the owners of those that are bots; blocks of and by
// others, and members of another conversation, make no difference.
func TestBlockedMembers(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		for _, name := range []string{"ada", "ben", "dan", "eve", "fay", "gus", "bot of dan", "bot of eve", "bot of fay"} {
			u := store.User{ID: name, Name: name, Email: name, SignupProvider: "test"}
			if u.BotOwnerID, u.IsBot = strings.CutPrefix(name, "bot of "); !u.IsBot {
				u.BotOwnerID = ""
			}
			if _, err := tx.InsertUser(u); err != nil {
				return err
			}
		}
		for place, members := range map[string]string{"here": `["ada", "ben", "bot of dan", "bot of eve"]`, "there": `["ada", "ben", "fay", "gus", "bot of fay"]`} {
			if _, err := tx.ExecForTest(`INSERT INTO member (conversation_id, user_id, role, joined_at) SELECT ?1, value, 'member', 0 FROM json_each(?2)`, place, members); err != nil {
				return err
			}
		}
		for _, c := range []struct{ blocker, blocked, want string }{
			{"ada", "ben", "ada ben"}, {"ben", "ada", "ada ben"},
			{"ada", "dan", "ada bot of dan"}, {"dan", "ada", "ada bot of dan"},
			{"eve", "dan", "bot of dan bot of eve"}, {"bot of eve", "ada", "ada bot of eve"},
			{"ada", "fay", ""}, {"gus", "ben", ""}, {"ada", "bot of fay", ""}, {"dan", "fay", ""},
		} {
			if _, err := tx.InsertBlock(c.blocker, c.blocked); err != nil {
				return err
			}
			got, err := tx.BlockedMembers("here")
			slices.Sort(got)
			if text := strings.Join(got, " "); text != c.want || err != nil {
				t.Errorf("%s blocks %s: %q, want %q, %v", c.blocker, c.blocked, text, c.want, err)
			}
			if err := tx.DeleteBlock(c.blocker, c.blocked); err != nil {
				return err
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}
