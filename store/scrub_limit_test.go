package store_test

import (
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// threeTimes has each of the numbers 1 to 3 as value.
const threeTimes = ` FROM json_each('[1, 2, 3]')`

// A step of the deletion of an account deletes or changes as many rows as it is given,
// and not one more.
func TestScrubUpToALimit(t *testing.T) {
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	for name, c := range map[string]struct{ insert, left string }{
		"people that it found":      {`INSERT INTO found_person SELECT 'ada', value` + threeTimes, `found_person`},
		"people who found it":       {`INSERT INTO found_person SELECT value, 'ada'` + threeTimes, `found_person`},
		"thoughts":                  {`INSERT INTO thought (id, user_id, text, kind, status, created_at, updated_at) SELECT value, 'ada', 'x', 'fact', 'none', 0, 0` + threeTimes, `thought`},
		"drafts":                    {`INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, state, created_at, updated_at) SELECT value, 'ada', '', '[]', '[]', 'fulfillment', 0, 'pending', 0, 0` + threeTimes, `intent_draft`},
		"webhooks":                  {`INSERT INTO webhook (id, user_id, url, secret, token, created_at) SELECT value, 'ada', '', '', '', 0` + threeTimes, `webhook`},
		"what it did":               {`INSERT INTO audit (at, actor_id, action) SELECT value, 'ada', 'x'` + threeTimes, `audit WHERE actor_id = 'ada'`},
		"what was done to it":       {`INSERT INTO audit (at, action, target_id) SELECT value, 'x', 'ada'` + threeTimes, `audit WHERE target_id = 'ada'`},
		"quotas":                    {`INSERT INTO quota (name, since, used, ends) SELECT 'of ada ' || value, 0, 1, 1 << 60` + threeTimes, `quota`},
		"reactions":                 {`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) SELECT 'c', value, 'e', 'ada', 0` + threeTimes, `reaction`},
		"stars":                     {`INSERT INTO item (id, list_id, rank, content, created_at, updated_at, star_count) SELECT value, 'l', value, 'x', 0, 0, 1` + threeTimes + `; INSERT INTO item_star SELECT value, 'ada', 0` + threeTimes, `item_star`},
		"lists":                     {`INSERT INTO list (id, owner_id, title, visibility, slug, created_at, updated_at) SELECT value, 'ada', 'x', 'private', '', 0, 0` + threeTimes, `list`},
		"deliveries":                {`INSERT INTO webhook (id, user_id, url, secret, token, created_at) VALUES ('w', 'ada', '', '', '', 0); INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) SELECT 'w', value, 'c', value, 0` + threeTimes, `delivery`},
		"files of reports":          {`INSERT INTO blob (id, size, created_at) SELECT value, 0, 0` + threeTimes + `; INSERT INTO report_file SELECT 'r', value, 'ada', value, NULL, '', '', '', 0, 0, 0, 0` + threeTimes, `report_file`},
		"receipts of its lists":     {itsList + `; INSERT INTO item_receipt SELECT value, 'l', 'i', 0` + threeTimes, `item_receipt`},
		"stars of its item":         {itsList + `; ` + itsItem + `; INSERT INTO item_star SELECT 'i', value, 0` + threeTimes, `item_star`},
		"comments of its item":      {itsList + `; ` + itsItem + `; INSERT INTO item_comment (id, item_id, path, content, created_at) SELECT value, 'i', value, 'x', 0` + threeTimes, `item_comment`},
		"answers before comments":   {itsList + `; ` + itsItem + `; INSERT INTO item_comment (id, item_id, parent_id, path, content, created_at) SELECT value, 'i', nullif(value - 1, 0), substr('123', 1, value), 'x', 0` + threeTimes, `item_comment WHERE parent_id IS NULL`},
		"messages of nobody":        {anEmptyConversation + `; INSERT INTO message (conversation_id, created_at, id, sender_id, content, deleted_at) SELECT 'empty', value, value, 'ben', '', 1` + threeTimes, `message`},
		"changes of a conversation": {anEmptyConversation + `; INSERT INTO conversation_change (conversation_id, at, kind, user_id) SELECT 'empty', value, 'left', 'ben'` + threeTimes, `conversation_change`},
	} {
		discardedIn(t, db, func(tx *store.Tx) error {
			if err := execAll(tx, append(strings.Split(c.insert, "; "), `INSERT INTO erasing VALUES ('ada', 0, 'redacted')`)...); err != nil {
				return err
			}
			if more, err := tx.Scrub("ada", 2); !more || err != nil {
				t.Errorf("%s: more %v, %v", name, more, err)
			}
			if left, err := tx.TextForTest(`SELECT '' || count(*) FROM ` + c.left); left != "1" || err != nil {
				t.Errorf("%s: %s of 3 rows are left, want 1, %v", name, left, err)
			}
			return nil
		})
	}
}

// itsList is a list of the account, and itsItem an item in it.
const (
	itsList = `INSERT INTO list (id, owner_id, title, visibility, slug, item_count, created_at, updated_at) VALUES ('l', 'ada', 'x', 'private', '', 1, 0, 0)`
	itsItem = `INSERT INTO item (id, list_id, rank, content, created_at, updated_at) VALUES ('i', 'l', 0, 'x', 0, 0)`
)

// anEmptyConversation is one that nobody is a member of any more.
const anEmptyConversation = `INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('empty', 'group', 0, 0)`

// A post of an account that is deleted is deleted as of the moment at which that account
// was read as deleted, whatever other accounts are being deleted; one that was deleted
// before keeps its time.
func TestTimeOfPostsOfErased(t *testing.T) {
	withRows(t, "aaa ada zoe", []string{
		aPostOf(10, "hers", "ada", "x", ""), aPostOf(11, "before", "ada", "", ""), `UPDATE context_post SET deleted_at = 5 WHERE id = 'before'`,
		`INSERT INTO erasing VALUES ('aaa', 55, 'redacted'), ('ada', 77, 'redacted'), ('zoe', 99, 'frozen')`,
	}, func(tx *store.Tx) error {
		for more, n := true, 0; more && n < 100; n++ {
			var err error
			if more, err = tx.Scrub("ada", 10); err != nil {
				return err
			}
		}
		if got, err := tx.TextForTest(`SELECT group_concat(id || deleted_at, ' ' ORDER BY id) FROM context_post`); got != "before5 hers77" || err != nil {
			t.Errorf("deleted at %q, %v", got, err)
		}
		return nil
	})
}

// The deletion of an account raises its epoch, so that nothing that was made for an
// earlier one is valid again.
func TestFreezeRaisesTheEpoch(t *testing.T) {
	withRows(t, "ada ben", []string{`UPDATE user SET epoch = 4`}, func(tx *store.Tx) error {
		if err := tx.Freeze("ada"); err != nil {
			return err
		}
		if got, err := tx.TextForTest(`SELECT group_concat(id || epoch, ' ' ORDER BY id) FROM user WHERE id IN ('ada', 'ben')`); got != "ada5 ben4" || err != nil {
			t.Errorf("epochs %q, %v", got, err)
		}
		return nil
	})
}
