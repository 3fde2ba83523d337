package app_test

import (
	"net/http/httptest"
	"testing"
)

// two returns the next two events, that with the name that sorts first before
// the other: ephemeral events have no order among the others.
func (s *stream) two() (a, b string) {
	s.t.Helper()
	if a, b = s.any(), s.any(); a > b {
		a, b = b, a
	}
	return a, b
}

// A block removes the direct conversation from the open pages of both and shows
// each as offline to the other in a group, and unblocking undoes that. Others
// notice nothing, and while it lasts neither sees what the other does.
func TestBlockStream(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	call := func(who, method, path, body string) {
		t.Helper()
		if res := w.json(who, method, w.fillIDs(path), w.fillIDs(body)); res.status > 299 {
			t.Fatalf("%s %s: %d %s", method, path, res.status, res.body)
		}
	}
	make := func(name, body string) {
		t.Helper()
		w.ids["$id:"+name] = idIn(t, w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(body)).body)
	}
	make("direct", `{"participantIds":["$id:ben"]}`)
	make("group", `{"participantIds":["$id:ben","$id:cleo"],"title":"Sunday table"}`)
	call("ben", "PUT", "/api/auth/me/status", `{"text":"Swimming"}`)
	open := func(who string) *stream { return w.openStream(t, srv.URL, who, "/api/chat/events") }
	ada, ben, cleo := open("ada"), open("ben"), open("cleo")

	call("ada", "POST", "/api/chat/users/$id:ben/block", "")
	for _, s := range []*stream{ada, ben} {
		left, presence := s.two()
		s.check(left, "conversation.updated", w.ids["$id:direct"], `"removed":true`)
		s.check(presence, "presence", `"presenceStatus":"offline"`, "!Swimming")
	}
	call("ben", "POST", "/api/chat/conversations/$id:direct/messages", `{"content":"dropped"}`)
	call("ben", "POST", "/api/chat/conversations/$id:group/typing", "")
	cleo.check(cleo.any(), "typing", w.cast.Ben.ID)
	call("ben", "PUT", "/api/auth/me/status", `{"text":"Diving"}`)
	cleo.check(cleo.any(), "presence", "Diving")
	ben.check(ben.any(), "presence", "Diving")
	call("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"to all"}`)
	for _, s := range []*stream{ada, ben, cleo} {
		s.check(s.any(), "message.created", "to all") // and no typing or presence before it
	}
	call("ada", "PATCH", "/api/chat/conversations/$id:group", `{"title":"Monday table"}`)
	for _, s := range []*stream{ada, ben, cleo} {
		s.expect("conversation.updated", "Monday", "!Diving")
	}
	call("ada", "PATCH", "/api/chat/conversations/$id:group/participants/$id:ben", `{"role":"owner"}`)
	ada.expect("participant.updated", `"owner"`, "!Diving")
	ben.expect("participant.updated", `"owner"`, "Diving")
	cleo.expect("participant.updated", `"owner"`, "Diving")

	call("ada", "DELETE", "/api/chat/users/$id:ben/block", "")
	for s, of := range map[*stream]string{ada: "Diving", ben: w.cast.Ada.ID} {
		back, presence := s.two()
		s.check(back, "conversation.updated", w.ids["$id:direct"], `"removed":false`)
		s.check(presence, "presence", of, `"available"`)
	}
	// Who missed it all receives what they may see now.
	late := w.openStream(t, srv.URL, "ben", "/api/chat/events?lastEventId=0")
	late.expect("message.created", "to all")
	late.expect("conversation.updated", "Monday")
	late.expect("participant.updated", w.cast.Ben.ID)
	late.expect("conversation.updated", `"removed":false`)
}
