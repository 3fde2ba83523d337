package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ownStreams are the paths of a person's own events: as JSON, and for an open page.
var ownStreams = []string{"/api/chat/events", "/chat/live"}

// TestPageStream follows a group through the streams of open pages: each has the message as the person's page
// shows it, nobody the address of another person, and who may not see it nothing.
func TestPageStream(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	open := func(who string, header ...string) *stream {
		return w.openStream(t, srv.URL, who, "/chat/live", header...)
	}
	group := w.group("ben", "cleo")
	streams := map[string]*stream{}
	for _, who := range []string{"ada", "ben", "cleo", "stranger"} {
		streams[who] = open(who)
	}
	message := "/api/chat/messages/" + idIn(t, w.must("ben", "POST", group+"/messages", `{"content":"Bread for @Ada"}`))
	each := func(name string, want map[string]string, words ...string) {
		t.Helper()
		for who, own := range want {
			streams[who].expect(name, append(words, strings.Fields(own)...)...)
		}
	}
	const reacted = "react-own"
	each("message.created", map[string]string{"ada": `mention-me "mentioned":true`, "ben": `>You< "unread":false !mention-me`,
		"cleo": `>Ben<` + ` "unread":true !mention-me`}, "Bread", "!example.org")
	w.must("ada", "POST", message+"/reactions", `{"emoji":"👍"}`)
	each("reaction.updated", map[string]string{"ada": reacted, "ben": "!" + reacted, "cleo": "!" + reacted}, "Thumbs up", "!example.org")
	w.must("ben", "PATCH", message, `{"content":"Butter"}`)
	each("message.updated", map[string]string{"ada": reacted, "ben": "!" + reacted, "cleo": "!" + reacted}, "Butter", "!Bread", "!example.org")
	w.must("ben", "DELETE", message, "")
	each("message.deleted", map[string]string{"ada": "", "ben": "", "cleo": ""}, "Message deleted", "!Butter", "!Thumbs")

	// Who is no longer a member receives nothing more, neither now nor later.
	w.must("ada", "DELETE", group+"/participants/$id:cleo", "")
	streams["cleo"].expect("conversation.updated", `"removed":true`)
	w.must("ada", "POST", group+"/messages", `{"content":"Without her"}`)
	for _, who := range []string{"cleo", "stranger"} {
		w.must(who, "POST", "/api/chat/conversations", `{"participantIds":["$id:`+who+`"]}`)
		streams[who].expect("conversation.updated", "!"+strings.TrimPrefix(group, "/api/chat/conversations/"))
		late := open(who, "Last-Event-ID", "0")
		for ev := "-"; ev != "" && !strings.Contains(ev, `"direct"`); {
			if ev = late.next(); strings.Contains(ev, "Without her") || strings.Contains(ev, "Butter") {
				t.Errorf("%s received %s", who, ev)
			}
		}
	}
	for _, who := range []string{"anonymous", "ada/rw"} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/chat/live", nil)
		if who != "anonymous" {
			req.Header.Set("Authorization", "Bearer "+w.token(who))
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", who, res.Status)
		}
	}
	if res := w.json("ada", "HEAD", "/chat/live", ""); res.status != http.StatusNotFound {
		t.Errorf("HEAD: %d", res.status)
	}
}
