package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/store"
)

// A person who watches a list is shown by name only while they have a role in it
// and are not invisible, and not until they close their stream.
func TestWatcherNames(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	list := idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"Watched","visibility":"public"}`).body)
	member := "/api/lists/" + list + "/members/" + w.cast.Ben.ID
	named := func(name string) string {
		return fmt.Sprintf(`presence {"viewers":2,"people":[{"id":"%s","name":"%s"}],"typing":[]}`, w.cast.Ben.ID, name)
	}
	const unnamed = `presence {"viewers":2,"people":[],"typing":[]}`
	w.json("ada", "PUT", member, `{"role":"viewer"}`)
	ben := w.openStream(t, srv.URL, "ben", "/api/lists/"+list+"/events")
	ben.any()
	stranger := w.openStream(t, srv.URL, "anonymous", "/api/lists/"+list+"/events")
	if got := stranger.any(); got != named("Ben") {
		t.Fatalf("at first %s", got)
	}
	for _, step := range []struct{ who, method, path, body, want string }{
		{"ben", "PATCH", "/api/auth/me", `{"name":"Benjamin"}`, named("Benjamin")},
		{"ben", "PUT", "/api/auth/me/status", `{"presenceStatus":"invisible"}`, `presence {"viewers":1,"people":[],"typing":[]}`},
		{"ben", "PUT", "/api/auth/me/status", `{"presenceStatus":"away"}`, named("Benjamin")},
		{"ada", "DELETE", member, ``, unnamed},
		{"ada", "PUT", member, `{"role":"editor"}`, named("Benjamin")},
	} {
		if res := w.json(step.who, step.method, step.path, step.body); res.status > 299 {
			t.Fatalf("%s %s: %s", step.method, step.path, res.body)
		}
		// Events that were on their way come first.
		for got := ""; got != step.want; {
			if got = stranger.any(); got == "" {
				t.Fatalf("after %s %s %s the stream ended without %s", step.method, step.path, step.body, step.want)
			}
		}
	}
}

// read fails the test unless res has the status, and decodes it into v.
func (w *world) read(res response, status int, v any) {
	w.t.Helper()
	if res.status != status {
		w.t.Fatalf("got %d, want %d: %s", res.status, status, res.body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(res.body, v, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
}

// A request can name an object of another account, in its path or in its body. The
// response is identical to the response for an id that does not exist.
func TestHiddenIDs(t *testing.T) {
	w := newWorld(t)
	put := func(name, who, path, body string) {
		t.Helper()
		res := w.json(who, "POST", w.fillIDs(path), w.fillIDs(body))
		if res.status != 201 {
			t.Fatalf("stage: %s: %d %s", path, res.status, res.body)
		}
		w.ids["$id:"+name] = idIn(t, res.body)
	}
	const chats, lists = "/api/chat/conversations/", "/api/lists/"
	put("conversation", "ada", "/api/chat/conversations", `{"participantIds":["$id:ben"],"type":"group"}`)
	put("message", "ada", chats+"$id:conversation/messages", `{"content":"`+w.plant("message", "ada", "ben")+`"}`)
	put("list", "ada", "/api/lists", `{"title":"`+w.plant("list", "ada")+`"}`)
	put("item", "ada", lists+"$id:list/items", `{"content":"`+w.plant("item", "ada")+`"}`)
	put("key", "ada", "/api/agent-keys", `{"name":"`+w.plant("key", "ada")+`"}`)
	put("mine", "stranger", "/api/chat/conversations", `{"participantIds":["$id:cleo"],"type":"group"}`)
	put("mymessage", "stranger", chats+"$id:mine/messages", `{"content":"mine"}`)
	put("mylist", "stranger", "/api/lists", `{"title":"Mine","visibility":"public-edit"}`)
	put("myitem", "stranger", lists+"$id:mylist/items", `{"content":"mine"}`)
	w.addHidden("hidden")
	for _, tc := range []struct{ method, path, body, theirs string }{
		{"POST", chats + "$id:mine/messages", `{"content":"x","replyToId":"$id:message"}`, "message"},
		{"POST", chats + "$id:conversation/messages", `{"content":"x","replyToId":"$id:message"}`, "message"},
		{"POST", chats + "$id:conversation/messages", `{"content":"x","replyToId":"$id:mymessage"}`, "conversation"},
		{"POST", chats + "$id:conversation/messages", `{"content":"x","id":"$id:message"}`, "message"},
		{"POST", chats + "$id:conversation/messages", `{"content":"x","id":"$id:mymessage"}`, "conversation"},
		{"POST", chats + "$id:conversation/typing", ``, "conversation"},
		{"PATCH", chats + "$id:conversation/read", ``, "conversation"},
		{"PATCH", chats + "$id:conversation/participants/me", `{"mutedUntil":null}`, "conversation"},
		{"DELETE", chats + "$id:conversation/participants/$id:stranger", ``, "conversation"},
		{"DELETE", chats + "$id:conversation/participants/$id:ben", ``, "conversation"},
		{"DELETE", chats + "$id:mine/participants/$id:ben", ``, "ben"},
		{"PATCH", chats + "$id:mine/participants/$id:ben", `{"role":"owner"}`, "ben"},
		{"POST", chats + "$id:mine/participants", `{"userId":"$id:hidden"}`, "hidden"},
		{"POST", "/api/chat/conversations", `{"participantIds":["$id:hidden"]}`, "hidden"},
		{"POST", "/api/chat/conversations", `{"participantIds":["$id:cleo","$id:hidden"]}`, "hidden"},
		{"POST", chats + "$id:conversation/invites", `{}`, "conversation"},
		{"PATCH", "/api/chat/messages/$id:message", `{"content":"x"}`, "message"},
		{"DELETE", "/api/chat/messages/$id:message", ``, "message"},
		{"GET", lists + "$id:list", ``, "list"},
		{"GET", lists + "$id:list/items?offset=1", ``, "list"},
		{"GET", lists + "$id:list/members", ``, "list"},
		{"POST", lists + "$id:list/items", `{"content":"x"}`, "list"},
		{"PATCH", lists + "$id:list/items/$id:item", `{"position":0}`, "item"},
		{"PATCH", lists + "$id:mylist/items/$id:item", `{"content":"x"}`, "item"},
		{"DELETE", lists + "$id:mylist/items/$id:item", ``, "item"},
		{"PATCH", lists + "$id:list/items/$id:myitem", `{"content":"x"}`, "list"},
		{"DELETE", lists + "$id:list/items/$id:myitem", ``, "list"},
		{"PUT", lists + "$id:mylist/members/$id:hidden", `{"role":"viewer"}`, "hidden"},
		{"DELETE", lists + "$id:mylist/members/$id:ben", ``, "ben"},
		{"DELETE", lists + "$id:list/members/$id:stranger", ``, "list"},
		{"PUT", lists + "$id:list/members/$id:stranger", `{"role":"editor"}`, "list"},
		{"GET", "/api/list/$id:list/presence", ``, "list"},
		{"POST", "/api/list/$id:list/presence", `{"typing":true}`, "list"},
		{"POST", "/api/list/$id:mylist/presence", `{"typing":true,"itemId":"$id:item"}`, "item"},
		{"GET", "/api/lists/$id:list/events", ``, "list"},
		{"GET", "/api/lists/$id:list/events?lastEventId=1", ``, "list"},
		{"PATCH", "/api/agent-keys/$id:key", `{"scopes":["read"]}`, "key"},
		{"DELETE", "/api/agent-keys/$id:key", ``, "key"},
	} {
		before := w.state()
		theirs := w.json("stranger", tc.method, w.fillIDs(tc.path), w.fillIDs(tc.body))
		if after := w.state(); after != before {
			t.Errorf("%s %s %s changed the database", tc.method, tc.path, tc.body)
		}
		real := w.ids["$id:"+tc.theirs]
		w.ids["$id:"+tc.theirs] = store.NewID()
		nobodys := w.json("stranger", tc.method, w.fillIDs(tc.path), w.fillIDs(tc.body))
		w.ids["$id:"+tc.theirs] = real
		if theirs.status < 400 || sameResponse(theirs) != sameResponse(nobodys) {
			t.Errorf("%s %s %s reveals what exists:\n%d %s\nwith an unknown id:\n%d %s", tc.method, tc.path, tc.body, theirs.status, theirs.raw,
				nobodys.status, nobodys.raw)
		}
	}
}

// addHidden creates an account that cannot be found, and stores its id under
// name.
func (w *world) addHidden(name string) {
	w.t.Helper()
	err := w.app.DB().Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: name + "@example.org", Name: w.plant("name"), DiscoveryMode: "hidden", VerifiedAt: tx.Now})
		w.ids["$id:"+name] = u.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// Concurrent requests get responses that they could also get one after the
// other. The invariants are checked when the world closes.
func TestConcurrentRequests(t *testing.T) {
	w := newWorld(t)
	for _, who := range []string{"ada", "ben", "cleo", "stranger"} {
		w.token(who)
	}
	group := func() string {
		id := idIn(t, w.json("ada", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ben.ID+`","`+w.cast.Cleo.ID+
			`"],"type":"group"}`).body)
		w.read(w.json("ada", "PATCH", "/api/chat/conversations/"+id+"/participants/"+w.cast.Ben.ID, `{"role":"owner"}`), 200, nil)
		return "/api/chat/conversations/" + id
	}
	t.Run("owners leave", func(t *testing.T) {
		c := group()
		got := w.concurrently(40, func(i int) response {
			who, u := "ada", w.cast.Ada
			if i%2 == 1 {
				who, u = "ben", w.cast.Ben
			}
			return w.json(who, "DELETE", c+"/participants/"+u.ID, "")
		})
		var left chat.Conversation
		w.read(w.json("cleo", "GET", c, ""), 200, &left)
		if got[204] != 1 || len(left.Participants) != 2 || left.Participants[0].Role != "owner" {
			t.Errorf("statuses %v, left are %+v", got, left.Participants)
		}
	})
	t.Run("owners demote each other", func(t *testing.T) {
		c := group()
		w.concurrently(40, func(i int) response {
			who, other := "ada", w.cast.Ben
			if i%2 == 1 {
				who, other = "ben", w.cast.Ada
			}
			return w.json(who, "PATCH", c+"/participants/"+other.ID, `{"role":"member"}`)
		})
		var left chat.Conversation
		w.read(w.json("cleo", "GET", c, ""), 200, &left)
		owners := 0
		for _, p := range left.Participants {
			if p.Role == "owner" {
				owners++
			}
		}
		if owners != 1 {
			t.Errorf("%d owners are left", owners)
		}
	})
	t.Run("a member is removed while sending", func(t *testing.T) {
		c := group()
		got := w.concurrently(40, func(i int) response {
			if i == 5 {
				return w.json("ada", "DELETE", c+"/participants/"+w.cast.Ben.ID, "")
			}
			return w.json("ben", "POST", c+"/messages", `{"content":"still here"}`)
		})
		var page chat.MessagePage
		w.read(w.json("ada", "GET", c+"/messages?limit=100", ""), 200, &page)
		if got[201]+got[404] != 39 || len(page.Messages) != got[201] {
			t.Errorf("statuses %v, %d messages", got, len(page.Messages))
		}
	})
	t.Run("send, read and delete", func(t *testing.T) {
		c := group()
		w.concurrently(60, func(i int) response {
			switch i % 3 {
			case 0:
				return w.json("ben", "PATCH", c+"/read", "")
			case 1:
				return w.json("ada", "POST", c+"/messages", `{"content":"news"}`)
			}
			res := w.json("cleo", "POST", c+"/messages", `{"content":"no"}`)
			return w.json("cleo", "DELETE", "/api/chat/messages/"+idIn(t, res.body), "")
		})
		w.read(w.json("ben", "PATCH", c+"/read", ""), 200, nil)
		var seen chat.Conversation
		w.read(w.json("ben", "GET", c, ""), 200, &seen)
		if seen.UnreadCount != 0 {
			t.Errorf("%d unread messages after all are read", seen.UnreadCount)
		}
	})
	t.Run("items are moved", func(t *testing.T) {
		l := "/api/lists/" + idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L","visibility":"public-edit"}`).body)
		var items []string
		for range 20 {
			items = append(items, idIn(t, w.json("ada", "POST", l+"/items", `{"content":"x"}`).body))
		}
		w.concurrently(60, func(i int) response {
			switch i % 4 {
			case 0:
				return w.json("stranger", "POST", l+"/items", `{"content":"new"}`)
			case 1:
				return w.json("ada", "DELETE", l+"/items/"+items[i%20], "")
			}
			return w.json("ada", "PATCH", l+"/items/"+items[i*7%20], fmt.Sprintf(`{"position":%d}`, i*13%15))
		})
		var page struct {
			Items []struct{ Position int }
			Total int
		}
		w.read(w.json("ada", "GET", l+"/items?limit=100", ""), 200, &page)
		for i, item := range page.Items {
			if item.Position != i {
				t.Fatalf("item %d has position %d", i, item.Position)
			}
		}
		if len(page.Items) != page.Total {
			t.Errorf("%d items, total %d", len(page.Items), page.Total)
		}
	})
	t.Run("a list is deleted while items are added", func(t *testing.T) {
		l := "/api/lists/" + idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L","visibility":"public-edit"}`).body)
		got := w.concurrently(40, func(i int) response {
			if i == 5 {
				return w.json("ada", "DELETE", l, "")
			}
			return w.json("stranger", "POST", l+"/items", `{"content":"late"}`)
		})
		if got[204] != 1 || got[201]+got[404] != 39 {
			t.Errorf("statuses %v", got)
		}
	})
}

// concurrently sends n requests at the same time and returns how many got each
// status.
func (w *world) concurrently(n int, send func(i int) response) map[int]int {
	w.t.Helper()
	start, got := make(chan struct{}), make(chan int, n)
	for i := range n {
		go func() {
			<-start
			got <- send(i).status
		}()
	}
	close(start)
	count := map[int]int{}
	for range n {
		status := <-got
		if count[status]++; status >= 500 {
			w.t.Errorf("status %d", status)
		}
	}
	return count
}
