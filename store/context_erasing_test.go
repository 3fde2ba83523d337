package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
)

// aPostOf is a post of the Context lane in conversation c: its time, id, author, text,
// and the post that it replies to.
func aPostOf(at int, id, author, text, parent string) string {
	return fmt.Sprintf(`INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, reply_to_id, client_request_id, updated_at)
		VALUES ('c', %d, '%s', '%s', 'ask', '%s', nullif('%s', ''), 'r%[1]d', %[1]d)`, at, id, author, text, parent)
}

// A post of the Context lane whose author is being deleted is read as deleted once the
// account is redacted, and so is what a reply shows of it. What others wrote stays, and
// so does what an account wrote that is frozen.
func TestContextPostsOfErasing(t *testing.T) {
	withRows(t, "ada ben cleo", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'ben', 'member', 1)`,
		aPostOf(10, "hers", "ada", "secret", ""), aPostOf(11, "reply", "ben", "answer", "hers"), aPostOf(12, "deleted", "ada", "", ""),
		aPostOf(13, "frozen", "cleo", "other", ""), aPostOf(14, "to frozen", "ben", "answer", "frozen"), aPostOf(15, "to deleted", "ben", "answer", "deleted"),
		`UPDATE context_post SET agent_id = 'key', agent_name = 'Agent', intent = 1, intent_revision = 1 WHERE id IN ('hers', 'reply', 'frozen')`,
		`UPDATE context_post SET deleted_at = 5 WHERE id = 'deleted'`,
		`INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at)
			VALUES (1, 'i', 'ada', 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, 0, 0)`,
		`INSERT INTO context_intention VALUES (1, 'ada', 'open', 1, 0, 0, 0)`,
		`INSERT INTO erasing VALUES ('ada', 77, 'redacted'), ('cleo', 78, 'frozen')`,
	}, func(tx *store.Tx) error {
		const tracked = "{i open 1 1}"
		for id, want := range map[string]string{
			"hers":       fmt.Sprint(store.DeletedUserID, "", "", "", "{  0 0}", 77, "hers", store.ContextParent{}),
			"reply":      fmt.Sprint("ben", "key", "Agent", "answer", tracked, 0, "r11", store.ContextParent{ID: "hers", AuthorID: store.DeletedUserID, AuthorName: "ada", DeletedAt: 77}),
			"deleted":    fmt.Sprint(store.DeletedUserID, "", "", "", "{  0 0}", 5, "deleted", store.ContextParent{}),
			"frozen":     fmt.Sprint("cleo", "key", "Agent", "other", tracked, 0, "r13", store.ContextParent{}),
			"to frozen":  fmt.Sprint("ben", "", "", "answer", "{  0 0}", 0, "r14", store.ContextParent{ID: "frozen", AuthorID: "cleo", AuthorName: "cleo", Text: "other"}),
			"to deleted": fmt.Sprint("ben", "", "", "answer", "{  0 0}", 0, "r15", store.ContextParent{ID: "deleted", AuthorID: store.DeletedUserID, AuthorName: "ada", DeletedAt: 5}),
		} {
			p, err := tx.ContextPost(human("ben"), "c", id)
			if got := fmt.Sprint(p.AuthorID, p.AgentID, p.AgentName, p.Text, fmt.Sprint(p.Intention), int64(p.DeletedAt), p.ClientRequestID, p.Parent); err != nil || got != want {
				t.Errorf("%s: %v\ngot  %s\nwant %s", id, err, got, want)
			}
		}
		return nil
	})
}

// What is written in a conversation by an account that is read as deleted is not found
// in its content, and does not stand for what others pinned there.
func TestContentOfErasing(t *testing.T) {
	thought := func(id, author, source string, captured, at int) string {
		return fmt.Sprintf(`INSERT INTO thought (id, user_id, text, kind, status, source_message_id, source_conversation_id, captured, created_at, updated_at)
			VALUES ('%s', '%s', 'x', 'fact', 'none', '%s', 'c', %d, %d, 0)`, id, author, source, captured, at)
	}
	withRows(t, "ada ben", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ben', 'owner', 0)`,
		thought("captured", "ada", "m1", 1, 10), thought("same as captured", "ben", "m1", 0, 11), thought("pinned", "ada", "m2", 0, 12), thought("same as pinned", "ben", "m2", 0, 13),
		thought("first of three", "ada", "m3", 0, 14), thought("second of three", "ben", "m3", 0, 15), thought("third of three", "ben", "m3", 0, 16),
		`INSERT INTO thought_pin SELECT 'c', id, user_id, 0 FROM thought WHERE captured = 0`,
		aPostOf(17, "post", "ada", "x", ""), aPostOf(18, "reply", "ben", "x", "post"),
	}, func(tx *store.Tx) error {
		content := func(search string) string {
			keys, _, err := tx.Content(human("ben"), store.ContentQuery{ConversationID: "c", Context: true, Stream: true, Search: search, Limit: 100})
			return inOrder(keys, err, func(k store.ContentKey) string { return k.ID + "," })
		}
		for _, stage := range []struct{ insert, all, found string }{
			{`INSERT INTO erasing VALUES ('ada', 77, 'frozen')`, "reply, post, first of three, pinned, captured,", "reply, post, first of three, pinned, captured,"},
			{`UPDATE erasing SET stage = 'redacted'`, "reply, post, second of three, same as pinned, same as captured,", "reply, second of three, same as pinned, same as captured,"},
		} {
			if err := execAll(tx, stage.insert); err != nil {
				return err
			}
			if got := content(""); got != stage.all {
				t.Errorf("content %q, want %q", got, stage.all)
			}
			if got := content("x"); got != stage.found {
				t.Errorf("found %q, want %q", got, stage.found)
			}
		}
		return nil
	})
}

// Of the log of a group, what tells of an account that is read as deleted is left out.
func TestChangesOfErasing(t *testing.T) {
	withRows(t, "ada ben cleo", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ben', 'owner', 0)`,
		`INSERT INTO conversation_change (conversation_id, at, kind, user_id) VALUES ('c', 10, 'joined', 'ada'), ('c', 11, 'joined', 'ben'), ('c', 12, 'joined', 'cleo'), ('c', 13, 'left', 'ben')`,
		`INSERT INTO erasing VALUES ('ada', 77, 'redacted'), ('cleo', 78, 'frozen')`,
	}, func(tx *store.Tx) error {
		for _, c := range []struct {
			after, before store.Time
			want          string
		}{{0, 0, "13 12 11"}, {11, 13, "12"}, {10, 13, "12 11"}, {0, 12, "11"}, {12, 0, "13"}} {
			all, err := tx.Changes(human("ben"), "c", c.after, c.before, 9)
			if got := inOrder(all, err, func(c store.Change) string { return fmt.Sprint(int64(c.At)) }); got != c.want {
				t.Errorf("after %d and before %d: %q, want %q", c.after, c.before, got, c.want)
			}
		}
		return nil
	})
}

// Of the entries of a Stream those are part of another that are pinned to the same
// conversation, of the same message and with the same text; and only of one that is
// shared there.
func TestAliasesOfEntries(t *testing.T) {
	thought := func(id, author, source, text string, captured, at int) string {
		return fmt.Sprintf(`INSERT INTO thought (id, user_id, text, kind, status, source_message_id, source_conversation_id, captured, created_at, updated_at)
			VALUES ('%s', '%s', '%s', 'fact', 'none', '%s', 'c', %d, %d, 0)`, id, author, text, source, captured, at)
	}
	withRows(t, "ada ben", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('d', 'ada', 'owner', 0)`,
		thought("m1", "ben", "m1", "x", 1, 10), thought("m1late", "ben", "m1", "x", 0, 13), thought("m1early", "ada", "m1", "x", 0, 12),
		thought("m1other", "ada", "m1", "y", 0, 12), thought("m1there", "ada", "m1", "x", 0, 11), thought("m1note", "ada", "m1", "x", 0, 11),
		thought("m2", "ben", "m2", "x", 0, 10), thought("m2b", "ben", "m2", "x", 0, 11),
		thought("m3", "ada", "m3", "x", 0, 10), thought("m3b", "ben", "m3", "x", 0, 11), // a note of ada's own
		thought("m4", "ada", "m4", "x", 0, 10), thought("m4b", "ben", "m4", "x", 0, 11), // pinned elsewhere
		thought("m5", "ben", "m5", "x", 1, 10),
		`INSERT INTO thought_pin SELECT 'c', id, user_id, 0 FROM thought WHERE id IN ('m1late', 'm1early', 'm1other', 'm2', 'm2b', 'm3b', 'm4b')`,
		`INSERT INTO thought_pin SELECT 'd', id, user_id, 0 FROM thought WHERE id IN ('m1there', 'm1late', 'm4')`,
	}, func(tx *store.Tx) error {
		for id, want := range map[string]string{"m1": "m1early m1late", "m2": "m2b", "m2b": "m2", "m3": "", "m4": "", "m5": ""} {
			as, err := tx.ContentAliases(human("ada"), "c", id)
			if got := inOrder(as, err, func(a store.ContentAlias) string {
				if a.ID != id {
					t.Errorf("%+v of %s", a, id)
				}
				return a.AliasID
			}); got != want {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
		return nil
	})
}
