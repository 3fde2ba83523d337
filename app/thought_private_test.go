package app_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the owner's keys and embedded sessions and the other members receive is
// byte for byte the same with and without the owner's private thoughts: every
// page, with every filter, and the streams.
func TestPrivateThoughtsDoNotExist(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.ids["$id:group"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"],"type":"group"}`))
	w.ids["$id:message"] = idIn(t, w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"The oven is free"}`))
	for i := range 3 {
		w.must("ada", "POST", "/api/chat/conversations/$id:group/messages", fmt.Sprintf(`{"content":"#bread number %d"}`, i))
		w.ids["$id:t"] = idIn(t, w.must("ada", "POST", "/api/thoughts",
			fmt.Sprintf(`{"text":"#bread shared %d","sourceMessageId":"$id:message"}`, i)))
		w.must("ada", "POST", "/api/thoughts/$id:t/pin", `{"conversationId":"$id:group"}`)
	}
	others := []string{"ada/read", "ada/rw", "ada/embedded", "ben", "ben/rw"}
	paths := []string{"/api/chat/messages/since?since=2026-01-01T00:00:00Z", "/api/chat/conversations/$id:group"}
	for _, path := range []string{"/api/thoughts", "/api/chat/conversations/$id:group/stream"} {
		for _, query := range []string{"?limit=1", "?limit=3", "?limit=4", "?limit=6", "?limit=100", "?tag=bread&limit=2", "?tag=secret",
			"?before=2027-01-01T00:00:00Z"} {
			paths = append(paths, path+query)
		}
	}
	look := func() map[string]string {
		seen := map[string]string{}
		for _, who := range others {
			for _, path := range paths {
				seen[who+" "+path] = string(w.must(who, "GET", path, ""))
			}
		}
		return seen
	}
	before := look()
	streams := map[string]*stream{}
	for _, who := range append(others, "ada") {
		streams[who] = w.openStream(t, srv.URL, who, "/api/chat/events")
	}
	word := w.plant("secret", "ada")
	w.canaries[word] = []string{"ada"}
	for i := range 7 {
		id := idIn(t, w.must("ada", "POST", "/api/thoughts", fmt.Sprintf(`{"text":"#secret #bread %d","sourceConversationId":"$id:group"}`, i)))
		w.must("ada", "PATCH", "/api/thoughts/"+id, `{"status":"open"}`)
		w.ids["$id:private"] = id
	}
	w.must("ada", "POST", "/api/thoughts", `{"text":"#secret #bread","sourceMessageId":"$id:message"}`)
	w.must("ada", "PUT", "/api/chat/conversations/$id:group/stream/$id:private/collapsed", `{"collapsed":true}`)
	if d := cmp.Diff(before, look()); d != "" {
		t.Errorf("with private thoughts (+) they receive something else:\n%s", d)
	}
	// Reaching for one is as for one that does not exist.
	for _, who := range others {
		for _, try := range []struct{ method, path, body string }{
			{"PATCH", "/api/thoughts/%s", `{"status":"closed"}`}, {"DELETE", "/api/thoughts/%s", ""},
			{"POST", "/api/thoughts/%s/pin", `{"conversationId":"$id:group"}`}, {"DELETE", "/api/thoughts/%s/pin/$id:group", ""},
			{"PUT", "/api/chat/conversations/$id:group/stream/%s/collapsed", `{"collapsed":true}`},
		} {
			do := func(id string) string {
				return sameResponse(w.json(who, try.method, w.fillIDs(fmt.Sprintf(try.path, id)), w.fillIDs(try.body)))
			}
			if private, none := do(w.ids["$id:private"]), do(w.ids["$id:ben"]); private != none {
				t.Errorf("%s %s %s: %s, and %s for none", who, try.method, try.path, private, none)
			}
		}
	}
	for range 15 {
		streams["ada"].expect("thought.updated")
	}
	w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"the end"}`)
	for _, who := range others {
		if ev := streams[who].next(); !strings.Contains(ev, "the end") {
			t.Errorf("%s received %s", who, ev)
		}
	}
}

// Those who leave a conversation take the pins of their own thoughts with them;
// their messages, what was captured of them, and what they pinned of others stay.
// Where a thought comes from is disclosed to members of that conversation alone.
func TestStreamAfterLeaving(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:group"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben","$id:cleo"],"type":"group"}`))
	w.ids["$id:other"] = idIn(t, w.must("ben", "POST", "/api/chat/conversations", `{"participantIds":["$id:cleo"],"type":"group"}`))
	w.ids["$id:said"] = idIn(t, w.must("cleo", "POST", "/api/chat/conversations/$id:other/messages", `{"content":"elsewhere"}`))
	w.ids["$id:thought"] = idIn(t, w.must("ben", "POST", "/api/thoughts", `{"text":"mine","sourceMessageId":"$id:said"}`))
	w.must("ben", "POST", "/api/thoughts/$id:thought/pin", `{"conversationId":"$id:group"}`)
	w.must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"#captured words"}`)
	stream := func(who string) string {
		return string(w.must(who, "GET", "/api/chat/conversations/$id:group/stream", ""))
	}
	if s := stream("ada"); strings.Contains(s, w.ids["$id:said"]) || strings.Contains(s, w.ids["$id:other"]) ||
		!strings.Contains(s, `"hasSourceMessage":true`) {
		t.Errorf("Ada, who is not there, received %s", s)
	}
	if s := stream("cleo"); !strings.Contains(s, w.ids["$id:said"]) || !strings.Contains(s, w.ids["$id:other"]) {
		t.Errorf("Cleo, who is there, received %s", s)
	}
	w.must("cleo", "DELETE", "/api/chat/conversations/$id:other/participants/$id:cleo", "")
	if s := stream("cleo"); strings.Contains(s, w.ids["$id:said"]) || strings.Contains(s, w.ids["$id:other"]) {
		t.Errorf("Cleo, who left, received %s", s)
	}
	w.must("ben", "DELETE", "/api/chat/conversations/$id:group/participants/$id:ben", "")
	if s := stream("ada"); strings.Contains(s, w.ids["$id:thought"]) || !strings.Contains(s, "#captured words") {
		t.Errorf("after Ben left Ada received %s", s)
	}
	if s := string(w.must("ben", "GET", "/api/thoughts", "")); !strings.Contains(s, w.ids["$id:thought"]) ||
		!strings.Contains(s, w.ids["$id:said"]) {
		t.Errorf("Ben has %s", s)
	}
	if s := string(w.must("ben/read", "GET", "/api/thoughts", "")); s != `{"thoughts":[],"hasMore":false}`+"\n" {
		t.Errorf("Ben's key has %s", s)
	}
}

// Reactions reach everybody in the conversation with their own byMe, live and
// replayed.
func TestReactionStream(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.ids["$id:group"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben","$id:cleo"],"type":"group"}`))
	w.ids["$id:m"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"hello"}`))
	streams := map[string]*stream{}
	for _, who := range []string{"ada", "ben", "cleo", "stranger"} {
		streams[who] = w.openStream(t, srv.URL, who, "/api/chat/events")
	}
	w.must("ben", "POST", "/api/chat/messages/$id:m/reactions", `{"emoji":"👍"}`)
	w.must("ben", "POST", "/api/chat/messages/$id:m/reactions", `{"emoji":"👍"}`) // no event
	for who, mine := range map[string]string{"ada": "false", "ben": "true", "cleo": "false"} {
		streams[who].expect("reaction.updated", w.ids["$id:m"], w.ids["$id:group"], `"emoji":"👍","count":1,"byMe":`+mine)
	}
	w.must("cleo", "POST", "/api/chat/messages/$id:m/reactions", `{"emoji":"📁","kind":"filed","href":"https://files.example/"}`)
	people := map[string]string{"ada": "false", "ben": "false", "cleo": "true"}
	for who := range people {
		streams[who].expect("reaction.updated", `"emoji":"📁"`, `"emoji":"👍"`, `"href":"https://files.example/"`)
	}
	w.must("ben", "DELETE", "/api/chat/messages/$id:m/reactions/%F0%9F%91%8D", "")
	for who, mine := range people {
		streams[who].expect("reaction.updated", `"reactions":[{"emoji":"📁","count":1,"byMe":`+mine, "!👍")
	}
	replay := w.openStream(t, srv.URL, "cleo", "/api/chat/events", "Last-Event-ID", "0")
	for _, name := range []string{"conversation.updated", "message.created", "reaction.updated"} {
		replay.expect(name)
	}
	w.must("ada", "DELETE", "/api/chat/messages/$id:m", "")
	if s := string(w.must("ben", "GET", "/api/chat/conversations/$id:group/messages", "")); !strings.Contains(s, `"reactions":[]`) {
		t.Errorf("after the deletion: %s", s)
	}
	w.must("stranger", "PUT", "/api/auth/me/status", `{"text":"Here"}`)
	if ev := streams["stranger"].any(); !strings.HasPrefix(ev, "presence ") {
		t.Errorf("the stranger received %s", ev)
	}
}
