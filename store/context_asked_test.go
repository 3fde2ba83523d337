package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hearth/store"
)

// anAgent is an agent key of an account that receives requests.
func anAgent(id, owner string, at int) string {
	return fmt.Sprintf(`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at)
		VALUES ('%[1]s', '%[2]s', 'agent', '', '', '%[1]s', 1, 1, %[3]d)`, id, owner, at)
}

// A post is read by its id in the conversation that is asked for, and one's own by the
// client's id while one is a member. A reply shows the first 200 characters of the post
// that it replies to. An edit and a deletion change that post alone, while it is not
// deleted, and the caller learns what was written.
func TestOnePostOfAConversation(t *testing.T) {
	withRows(t, "ada ben", []string{
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('d', 'ada', 'owner', 0)`,
		aPostOf(10, "one", "ada", "x", ""), aPostOf(11, "two", "ada", "y", ""), aPostOf(12, "bens", "ben", "z", ""),
		`UPDATE context_post SET client_request_id = 'r' WHERE id <> 'two'`,
		aPostOf(13, "long", "ben", strings.Repeat("é", 201), ""), aPostOf(14, "reply", "ben", "x", "long"),
	}, func(tx *store.Tx) error {
		ada := human("ada")
		if _, err := tx.ContextPost(ada, "d", "one"); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("a post of another conversation: %v", err)
		}
		if _, err := tx.ContextPost(human("ben"), "c", "bens"); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("a post of a conversation that one has left: %v", err)
		}
		if p, err := tx.ContextPostOf(ada, "c", "r"); p.ID != "one" || err != nil {
			t.Errorf("the post %q of the client's id, %v", p.ID, err)
		}
		for by, conversation := range map[string]string{"ada": "d", "ben": "c"} {
			if p, err := tx.ContextPostOf(human(by), conversation, "r"); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("%s in %s: %q, %v", by, conversation, p.ID, err)
			}
		}
		if p, err := tx.ContextPost(ada, "c", "reply"); p.Parent.Text != strings.Repeat("é", 200) || err != nil {
			t.Errorf("of the post that it replies to %q is shown, %v", p.Parent.Text, err)
		}
		p, err := tx.ContextPost(ada, "c", "one")
		if err != nil {
			return err
		}
		p.Text = "edited"
		if err := tx.EditContextPost(&p); err != nil {
			return err
		}
		if p.UpdatedAt != tx.Now || p.Revision != 2 {
			t.Errorf("edited: %+v", p)
		}
		if err := tx.DeleteContextPost(&p); err != nil {
			return err
		}
		if err := errors.Join(missing(tx.DeleteContextPost(&p)), missing(tx.EditContextPost(&p))); err != nil {
			t.Errorf("a deleted post: %v", err)
		}
		for id, want := range map[string]string{"one": " 3 true", "two": "y 1 false", "bens": "z 1 false"} {
			p, err := tx.ContextPost(ada, "c", id)
			if got := fmt.Sprint(p.Text, " ", p.Revision, " ", p.DeletedAt > 0); got != want || err != nil {
				t.Errorf("%s: %q, want %q, %v", id, got, want, err)
			}
		}
		if q := (store.ContextRequest{PostID: "two", ConversationID: "c", RequesterID: "ada", OwnerID: "ben",
			KeyID: "k"}); tx.InsertContextRequest(&q) != nil || q.CreatedAt != tx.Now || q.State != "pending" || q.ID == "" {
			t.Errorf("a new request: %+v", q)
		}
		return nil
	})
}

// That a key receives requests is switched off for that key alone, and on.
func TestOneKeyReceives(t *testing.T) {
	withRows(t, "ada", []string{anAgent("k1", "ada", 1), anAgent("k2", "ada", 2), anAgent("k3", "ada", 3)}, func(tx *store.Tx) error {
		for _, c := range []struct {
			key     string
			enabled bool
			want    string
		}{{"k1", true, "k1"}, {"k3", true, "k1 k3"}, {"k3", true, "k1 k3"}, {"k1", false, "k3"}, {"k2", false, "k3"}} {
			if err := tx.SetReceiving(c.key, c.enabled); err != nil {
				return err
			}
			var got []string
			for _, key := range []string{"k1", "k2", "k3"} {
				k, err := tx.ReceivingKey(human("ada"), key)
				on, other := tx.Receives(store.Viewer{KeyID: key})
				if err != nil || other != nil || on != k.Enabled || k.KeyID != key {
					t.Errorf("%s: %+v, %v, %v, %v", key, k, on, err, other)
				}
				if k.Enabled {
					got = append(got, key)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("after %s is %v: %q receive requests, want %q", c.key, c.enabled, got, c.want)
			}
		}
		return nil
	})
}
