package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// The rows of a deleted account go in steps: none deletes or changes more than a number
// of rows of a table, so that other writes need not wait long.
func TestScrubInSteps(t *testing.T) {
	rows := map[string]string{ // of a table, with a number: what an INSERT adds
		"thought_pin of pinned_by":        `VALUES ('c', 't%[1]d', 'ada', 0)`,
		"conversation_change of user_id":  `VALUES ('c', %[1]d, 'left', 'ada', NULL, '')`,
		"conversation_change of actor_id": `VALUES ('c', 10 + %[1]d, 'left', 'ben', 'ada', '')`,
		"thought_collapsed of user_id":    `VALUES ('ada', 'c', 't%[1]d')`,
		"found_person of user_id":         `VALUES ('ada', 'f%[1]d')`,
		"found_person of found_id":        `VALUES ('f%[1]d', 'ada')`,
		"thought of user_id":              `(id, user_id, kind, status, text, tags, created_at, updated_at) VALUES ('of ada %[1]d', 'ada', 'fact', 'none', '', '[]', 0, 0)`,
		"context_intention of owner_id":   `VALUES (%[1]d, 'ada', 'open', 1, 0, 0, 0)`,
		"intent_match of a_user":          `VALUES ('a%[1]d', 101, 110 + %[1]d, 'ada', 'ben', 'reciprocal', 1, 'closed', 0, 0, 0, 0, NULL, 0)`,
		"intent_match of b_user":          `VALUES ('b%[1]d', 102, 110 + %[1]d, 'ben', 'ada', 'reciprocal', 1, 'closed', 0, 0, 0, 0, NULL, 0)`,
		"intent of owner_id":              `(seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at) VALUES (200 + %[1]d, 'i%[1]d', 'ada', 'ask', '', '[]', '[]', 'reciprocal', 0, 0, 'paused', 0, 0, 0)`,
		"approval_grant of user_id":       `VALUES (CAST('%[1]d' AS BLOB), 'ada', '', '', 'publish_story', '', '{}', 0, 0)`,
		"webhook of user_id":              `(id, user_id, url, secret, token, created_at) VALUES ('w%[1]d', 'ada', '', '', '', 0)`,
		"item of author_id":               `(id, list_id, rank, content, author_id, created_at, updated_at) VALUES ('by%[1]d', 'l', %[1]d, '', 'ada', 0, 0)`,
		"item of checked_by":              `(id, list_id, rank, content, checked_by, created_at, updated_at) VALUES ('checked%[1]d', 'l', 10 + %[1]d, '', 'ada', 0, 0)`,
		"item_comment of author_id":       `(id, item_id, path, author_id, content, created_at) VALUES ('c%[1]d', 'checked1', '%[1]d', 'ada', '', 0)`,
		"audit of actor_id":               `(at, actor_id, action) VALUES (%[1]d, 'ada', '')`,
		"audit of target_id":              `(at, action, target_id) VALUES (10 + %[1]d, '', 'ada')`,
		"attachment of user_id":           `(id, user_id, blob_id, name, mime_type, size, created_at) VALUES ('%[1]d', 'ada', 100 + %[1]d, '', '', 0, 0)`,
		"context_request of requester_id": `VALUES ('r%[1]d', 'p%[1]d', 'c', 1, 'ada', 'ben', 'k', 'pending', NULL, NULL, 0, 0, NULL)`,
		"context_request of owner_id":     `VALUES ('o%[1]d', 'p%[1]d', 'c', 1, 'ben', 'ada', 'k', 'pending', NULL, NULL, 0, 0, NULL)`,
		"context_post of author_id":       `(conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at) VALUES ('c', %[1]d, 'p%[1]d', 'ada', 'note', '', '%[1]d', 0)`,
		"intent_draft of owner_id":        `(id, owner_id, goal, seeks, brings, matching_mode, collaborators, state, created_at, updated_at) VALUES ('%[1]d', 'ada', '', '[]', '[]', 'reciprocal', 0, 'pending', 0, 0)`,
		"item_star of user_id":            `VALUES ('by%[1]d', 'ada', 0)`,
		"story of owner_id":               `(id, owner_id, intent, quiet_search, status, search_expires_at, created_at, updated_at) VALUES ('%[1]d', 'ada', 300 + %[1]d, 1, 'paused', 0, 0, 0)`,
	}
	const limit = 2
	inserts := []string{`INSERT INTO erasing VALUES ('ada', 1, 'redacted')`}
	for n := range limit + 2 {
		inserts = append(inserts, fmt.Sprintf(`INSERT INTO blob (id, size, created_at) VALUES (100 + %d, 0, 0)`, n))
		for of, values := range rows {
			table, _, _ := strings.Cut(of, " ")
			inserts = append(inserts, fmt.Sprintf(`INSERT INTO `+table+` `+values, n))
		}
	}
	withRows(t, "ada ben", inserts, func(tx *store.Tx) error {
		left := map[string]string{}
		for of := range rows {
			left[of] = fmt.Sprint(limit + 2)
		}
		for more := true; more; {
			var err error
			if more, err = tx.Scrub("ada", limit); err != nil {
				return err
			}
			for of, before := range left {
				table, column, _ := strings.Cut(of, " of ")
				now, err := tx.TextForTest(`SELECT CAST(count(*) AS TEXT) FROM ` + table + ` WHERE ` + column + ` = 'ada'`)
				if err != nil {
					return err
				}
				if next := map[string]string{"4": "2", "2": "0"}[before]; now != before && now != next {
					t.Errorf("%s: a step leaves %s of %s", of, now, before)
				}
				left[of] = now
			}
		}
		for of, n := range left {
			if n != "0" {
				t.Errorf("%s: %s are left", of, n)
			}
		}
		return nil
	})
}

// A step of the deletion of an account takes as many rows as it may and not one more,
// whichever they are, and the next step takes the rest.
func TestScrubIsDoneInSteps(t *testing.T) {
	t.Parallel()
	const intent = `INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at)
		VALUES (%[1]d, '%[1]d', 'ada', 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, 0, 0)`
	const message = `INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted) VALUES `
	once := map[string]string{
		"reactions to a message":                message + `('c', 50, 'm', 'ada', 'x', 1)`,
		"reactions in a conversation of nobody": message + `('empty', 50, 'm', 'ben', 'x', 1)`,
	}
	for name, c := range map[string]struct{ insert, left string }{
		"reactions to a message":                {`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 50, '%d', 'ben', 0)`, `reaction`},
		"reactions in a conversation of nobody": {`INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('empty', 50, '%d', 'ben', 0)`, `reaction`},
		"pins":                                  {`INSERT INTO thought_pin VALUES ('c', '%d', 'ada', 0)`, `thought_pin`},
		"thoughts":                              {`INSERT INTO thought (id, user_id, text, kind, status, created_at, updated_at) VALUES ('%[1]d', 'ada', 'x', 'fact', 'none', %[1]d, 0)`, `thought`},
		"intents":                               {intent, `intent`},
		"matches, as first":                     {`INSERT INTO intent_match VALUES ('%[1]d', %[1]d, 9, 'ada', 'ben', 'reciprocal', 1, 'open', 0, 0, 0, 0, NULL, %[1]d)`, `intent_match`},
		"matches, as second":                    {`INSERT INTO intent_match VALUES ('%[1]d', %[1]d, 9, 'ben', 'ada', 'reciprocal', 1, 'open', 0, 0, 0, 0, NULL, %[1]d)`, `intent_match`},
		"items":                                 {`INSERT INTO item (id, list_id, rank, content, author_id, created_at, updated_at) VALUES ('%[1]d', 'l', %[1]d, 'x', 'ada', 0, 0)`, `item WHERE author_id = 'ada'`},
		"items checked off":                     {`INSERT INTO item (id, list_id, rank, content, checked_at, checked_by, created_at, updated_at) VALUES ('%[1]d', 'l', %[1]d, 'x', 0, 'ada', 0, 0)`, `item WHERE checked_by = 'ada'`},
		"collapsed thoughts":                    {`INSERT INTO thought_collapsed VALUES ('ada', 'c', '%d')`, `thought_collapsed`},
		"requests by it":                        {`INSERT INTO context_request VALUES ('%[1]d', '%[1]d', 'c', 1, 'ada', 'ben', 'k', 'pending', NULL, NULL, %[1]d, 0, NULL)`, `context_request`},
		"requests to it":                        {`INSERT INTO context_request VALUES ('%[1]d', '%[1]d', 'c', 1, 'ben', 'ada', 'k', 'pending', NULL, NULL, %[1]d, 0, NULL)`, `context_request`},
		"posts of a conversation of nobody":     {`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at) VALUES ('empty', %[1]d, '%[1]d', 'ben', 'note', 'x', '%[1]d', 0)`, `context_post`},
		"changes of a conversation of nobody":   {`INSERT INTO conversation_change (conversation_id, at, kind, user_id) VALUES ('empty', %d, 'left', 'ben')`, `conversation_change`},
		"direct conversations":                  {`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('%[1]d', 'ada', 'owner', 0), ('%[1]d', 'ben', 'member', 0)`, `member WHERE user_id = 'ada'`},
	} {
		rows := []string{`INSERT INTO erasing VALUES ('ada', 5, 'redacted')`}
		ofNobody := strings.Contains(c.insert, `'empty'`)
		if ofNobody {
			rows = append(rows, `INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('empty', 'group', 0, 0)`)
		}
		if once[name] != "" {
			rows = append(rows, once[name])
		}
		for n := range 5 {
			rows = append(rows, fmt.Sprintf(c.insert, n))
		}
		withRows(t, "ada ben", rows, func(tx *store.Tx) error {
			for step, want := range []string{"3", "1", "0"} {
				more, err := tx.Scrub("ada", 2)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				left, err := tx.TextForTest(`SELECT CAST(count(*) AS TEXT) FROM ` + c.left)
				if left != want || !more || err != nil {
					t.Errorf("%s, step %d: %s are left, want %s; more %v, %v", name, step, left, want, more, err)
				}
			}
			more, err := tx.Scrub("ada", 2)
			if more && ofNobody { // the conversation itself
				more, err = tx.Scrub("ada", 2)
			}
			if more || err != nil {
				t.Errorf("%s: more %v, %v", name, more, err)
			}
			return nil
		})
	}
}

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
