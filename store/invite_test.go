package store_test

import (
	"errors"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A link to join a group is valid unless one thing of many is in the way, whatever
// else is so.
func TestWhatEndsALink(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	for name, tc := range map[string]struct {
		change string // of Ada's link to the group ?1, of Ada ?2, of Ben ?3, who has the link, at the time ?4
		valid  bool
	}{
		"nothing":                {`SELECT ?1, ?2, ?3, ?4`, true},
		"the last use":           {`UPDATE invite SET uses_left = 1 WHERE conversation_id = ?1`, true},
		"no use":                 {`UPDATE invite SET uses_left = 0 WHERE conversation_id = ?1`, false},
		"the last moment":        {`UPDATE invite SET expires_at = ?4 + 1 WHERE conversation_id = ?1`, true},
		"the end":                {`UPDATE invite SET expires_at = ?4 WHERE conversation_id = ?1`, false},
		"its maker is suspended": {`UPDATE user SET suspended_at = 1 WHERE id = ?2`, false},
		"the owner of its maker is suspended": {`UPDATE user SET is_bot = (id = ?2), suspended_at = iif(id IN (?2, ?3), NULL, 1),
			bot_owner_id = iif(id = ?2, (SELECT id FROM user WHERE id NOT IN (?2, ?3) LIMIT 1), NULL)`, false},
		"who has it is suspended":          {`UPDATE user SET suspended_at = 1 WHERE id = ?3`, true},
		"its maker is no owner":            {`UPDATE member SET role = 'member' WHERE conversation_id = ?1 AND user_id = ?2`, false},
		"its maker has left":               {`DELETE FROM member WHERE conversation_id = ?1 AND user_id = ?2`, false},
		"who has it was removed":           {`INSERT INTO former_member VALUES (?1, ?3, 1, 0)`, false},
		"who has it has left":              {`INSERT INTO former_member VALUES (?1, ?3, 0, 0)`, true},
		"its maker was removed once":       {`INSERT INTO former_member VALUES (?1, ?2, 1, 0)`, true},
		"who has it was removed elsewhere": {`INSERT INTO former_member SELECT id, ?3, 1, ?1 IS NULL FROM conversation WHERE id <> ?1`, true},
		"a block by its maker":             {`INSERT INTO block VALUES (?2, ?3, ?1 IS NULL)`, false},
		"a block by who has it":            {`INSERT INTO block VALUES (?3, ?2, ?1 IS NULL)`, false},
		"its maker has other blocks":       {`INSERT INTO block SELECT ?2, id, ?1 IS NULL FROM user WHERE id NOT IN (?2, ?3)`, true},
		"no use of another link": {`INSERT INTO invite (id, token_hash, conversation_id, created_by, uses_left,
			created_at, expires_at) VALUES ('o', 'o', ?1, ?2, 0, 0, 0)`, true},
		"another owner, and its maker is none": {`UPDATE member SET role = iif(user_id = ?2, 'member', 'owner') WHERE conversation_id = ?1`,
			false},
	} {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			group, err := tx.InsertGroup(p.Ada.ID, []string{p.Cleo.ID}, "")
			if err != nil {
				return err
			}
			if _, err := tx.InsertGroup(p.Ada.ID, []string{p.Cleo.ID}, ""); err != nil { // ada stays its owner
				return err
			}
			if _, err := tx.InsertInvite(store.Invite{TokenHash: "x", ConversationID: group, CreatedBy: p.Ada.ID, UsesLeft: 2,
				ExpiresAt: tx.Now + 1000}); err != nil {
				return err
			}
			if _, err := tx.ExecForTest(numbered(tc.change), group, p.Ada.ID, p.Ben.ID, int64(tx.Reader.Now())); err != nil {
				return err
			}
			i, err := tx.Invite(storetest.Human(p.Ben), "x")
			if valid := err == nil && i.ConversationID == group; valid != tc.valid || err != nil && !errors.Is(err, store.ErrNoRow) {
				t.Errorf("%s: valid %v, %v", name, valid, err)
			}
			if _, err := tx.Invite(storetest.Human(p.Ben), "y"); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("%s: another token is valid too, %v", name, err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// numbered has a statement take the parameters ?1 to ?4.
func numbered(query string) string { return `WITH given AS (SELECT ?1, ?2, ?3, ?4) ` + query }
