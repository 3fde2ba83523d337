package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// shown has the parts of responses that a deletion changes, whatever the
// endpoint.
type shown struct {
	UnreadTotal   *int
	Conversations []shownConversation
	Messages      []shownMessage
	Entries       []struct{ ID, Text, AuthorID string }
}

type shownConversation struct {
	ID, Title    string
	UnreadCount  int
	Participants []struct{ User struct{ ID, Name string } }
	LastMessage  *shownMessage
}

type shownMessage struct {
	ID, SenderID, Content string
	Deleted               bool
	DeletedAt             *time.Time
	ReplyTo               *struct{ ID, Content, SenderID, SenderName string }
	Reactions             []struct {
		Emoji string
		Count int
	}
}

// look returns what ben is shown by a path, without what is not part of a
// deletion, such as who is online.
func (w *world) look(path string) string {
	w.t.Helper()
	res := w.json("ben", "GET", w.fillIDs(path), "")
	body := string(res.body)
	var s shown
	var err error
	if strings.HasPrefix(body, "[") {
		err = json.Unmarshal(res.body, &s.Conversations, json.MatchCaseInsensitiveNames(true))
	} else {
		err = json.Unmarshal(res.body, &s, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil || res.status != 200 {
		w.t.Errorf("%s: %d %v %s", path, res.status, err, body)
	}
	for i := range s.Messages {
		s.Messages[i].Deleted, s.Messages[i].DeletedAt = s.Messages[i].DeletedAt != nil, nil
	}
	for i := range s.Conversations {
		if m := s.Conversations[i].LastMessage; m != nil {
			m.Deleted, m.DeletedAt = m.DeletedAt != nil, nil
		}
	}
	slices.SortFunc(s.Conversations, func(a, b shownConversation) int { return strings.Compare(a.ID, b.ID) })
	out, err := json.Marshal(s)
	if err != nil {
		w.t.Error(err)
	}
	return string(out)
}

// While an account is being deleted, a reader sees all of it as it was or all of
// it as deleted, and never the first after the second: in the conversation list,
// the unread total, messages with their quotes and reactions, a search and the
// Stream.
func TestDeletionIsAtomic(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	w.token("ada")
	eraseStage(t, w)
	w.want("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"the last one"}`, 201, "")
	paths := []string{
		"/api/chat/conversations", "/api/chat/unread-total", "/api/chat/conversations/$id:group/messages",
		"/api/chat/conversations/$id:pair/messages", "/api/chat/search?q=" + secretWord, "/api/chat/conversations/$id:group/stream",
	}
	before := map[string]string{}
	for _, path := range paths {
		if before[path] = w.look(path); path != paths[1] && !strings.Contains(before[path], secretWord) && path != paths[0] {
			t.Errorf("%s has nothing of the account: %s", path, before[path])
		}
	}
	type seen struct{ path, what string }
	var all []seen
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			for _, path := range paths {
				all = append(all, seen{path, w.look(path)})
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	if res := w.json("ada", "DELETE", "/api/auth/me", ""); res.status != 204 {
		t.Errorf("%d %s", res.status, res.body)
	}
	close(stop)
	<-done
	w.settle()
	after := map[string]string{}
	for _, path := range paths {
		if after[path] = w.look(path); after[path] == before[path] {
			t.Errorf("%s is the same after the deletion: %s", path, after[path])
		}
	}
	gone := false
	for _, s := range all {
		switch {
		case s.what == after[s.path]:
			gone = true
		case s.what != before[s.path]:
			t.Fatalf("%s shows half a deletion:\n%s\nbefore:\n%s\nafter:\n%s", s.path, s.what, before[s.path], after[s.path])
		case gone:
			t.Fatalf("%s shows the account after it was read as deleted", s.path)
		}
	}
	t.Logf("%d reads beside the deletion", len(all))
}

// A bot is deleted as an account is: its messages are read as deleted ones, no
// word of it is left, and it is in the ledger. That of another account is not.
func TestDeletedBotLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	var bots []struct{ ID string }
	w.token("ada/bot")
	res := w.want("ada", "GET", "/api/bots", "", 200, "")
	if err := json.Unmarshal(res.body, &bots, json.MatchCaseInsensitiveNames(true)); err != nil || len(bots) != 1 {
		t.Fatalf("%s, %v", res.body, err)
	}
	w.ids["$id:bot"] = bots[0].ID
	w.want("ada", "PATCH", "/api/bots/$id:bot", `{"name":"`+secretWord+`"}`, 200, "")
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations",
		`{"participantIds":["$id:ben","$id:bot"],"type":"group","title":"Garden"}`, 201, "").body)
	for range 3 {
		w.want("ada/bot", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"`+secretWord+`"}`, 201, "")
	}
	w.want("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"an answer"}`, 201, "")
	w.want("ben", "DELETE", "/api/bots/$id:bot", "", 404, "not_found")
	w.want("ben", "DELETE", "/api/bots/$id:ada", "", 404, "not_found")
	w.want("ada", "DELETE", "/api/bots/$id:ada", "", 404, "not_found")
	w.want("ada", "DELETE", "/api/bots/$id:bot", "", 204, "")
	w.want("ada/bot", "GET", "/api/auth/me", "", 401, "")
	w.want("ada", "DELETE", "/api/bots/$id:bot", "", 404, "not_found")
	w.want("ben", "GET", "/api/chat/unread-total", "", 200, `{"unreadTotal":1}`)
	w.settle()
	// The account that is shown in place of deleted ones stays.
	err := w.app.Account.Erase(context.Background(), store.DeletedUserID+"@users.invalid")
	if core.As(err).Code != "system_account" {
		t.Errorf("got %v, want system_account", err)
	}
	w.noWord(t)
	if left := traces(t, w, secretWord); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if left := w.idTraces(bots[0].ID); len(left) > 0 {
		t.Errorf("the id is in %q", left)
	}
}

// The only administrator cannot be deleted. The only owner of a group can, and
// hands it over; the bots of an account are deleted with it.
func TestDeletionOfOwners(t *testing.T) {
	w := newWorld(t)
	w.token("ben")
	w.want("root", "DELETE", "/api/auth/me", "", 409, "last_admin")
	w.token("ada/bot")
	var bots []struct{ ID string }
	if err := json.Unmarshal(w.want("ada", "GET", "/api/bots", "", 200, "").body, &bots, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	w.ids["$id:bot"] = bots[0].ID
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations",
		`{"participantIds":["$id:bot","$id:ben","$id:cleo"],"type":"group","title":"Garden"}`, 201, "").body)
	w.want("ada/bot", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"`+secretWord+`"}`, 201, "")
	w.want("ada", "DELETE", "/api/auth/me", "", 204, "")
	w.want("ada/bot", "GET", "/api/auth/me", "", 401, "")
	w.want("ben", "PATCH", "/api/chat/conversations/$id:group", `{"title":"Mine"}`, 200, `"participantCount":2`)
	w.settle()
	if left := w.idTraces(bots[0].ID); len(left) > 0 {
		t.Errorf("the id of the bot is in %q", left)
	}
	w.noWord(t)
}
