package app_test

import (
	"net/url"
	"slices"
	"testing"
)

// has: finds messages by what is with them, with words and alone, until it is
// taken away.
func TestSearchByWhatMessagesHave(t *testing.T) {
	w := newWorld(t)
	at := w.group("ben") + "/messages"
	sent := map[string]string{}
	send := func(name, body string) {
		t.Helper()
		var m struct{ ID string }
		w.read(w.json("ada", "POST", at, body), 201, &m)
		sent[m.ID] = name
	}
	for name, kind := range map[string]string{"image": "png", "audio": "voice", "text": "words"} {
		id := idIn(t, w.upload("ada", "a."+kind, string(testFile(t, kind))).body)
		send(name, `{"content":"harbour `+name+`","attachments":[{"id":"`+id+`"}]}`)
	}
	send("link", `{"content":"harbour https://example.org"}`)
	send("loved", `{"content":"harbour at night"}`)
	send("plain", `{"content":"harbour"}`)
	idOf := func(name string) string {
		for id, n := range sent {
			if n == name {
				return id
			}
		}
		return ""
	}
	w.read(w.json("ben", "POST", "/api/chat/messages/"+idOf("loved")+"/reactions", `{"emoji":"👍"}`), 201, nil)
	find := func(q string) (names []string) {
		t.Helper()
		var out struct{ Messages []struct{ ID string } }
		w.read(w.json("ben", "GET", "/api/chat/search?q="+url.QueryEscape(q), ""), 200, &out)
		for _, m := range out.Messages {
			names = append(names, sent[m.ID])
		}
		slices.Sort(names)
		return names
	}
	want := map[string][]string{"image": {"image"}, "audio": {"audio"}, "video": nil, "file": {"audio", "image", "text"}, "link": {"link"},
		"reaction": {"loved"}}
	for what, names := range want {
		for _, q := range []string{"has:" + what, "harbour has:" + what} {
			if got := find(q); !slices.Equal(got, names) {
				t.Errorf("%s: %q, want %q", q, got, names)
			}
		}
	}
	w.read(w.json("ben", "DELETE", "/api/chat/messages/"+idOf("loved")+"/reactions/%F0%9F%91%8D", ""), 200, nil)
	w.read(w.json("ada", "DELETE", "/api/chat/messages/"+idOf("image"), ""), 200, nil)
	if got := append(find("has:reaction"), find("harbour has:image")...); len(got) > 0 {
		t.Errorf("taken away, and found: %q", got)
	}
}
