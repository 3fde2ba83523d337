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
	return fmt.Sprintf(`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at) VALUES ('%[1]s', '%[2]s', 'agent', '', '', '%[1]s', 1, 1, %[3]d)`, id, owner, at)
}

// aRequest is a request of ben to the key of an account about revision of a post of
// conversation c.
func aRequest(id, post string, revision int, owner, key, state string, at int) string {
	reply, answered := `NULL`, `NULL`
	if state != "pending" {
		answered = `1`
	}
	if state == "completed" {
		reply = `'answer'`
	}
	return fmt.Sprintf(`INSERT INTO context_request (id, post_id, conversation_id, source_revision, requester_id, owner_id, key_id, state, reply_id, reply_hash, created_at, expires_at, answered_at)
		VALUES ('%s', '%s', 'c', %d, 'ben', '%s', '%s', '%s', %s, x'00', %d, 1 << 60, %s)`, id, post, revision, owner, key, state, reply, at, answered)
}

// receiving has all agent keys receive requests.
const receiving = `INSERT INTO context_key SELECT id, 0 FROM api_key`

// members are those of conversation c, by when they joined.
const members = `INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 0), ('c', 'ben', 'member', 1), ('c', 'cleo', 'member', 2),
	('c', 'dora', 'member', 3), ('c', 'emil', 'member', 4), ('c', 'fay', 'member', 5), ('c', 'gus', 'member', 6)`

// The agents that can be asked are those of the members of the conversation that are not
// suspended and have no block with who asks or with the author of the post, each with
// the oldest of its keys; who is no member can ask none.
func TestContextAgentsOfAPost(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay gus zoe", []string{
		members, anAgent("ada1", "ada", 1), anAgent("cleo2", "cleo", 2), anAgent("cleo1", "cleo", 1), anAgent("dora1", "dora", 1), anAgent("emil1", "emil", 1),
		anAgent("gus1", "gus", 1), anAgent("ben1", "ben", 1), anAgent("zoe1", "zoe", 1), receiving,
		aPostOf(10, "post", "ada", "x", ""), aPostOf(11, "other", "ada", "x", ""),
		`UPDATE user SET suspended_at = 1 WHERE id = 'dora'`,
		`INSERT INTO block VALUES ('emil', 'ben', 0), ('ada', 'gus', 0)`,
		aRequest("q1", "post", 1, "cleo", "cleo1", "declined", 20), aRequest("q2", "post", 2, "ada", "ada1", "pending", 21), aRequest("q3", "other", 1, "ada", "ada1", "pending", 22),
	}, func(tx *store.Tx) error {
		agents := func(by, author string, limit int) string {
			as, err := tx.ContextAgents(human(by), &store.ContextPost{ConversationID: "c", ID: "post", Revision: 1, AuthorID: author}, limit)
			return inOrder(as, err, func(a store.ContextAgent) string { return fmt.Sprint(a.KeyID, a.Asked) })
		}
		for _, c := range []struct {
			by, author string
			limit      int
			want       string
		}{
			{"ben", "ada", 9, "ada1false ben1false cleo1true"},
			{"ben", "ada", 2, "ada1false ben1false"},
			{"ben", "ben", 9, "ada1false ben1false cleo1true gus1false"},
			{"cleo", "cleo", 9, "ada1false ben1false cleo1true emil1false gus1false"},
			{"zoe", "ada", 9, ""},
		} {
			if got := agents(c.by, c.author, c.limit); got != c.want {
				t.Errorf("%s asks agents about a post of %s: %q, want %q", c.by, c.author, got, c.want)
			}
		}
		by := human("cleo")
		by.KeyID = "cleo1"
		as, err := tx.ContextAgents(by, &store.ContextPost{ConversationID: "c", ID: "post", Revision: 1, AuthorID: "cleo"}, 9)
		if got := inOrder(as, err, func(a store.ContextAgent) string { return a.KeyID }); got != "ada1 ben1 cleo2 emil1 gus1" {
			t.Errorf("a key asks %q", got)
		}
		return nil
	})
}

// Each post is told with how many agents by asked about its present revision, how many
// replied, and how many still can; what others asked is not counted, and who is no
// member of the conversation any more is told of none.
func TestAskedAboutPosts(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay gus", []string{
		members, aPostOf(10, "one", "ada", "x", ""), aPostOf(11, "two", "ada", "x", ""), aPostOf(12, "none", "ada", "x", ""), aPostOf(13, "left", "ada", "x", ""),
		`UPDATE context_post SET revision = 2 WHERE id = 'two'`,
		`UPDATE context_post SET conversation_id = 'd' WHERE id = 'left'`,
		aRequest("q1", "one", 1, "ada", "k", "pending", 20), aRequest("q2", "one", 1, "cleo", "k", "completed", 21), aRequest("q3", "one", 1, "dora", "k", "declined", 22),
		aRequest("q4", "one", 1, "emil", "k", "pending", 23), aRequest("q5", "one", 1, "fay", "k", "pending", 24), aRequest("q6", "two", 1, "ada", "k", "pending", 25),
		aRequest("q7", "two", 2, "cleo", "k", "completed", 26), aRequest("q8", "left", 1, "cleo", "k", "completed", 26), aRequest("q9", "two", 2, "dora", "k", "pending", 27),
		`UPDATE context_request SET requester_id = 'gus' WHERE id IN ('q9')`,
	}, func(tx *store.Tx) error {
		for id, at := range map[string]store.Time{"q1": tx.Now + 1, "q4": tx.Now, "q5": tx.Now - 1} {
			if _, err := tx.ExecForTest(`UPDATE context_request SET expires_at = ? WHERE id = ?`, int64(at), id); err != nil {
				return err
			}
		}
		for by, want := range map[string]map[string]string{"ben": {"one two none left": "{one 5 1 1} {two 1 1 0}", "one": "{one 5 1 1}", "none": ""}, "gus": {"one two none left": "{two 1 0 1}"}, "cleo": {"one two": ""}} {
			for ids, want := range want {
				as, err := tx.Asked(human(by), strings.Fields(ids)...)
				if got := inOrder(as, err, func(a store.Asked) string { return fmt.Sprint(a) }); got != want {
					t.Errorf("%s about %q: %q, want %q", by, ids, got, want)
				}
			}
		}
		return nil
	})
}

// A key can answer the request it received and no other, and a request that is declined
// or completed leaves the others as they are.
func TestAnswersToOneRequest(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay gus", []string{
		members, anAgent("k1", "ada", 1), anAgent("k2", "cleo", 1), receiving,
		aPostOf(10, "post", "ben", "x", ""), aPostOf(11, "post2", "ben", "x", ""), aPostOf(12, "post3", "ben", "x", ""), aPostOf(13, "answer", "ada", "x", ""),
		aRequest("q1", "post", 1, "ada", "k1", "pending", 20), aRequest("q2", "post2", 1, "ada", "k1", "pending", 21), aRequest("q3", "post3", 1, "ada", "k1", "pending", 22),
		aRequest("q4", "post", 1, "cleo", "k2", "pending", 23),
	}, func(tx *store.Tx) error {
		can := func(want string) {
			t.Helper()
			got := ""
			for _, key := range []string{"k1", "k2"} {
				for _, id := range []string{"q1", "q2", "q3", "q4", "none"} {
					ok, err := tx.CanAnswer(store.Viewer{KeyID: key}, id)
					if ok {
						got += key + id + " "
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
			if got != want {
				t.Errorf("can be answered: %q, want %q", got, want)
			}
		}
		can("k1q1 k1q2 k1q3 k2q4 ")
		if err := tx.DeclineRequest("q1"); err != nil {
			return err
		}
		can("k1q2 k1q3 k2q4 ")
		if err := tx.CompleteRequest("q2", "answer", []byte{0xAB}); err != nil {
			return err
		}
		can("k1q3 k2q4 ")
		for _, id := range []string{"q1", "q2", "none"} {
			if err := errors.Join(missing(tx.DeclineRequest(id)), missing(tx.CompleteRequest(id, "answer", nil))); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		q, err := tx.ContextRequest(store.Viewer{KeyID: "k1"}, "q2")
		if err != nil || q.State != "completed" || q.ReplyID != "answer" || !q.SameReply([]byte{0xAB}) || q.SameReply([]byte{0xAC}) {
			t.Errorf("%+v, %v", q, err)
		}
		// Once the reply is deleted its request is not known any more.
		if err := tx.DeleteContextPost(&store.ContextPost{ConversationID: "c", CreatedAt: 13, ID: "answer"}); err != nil {
			return err
		}
		if q, err = tx.ContextRequest(store.Viewer{KeyID: "k1"}, "q2"); err != nil || q.SameReply([]byte{0xAB}) {
			t.Errorf("a reply that is deleted: %+v, %v", q, err)
		}
		return nil
	})
}

// What a key was asked is told with what its account sees now: the title, the post and
// the reply of a conversation that it left are not. Each request is told once.
func TestLoggedRequestsOfAKey(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay gus", []string{
		members, anAgent("k1", "ada", 1), anAgent("k2", "ada", 2), anAgent("k3", "cleo", 2), receiving,
		`INSERT INTO conversation (id, type, title, created_at, updated_at) VALUES ('c', 'group', 'Title', 0, 0)`,
		aPostOf(10, "bens", "ben", "question", ""), aPostOf(11, "cleos", "cleo", "other", ""), aPostOf(12, "answer", "ada", "reply", ""),
		aRequest("q1", "bens", 1, "ada", "k1", "completed", 20), aRequest("q2", "cleos", 1, "ada", "k1", "pending", 21), aRequest("q3", "bens", 1, "cleo", "k3", "pending", 22),
		aRequest("q4", "bens", 2, "ada", "k2", "pending", 23), aRequest("q5", "bens", 3, "ada", "k1", "pending", 24),
		`UPDATE context_request SET requester_id = 'cleo' WHERE id = 'q5'`,
	}, func(tx *store.Tx) error {
		for _, c := range []struct{ then, want string }{
			{`UPDATE user SET epoch = 1`, "q5 cleo Title question  false, q2 ben Title other  false, q1 ben Title question reply false,"},
			{`UPDATE context_post SET text = '', deleted_at = 50 WHERE id = 'answer'`, "q5 cleo Title question  false, q2 ben Title other  false, q1 ben Title question  true,"},
			{`DELETE FROM member WHERE user_id = 'ada'`, "q5 cleo    false, q2 ben    false, q1 ben    false,"},
		} {
			if err := execAll(tx, c.then); err != nil {
				return err
			}
			ls, err := tx.LoggedRequests(human("ada"), "k1", 0, 9)
			if got := inOrder(ls, err, func(l store.LoggedRequest) string {
				return fmt.Sprintf("%s %s %s %s %s %v,", l.ID, l.RequesterID, l.Title, l.Text, l.Reply, l.ReplyGone)
			}); got != c.want {
				t.Errorf("after %s:\ngot  %q\nwant %q", c.then, got, c.want)
			}
		}
		return nil
	})
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
		if q := (store.ContextRequest{PostID: "two", ConversationID: "c", RequesterID: "ada", OwnerID: "ben", KeyID: "k"}); tx.InsertContextRequest(&q) != nil || q.CreatedAt != tx.Now || q.State != "pending" || q.ID == "" {
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
