package app_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fraction is the part of a time below a second.
var fraction = regexp.MustCompile(`(:\d\d)\.\d{6}Z`)

// Others see an invisible person, who goes on working, exactly as one who has gone
// at the moment of the switch, in every response and stream.
func TestInvisibleIsAway(t *testing.T) {
	seen := map[bool]string{}
	for _, invisible := range []bool{false, true} {
		w := newWorld(t)
		g := w.group("ben")
		w.ids["$id:list"] = idIn(t, w.must("ben", "POST", "/api/lists", `{"title":"L","visibility":"public"}`))
		w.must("ben", "PUT", w.fillIDs("/api/lists/$id:list/members/$id:ada"), `{"role":"editor"}`)
		w.must("ada", "GET", "/api/auth/me", "")
		srv := httptest.NewServer(w.h)
		chat := w.openStream(t, srv.URL, "ben", "/api/chat/events")
		list := w.openStream(t, srv.URL, "ben", w.fillIDs("/api/list/$id:list/events"))
		list.any()
		if invisible {
			w.must("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"invisible"}`)
			w.sweep(2 * time.Minute)
			own := w.openStream(t, srv.URL, "ada", w.fillIDs("/api/list/$id:list/events"))
			own.any()
			w.must("ada", "POST", w.fillIDs("/api/list/$id:list/presence"), `{"typing":true}`)
			w.must("ada", "POST", g+"/typing", "")
			w.must("ada", "PATCH", g+"/read", "")
			w.must("ada", "GET", "/api/chat/conversations", "")
		} else {
			w.sweep(2 * time.Minute)
		}
		var out strings.Builder
		for _, path := range []string{g, "/api/chat/conversations", "/api/people?q=ada", w.fillIDs("/api/list/$id:list/presence"), w.fillIDs("/api/lists/$id:list/members")} {
			for _, who := range []string{"ben", "anonymous"} {
				res := w.json(who, "GET", path, "")
				out.WriteString(path + " " + who + ": " + string(res.body) + "\n")
			}
		}
		w.must("ben", "POST", g+"/messages", `{"content":"the end"}`)
		for ev := ""; !strings.HasPrefix(ev, "message.created") && !strings.HasPrefix(ev, " "); {
			ev = chat.any() + " "
			out.WriteString(ev + "\n")
		}
		w.must("ben", "POST", w.fillIDs("/api/lists/$id:list/items"), `{"content":"the end"}`)
		for ev := ""; !strings.HasPrefix(ev, "change") && !strings.HasPrefix(ev, " "); {
			ev = list.any() + " "
			out.WriteString(ev + "\n")
		}
		text := out.String()
		for name, id := range w.ids {
			text = strings.ReplaceAll(text, id, name)
		}
		text = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(text, "<id>")
		seen[invisible] = fraction.ReplaceAllString(text, "$1")
		srv.CloseClientConnections()
		srv.Close()
	}
	if diff := cmp.Diff(strings.Split(seen[false], "\n"), strings.Split(seen[true], "\n")); diff != "" {
		t.Errorf("offline and invisible differ: %s", diff)
	}
	if !strings.Contains(seen[true], `"lastSeenAt":"2026-03-14T09:26:53"`) {
		t.Errorf("the moment of the switch is not shown: %s", seen[true])
	}
}

// Who cannot be found by name is not named to those who watch a public list and
// have no part in it.
func TestHiddenAreNotNamedToStrangers(t *testing.T) {
	w := newWorld(t)
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`)
	l := "/api/lists/" + regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(string(w.must("ada", "POST", "/api/lists", `{"title":"L","visibility":"public"}`)))
	w.must("ada", "GET", "/api/auth/me", "")
	w.sql(`INSERT INTO list_member (list_id, user_id, role, added_at) VALUES (?, ?, 'viewer', 1)`, strings.TrimPrefix(l, "/api/lists/"), w.cast.Cleo.ID)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.openStream(t, srv.URL, "cleo", l+"/events").any()
	for who, named := range map[string]bool{"anonymous": false, "stranger": false, "ada": true} {
		body := string(w.json(who, "GET", strings.Replace(l, "/lists/", "/list/", 1)+"/presence", "").body)
		if strings.Contains(body, w.cast.Cleo.ID) != named || strings.Contains(body, `"viewers":0`) {
			t.Errorf("%s: %s", who, body)
		}
		first := w.openStream(t, srv.URL, who, l+"/events").any()
		if strings.Contains(first, w.cast.Cleo.ID) != named {
			t.Errorf("%s on a stream: %s", who, first)
		}
	}
}
