package app_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// expect fails the test unless the next event has the name and its data
// contains the words, or, with "!" before a word, does not. It returns the data.
func (s *stream) expect(name string, words ...string) string {
	s.t.Helper()
	return s.check(s.next(), name, words...)
}

// check is expect for an event that was received.
func (s *stream) check(ev, name string, words ...string) string {
	s.t.Helper()
	got, data, _ := strings.Cut(ev, " ")
	if got != name {
		s.t.Fatalf("%s received %s %s, want %s", s.who, got, data, name)
	}
	for _, word := range words {
		word, not := strings.CutPrefix(word, "!")
		if strings.Contains(data, word) == not {
			s.t.Errorf("%s received %s %s", s.who, name, data)
		}
	}
	return data
}

// TestChatStream follows a group through the streams of its members: each
// receives in order what they may see, and a stranger nothing.
func TestChatStream(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	open := func(who string) *stream { return w.openStream(t, srv.URL, who, "/api/chat/events") }
	ada, ben, stranger := open("ada"), open("ben"), open("stranger")
	call := func(who, method, path, body string) (made struct {
		ID string `json:"id"`
	}) {
		t.Helper()
		res := w.json(who, method, w.fillIDs(path), w.fillIDs(body))
		if res.status > 299 {
			t.Fatalf("%s %s: %d %s", method, path, res.status, res.body)
		}
		if len(res.body) > 0 {
			if err := json.Unmarshal(res.body, &made); err != nil {
				t.Fatal(err)
			}
		}
		return made
	}
	group := "/api/chat/conversations/$id:group"
	w.ids["$id:group"] = call("ada", "POST", "/api/chat/conversations",
		`{"participantIds":["$id:ben"],"type":"group","title":"Sunday table"}`).ID
	if mine, his := ada.expect("conversation.updated"), ben.expect("conversation.updated", "!example.org"); mine != his {
		t.Errorf("not the same for all: %s, %s", mine, his)
	}
	call("ben", "POST", group+"/typing", "")
	ada.expect("typing", w.cast.Ben.ID)
	w.ids["$id:bread"] = call("ben", "POST", group+"/messages", `{"content":"Bread"}`).ID
	ben.expect("message.created", "ben@example.org") // and not his own typing before it
	ada.expect("message.created", "Bread", "!ben@example.org")
	call("ada", "PATCH", group+"/read", "")
	ada.expect("read.updated", `"unreadCount":0`)
	call("ben", "PATCH", "/api/chat/messages/$id:bread", `{"content":"Butter"}`)
	ada.expect("message.updated", "Butter")
	ben.expect("message.updated") // and not Ada's reading before it
	call("ben", "DELETE", "/api/chat/messages/$id:bread", "")
	ada.expect("message.deleted", "!Butter")
	ben.expect("message.deleted")
	call("ada", "DELETE", group+"/participants/$id:ben", "")
	ada.expect("conversation.updated")
	ada.expect("participant.updated", `"removed":true`, w.cast.Ben.ID)
	ben.expect("conversation.updated", `"removed":true`, "!Sunday")
	call("ada", "POST", group+"/messages", `{"content":"Without Ben"}`)
	ada.expect("message.created")
	// The next event that the others receive is their own.
	for _, s := range []*stream{ben, stranger} {
		call(s.who, "POST", "/api/chat/conversations", `{"participantIds":["$id:`+s.who+`"]}`)
		s.expect("conversation.updated", "!"+w.ids["$id:group"])
	}
}

// A client that reconnects receives what it missed, as it is now.
func TestChatStreamResumes(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	ben := w.openStream(t, srv.URL, "ben", "/api/chat/events")
	var conv, deleted struct {
		ID string `json:"id"`
	}
	json.Unmarshal(w.json("ada", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ben.ID+`"]}`).body, &conv)
	ben.expect("conversation.updated", conv.ID)
	messages := "/api/chat/conversations/" + conv.ID + "/messages"
	w.json("ada", "POST", messages, `{"content":"first"}`)
	ben.expect("message.created", "first")
	json.Unmarshal(w.json("ada", "POST", messages, `{"content":"regretted"}`).body, &deleted)
	w.json("ada", "DELETE", "/api/chat/messages/"+deleted.ID, "")
	w.json("ada", "POST", messages, `{"content":"last"}`)
	again := w.openStream(t, srv.URL, "ben", "/api/chat/events", "Last-Event-ID", ben.last)
	again.expect("message.created", deleted.ID, "!regretted")
	again.expect("message.deleted", deleted.ID, "!regretted")
	again.expect("message.created", "last")
}

// One person in two browsers and with an agent: all three receive the same
// events, each once; what is read in one browser is read in the other; and a
// phone that was asleep catches up with one request.
func TestPersonFormIsUniform(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.token("ada")
	w.tokens["ada/again"] = func() string { // another sign-in, as from another browser
		first := w.tokens["ada"]
		delete(w.tokens, "ada")
		second := w.token("ada")
		w.tokens["ada"] = first
		return second
	}()
	desk, couch, agent := w.openStream(t, srv.URL, "ada", "/api/chat/events"), w.openStream(t, srv.URL, "ada/again", "/api/chat/events"),
		w.openStream(t, srv.URL, "ada/rw", "/api/chat/events")
	everywhere := []*stream{desk, couch, agent}
	var conv struct {
		ID string `json:"id"`
	}
	json.Unmarshal(w.json("ben", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ada.ID+`"]}`).body, &conv)
	path := "/api/chat/conversations/" + conv.ID
	slept := w.app.DB().Now().String()
	w.turnClock("1h")
	w.json("ben", "POST", path+"/messages", `{"content":"Are you there?"}`)
	w.json("ada/rw", "POST", path+"/messages", `{"content":"She is in the garden."}`)
	w.json("ada/again", "PATCH", path+"/read", `{}`)
	for _, s := range everywhere {
		s.expect("conversation.updated", conv.ID)
		s.expect("message.created", "Are you there?")
		s.expect("message.created", "in the garden", `"agent":{"id":`, "ada@example.org")
		s.expect("read.updated", `"unreadCount":0`)
	}
	res := w.json("ben", "GET", "/api/chat/messages/since?since="+slept, "")
	if strings.Count(string(res.body), `"content"`) != 2 || !strings.Contains(string(res.body), `"truncated":false`) {
		t.Errorf("after an hour of sleep: %d %s", res.status, res.body)
	}
}
