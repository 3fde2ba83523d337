package app_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

// group creates a group of ada's with others of the cast and returns its path.
func (w *world) group(others ...string) string {
	w.t.Helper()
	ids := make([]string, len(others))
	for i, who := range others {
		ids[i] = `"$id:` + who + `"`
	}
	var c struct{ ID string }
	w.read(w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(`{"type":"group","title":"G","participantIds":[`+strings.Join(ids, ",")+
		`]}`)), 201, &c)
	return "/api/chat/conversations/" + c.ID
}

// A member who left a group comes back by their own act alone. A removed member
// comes back only if an owner adds them, and by no link that was or will be made.
func TestLeavingAndRemovalHold(t *testing.T) {
	w := newWorld(t)
	g := w.group("ben", "cleo")
	var old, later struct{ Token string }
	w.read(w.json("ada", "POST", g+"/invites", `{}`), 201, &old)

	w.want("ben", "DELETE", g+"/participants/$id:ben", "", 204, "")
	w.want("ada", "POST", g+"/participants", `{"userId":"$id:ben"}`, 409, "not_addable")
	w.ids["$id:bot"] = w.viewer("ben/bot").UserID
	w.want("ada", "POST", g+"/participants", `{"userId":"$id:bot"}`, 409, "not_addable") // not as a bot either
	w.want("ben", "POST", "/api/chat/invites/"+old.Token+"/accept", "", 200, `"title":"G"`)

	w.want("ada", "DELETE", g+"/participants/$id:cleo", "", 204, "")
	w.read(w.json("ada", "POST", g+"/invites", `{}`), 201, &later)
	for _, token := range []string{old.Token, later.Token} {
		w.want("cleo", "GET", "/api/chat/invites/"+token, "", 404, "not_found")
		w.want("cleo", "POST", "/api/chat/invites/"+token+"/accept", "", 404, "not_found")
	}
	w.want("ada", "POST", g+"/participants", `{"userId":"$id:cleo"}`, 201, "")
	w.want("cleo", "GET", g, "", 200, "")
}

// Who was removed does not come back as a bot of theirs, and no other bot comes in the
// place of one that was removed: neither by a link nor into an open group.
func TestRemovalHoldsForBots(t *testing.T) {
	w := newWorld(t)
	for removed, barred := range map[string][]string{"ben": {"ben", "ben/bot"}, "ben/bot": {"ben/bot"}} {
		who := w.viewer(removed).UserID
		w.ids["$id:removed"] = who
		g := w.group("cleo")
		var link struct{ Token string }
		w.read(w.json("ada", "POST", g+"/invites", `{}`), 201, &link)
		accept := "/api/chat/invites/" + link.Token + "/accept"
		w.want(removed, "POST", accept, "", 200, "")
		w.want("ada", "DELETE", g+"/participants/$id:removed", "", 204, "")
		for _, who := range barred {
			w.want(who, "POST", accept, "", 404, "not_found")
		}
		w.want("ada", "PATCH", g, `{"open":true}`, 200, "")
		for _, who := range barred {
			w.want(who, "POST", g+"/join", "", 404, "not_found")
		}
		w.want("stranger", "POST", g+"/join", "", 200, "")
	}
	// A bot that is a member goes with its owner, but stays when they leave.
	for _, tc := range []struct {
		by     string
		status int
	}{{"ada", 404}, {"ben", 200}} {
		g := w.group("ben")
		w.want("ada", "PATCH", g, `{"open":true}`, 200, "")
		w.want("ben/bot", "POST", g+"/join", "", 200, "")
		w.want(tc.by, "DELETE", g+"/participants/$id:ben", "", 204, "")
		w.want("ben/bot", "GET", g, "", tc.status, "")
	}
	// Another bot of the owner's.
	g := w.group("ben")
	w.want("ada", "PATCH", g, `{"open":true}`, 200, "")
	w.want("ben/bot", "POST", g+"/join", "", 200, "")
	w.ids["$id:removed"] = w.viewer("ben/bot").UserID
	w.want("ada", "DELETE", g+"/participants/$id:removed", "", 204, "")
	var made struct{ Key string }
	w.read(w.json("ben", "POST", "/api/agent-keys", `{"name":"second","scopes":["read","write"],"bot":{"name":"Second"}}`), 201, &made)
	w.tokens["ben/second"] = made.Key
	w.want("ben/second", "POST", g+"/join", "", 404, "not_found")
	w.want("ben", "GET", g, "", 200, "")
}

// When the owner of a list removes a person, the person's bots are removed too. The bots
// stay when the person leaves.
func TestBotsLeaveAListWithTheirOwner(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:bot"] = w.viewer("ben/bot").UserID
	for by, status := range map[string]int{"ada": 404, "ben": 200} {
		list := "/api/lists/" + idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Shared","visibility":"private"}`, 201, "").body)
		for _, who := range []string{"ben", "bot", "cleo"} {
			w.want("ada", "PUT", list+"/members/$id:"+who, `{"role":"viewer"}`, 200, "")
		}
		w.want(by, "DELETE", list+"/members/$id:ben", "", 204, "")
		w.want("ben", "GET", list, "", 404, "")
		w.want("ben/bot", "GET", list, "", status, "")
		w.want("cleo", "GET", list, "", 200, "")
	}
}

// A link admits nobody once its creator is no owner any more, and not again when
// they become one.
func TestLinksEndWithTheRightToMakeThem(t *testing.T) {
	w := newWorld(t)
	g := w.group("ben")
	w.want("ada", "PATCH", g+"/participants/$id:ben", `{"role":"owner"}`, 200, "")
	var made struct{ Token string }
	w.read(w.json("ben", "POST", g+"/invites", `{}`), 201, &made)
	w.want("ada", "PATCH", g+"/participants/$id:ben", `{"role":"member"}`, 200, "")
	w.want("cleo", "POST", "/api/chat/invites/"+made.Token+"/accept", "", 404, "")
	w.want("ada", "PATCH", g+"/participants/$id:ben", `{"role":"owner"}`, 200, "")
	w.want("cleo", "POST", "/api/chat/invites/"+made.Token+"/accept", "", 404, "")
	w.want("ada", "GET", g+"/invites", "", 200, `"invites":[]`)
}

// An account says who may add it to groups; its bots are added by the same people.
func TestWhoMayAddToGroups(t *testing.T) {
	w := newWorld(t)
	g := w.group("cleo")
	bot := w.viewer("ben/bot").UserID
	add := func(status int) {
		t.Helper()
		text := map[int]string{409: "not_addable"}[status]
		w.want("ada", "POST", "/api/chat/conversations", `{"type":"group","participantIds":["$id:cleo","$id:ben"]}`, status, text)
		w.want("ada", "POST", "/api/chat/conversations", `{"type":"group","participantIds":["`+bot+`"]}`, status, text)
		w.want("ada", "POST", w.group("cleo")+"/participants", `{"userId":"$id:ben"}`, status, text)
	}
	w.want("ben", "GET", "/api/auth/me", "", 200, `"groupAdds":"everybody"`)
	add(201)
	w.want("ben", "PATCH", "/api/auth/me", `{"groupAdds":"friends"}`, 200, `"groupAdds":"friends"`)
	add(409)
	w.want("ada", "POST", "/api/friends/users/$id:ben/request", "", 200, "")
	add(409)
	w.want("ben", "POST", "/api/friends/users/$id:ada/accept", "", 200, "")
	add(201)
	w.want("ben", "PATCH", "/api/auth/me", `{"groupAdds":"nobody"}`, 200, `"groupAdds":"nobody"`)
	add(409)
	var made struct{ Token string }
	w.read(w.json("ada", "POST", g+"/invites", `{}`), 201, &made)
	w.want("ben", "POST", "/api/chat/invites/"+made.Token+"/accept", "", 200, "")
	w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"]}`, 201, `"direct"`)
}

// Others add an account to at most 100 groups within an hour.
func TestAdditionsAreLimited(t *testing.T) {
	w := newLimitedWorld(t)
	for range maxAdded {
		w.group("ben")
		w.clock.Advance(time.Second)
	}
	w.limitReached("ada", `POST /api/chat/conversations {"type":"group","participantIds":["$id:ben","$id:cleo"]}`, 429, "too_many_additions")
	w.limitReached("ada", "POST "+w.group("cleo")+`/participants {"userId":"$id:ben"}`, 429, "too_many_additions")
	w.clock.Advance(time.Hour + time.Second)
	w.group("ben")
}

const maxAdded = 100

// What is sent to the members of a large group for a change is that change: its
// size does not depend on the size of the group, and changes that were missed are
// sent once.
func TestEventsOfLargeGroupsAreSmall(t *testing.T) {
	w := newWorld(t)
	g := w.group("ben")
	id := strings.TrimPrefix(g, "/api/chat/conversations/")
	people := w.others(500)
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		for _, p := range people {
			if err := tx.AddMember(id, p, "member"); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	s := w.openStream(t, srv.URL, "ben", "/api/chat/events")
	w.must("ada", "PATCH", g, `{"title":"New"}`)
	ev := s.until("conversation.updated")
	if t.Logf("a new title is an event of %d bytes", len(ev)); len(ev) > 500 || !strings.Contains(ev, `"title":"New"`) {
		t.Errorf("got %s", ev)
	}
	start := s.last
	w.must("ada", "POST", g+"/participants", w.fillIDs(`{"userId":"$id:cleo"}`))
	if ev := s.until("participant.updated"); len(ev) > 600 || !strings.Contains(ev, w.cast.Cleo.ID) || strings.Contains(ev, "cleo@") {
		t.Errorf("%d bytes: %s", len(ev), ev)
	}
	w.must("ada", "DELETE", g+"/participants/"+w.cast.Cleo.ID, "")
	if ev := s.until("participant.updated"); !strings.Contains(ev, `"removed":true`) || strings.Contains(ev, "Cleo") {
		t.Errorf("got %s", ev)
	}
	for n := range 50 {
		w.must("ada", "PATCH", g, fmt.Sprintf(`{"title":"Title %d"}`, n))
	}
	w.must("ada", "POST", g+"/messages", `{"content":"last"}`)
	again := w.openStream(t, srv.URL, "ben", "/api/chat/events", "Last-Event-ID", start)
	states := 0
	for {
		ev := again.next()
		if strings.HasPrefix(ev, "conversation.updated ") {
			states++
			if !strings.Contains(ev, `"title":"Title 49"`) {
				t.Errorf("got %s", ev)
			}
		}
		if ev == "" || strings.HasPrefix(ev, "message.created ") {
			break
		}
	}
	if states != 1 {
		t.Errorf("52 changes that were missed are sent as %d states", states)
	}
}

// until returns the next event with the name.
func (s *stream) until(name string) string {
	s.t.Helper()
	for {
		if ev := s.next(); ev == "" || strings.HasPrefix(ev, name+" ") {
			return ev
		}
	}
}

// A token or key that was issued for less than a day makes nothing that lasts longer: no
// webhook, no other address of one, and no wider scopes of a key.
func TestShortTokensMakeNothingLasting(t *testing.T) {
	w := newWorld(t)
	var short struct{ Token string }
	w.read(w.json("bridge", "POST", "/api/auth/bridge-exchange", `{"app":"social","email":"ada@example.org","ttl":"60s"}`), 201, &short)
	w.tokens["ada/short"] = short.Token
	w.read(w.json("ada/short", "POST", "/api/auth/token", `{"embedded":true}`), 200, &short)
	w.tokens["ada/embedded by short"] = short.Token
	id := idIn(t, w.want("ada", "POST", "/api/webhooks", `{"url":"https://example.org/a"}`, 201, "").body)
	key := idIn(t, w.want("ada", "POST", "/api/agent-keys", `{"name":"k","scopes":["read"]}`, 201, "").body)
	for _, who := range []string{"ada/short", "ada/embedded by short", "ada/embedded"} {
		w.want(who, "POST", "/api/webhooks", `{"url":"https://example.org/b"}`, 403, "short_lived_token")
		w.want(who, "PATCH", "/api/webhooks/"+id, `{"url":"https://example.org/b"}`, 403, "short_lived_token")
		w.want(who, "PATCH", "/api/webhooks/"+id, `{"enabled":false}`, 200, `"https://example.org/a"`)
		w.want(who, "PATCH", "/api/webhooks/"+id, `{"enabled":true}`, 403, "short_lived_token")
	}
	w.want("ada/short", "PATCH", "/api/agent-keys/"+key, `{"scopes":["read","write"]}`, 403, "short_lived_token")
	w.token("root")
	w.read(w.json("bridge", "POST", "/api/auth/bridge-exchange", `{"app":"social","email":"root@example.org","ttl":"60s"}`), 201, &short)
	w.tokens["root/short"] = short.Token
	w.want("root/short", "POST", "/api/community/invitations", `{}`, 403, "short_lived_token")
	w.want("root", "POST", "/api/community/invitations", `{}`, 201, "")
	w.want("ada", "PATCH", "/api/webhooks/"+id, `{"enabled":true}`, 200, "")
	w.want("ada/rw", "POST", "/api/webhooks", `{"url":"https://example.org/c"}`, 201, "")
	for valid, short := range map[time.Duration]bool{22 * time.Hour: true, 24*time.Hour - time.Minute: false} {
		var k struct{ Key string }
		until := w.clock.Now().Add(valid).UTC().Format(time.RFC3339)
		w.read(w.json("ada", "POST", "/api/agent-keys", fmt.Sprintf(`{"name":"k","scopes":["read","write"],"expiresAt":%q}`, until)), 201, &k)
		w.tokens["ada/key"] = k.Key
		status, code := 201, ""
		if short {
			status, code = 403, "short_lived_key"
			w.want("ada/key", "PATCH", "/api/webhooks/"+id, `{"url":"https://example.org/d"}`, status, code)
		}
		w.want("ada/key", "POST", "/api/webhooks", `{"url":"https://example.org/d"}`, status, code)
		w.want("ada/key", "PATCH", "/api/webhooks/"+id, `{"enabled":false}`, 200, "")
	}
}

// A list is handed over to a person who is there, and only while nobody else would see
// it in their name.
func TestWhoIsHandedAList(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:bot"] = w.viewer("ben/bot").UserID
	list := "/api/lists/" + idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Shared","visibility":"public"}`, 201, "").body)
	for _, who := range []string{"ben", "bot", "cleo"} {
		w.want("ada", "PUT", list+"/members/$id:"+who, `{"role":"viewer"}`, 200, "")
	}
	hand := func(to string, status int, text string) {
		t.Helper()
		w.want("ada", "PUT", list+"/owner", `{"user_id":"$id:`+to+`"}`, status, text)
	}
	hand("ben", 409, "not_private")
	w.want("anonymous", "GET", list, "", 200, `"owner_name":"Ada"`)
	w.want("ada", "PATCH", list, `{"visibility":"private"}`, 200, "")
	hand("bot", 400, "must be a person")
	w.want("cleo", "POST", "/api/chat/users/$id:ada/block", "", 200, "")
	hand("cleo", 400, "must be a person")
	hand("ben", 200, `"owner_name":"Ben"`)
}

// Comments between people with a block between them leave no trace: they are not
// counted either.
func TestCommentsBetweenBlockedPeople(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:l"] = idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"L","visibility":"public","items":[{"content":"one"}]}`, 201,
		"").body)
	w.ids["$id:i"] = w.firstItem("$id:l")
	const item = "/api/lists/$id:l/items/$id:i"
	for _, who := range []string{"cleo", "ben", "ben/bot"} {
		w.want(who, "POST", item+"/comments", `{"content":"c"}`, 201, "")
	}
	w.want("ben", "POST", "/api/chat/users/$id:cleo/block", "", 200, "")
	for who, n := range map[string]int{"ada": 3, "anonymous": 3, "ben": 2, "ben/bot": 2, "cleo": 1, "stranger": 3} {
		for _, path := range []string{item, "/api/lists/$id:l/items"} {
			w.want(who, "GET", path, "", 200, fmt.Sprintf(`"comment_count":%d`, n))
		}
		w.want(who, "GET", item+"/comments", "", 200, fmt.Sprintf(`"total":%d`, n))
	}
}

// Nor do those who have a block hear of each other's comments, live or when they come back.
func TestCommentsOfBlockedPeopleAreNotHeard(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"L","visibility":"public","items":[{"content":"one"}]}`, 201, "").body)
	w.ids["$id:l"] = id
	w.ids["$id:i"] = w.firstItem(id)
	w.want("ben", "POST", "/api/chat/users/$id:cleo/block", "", 200, "")
	const item = "/api/lists/$id:l/items/$id:i"
	streams := map[string]*stream{}
	for _, who := range []string{"ada", "ben", "cleo", "ben/bot"} {
		streams[who] = w.openStream(t, srv.URL, who, "/api/lists/"+id+"/events")
	}
	say := func(who string) {
		t.Helper()
		w.want(who, "POST", item+"/comments", `{"content":"c"}`, 201, "")
	}
	say("ben")
	say("ben/bot")
	w.want("ada", "PUT", item+"/star", "", 200, "")
	for who, kinds := range map[string]string{"ada": "comments comments stars", "ben": "comments comments stars",
		"ben/bot": "comments comments stars", "cleo": "stars"} {
		for kind := range strings.FieldsSeq(kinds) {
			ev := streams[who].next()
			if !strings.Contains(ev, `"table":"`+kind+`"`) {
				t.Errorf("%s: %s, want one of %s", who, ev, kind)
			}
		}
	}
}
