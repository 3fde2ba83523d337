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

// Others see an invisible person, who goes on working, exactly as one who has signed
// out or gone at the moment of the switch, in every response and stream: at once as one
// who signed out, and a minute later as both. The agent of each goes on, too.
func TestInvisibleIsAway(t *testing.T) {
	invisible, invisibleLater := lookAway(t, "invisible")
	out, outLater := lookAway(t, "signed out")
	_, goneLater := lookAway(t, "gone")
	for _, c := range []struct{ what, want, got string }{{"signed out", out, invisible}, {"signed out, later", outLater, invisibleLater},
		{"gone, later", goneLater, invisibleLater}} {
		if diff := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(c.got, "\n")); diff != "" {
			t.Errorf("%s and invisible differ: %s", c.what, diff)
		}
	}
	for _, text := range []string{invisible, invisibleLater} {
		if !strings.Contains(text, `"lastSeenAt":"2026-03-14T09:26:53"`) {
			t.Errorf("the moment of the switch is not shown: %s", text)
		}
	}
}

// lookAway returns what others see of Ada after she becomes invisible, signs out or
// closes everything: at once, and two minutes later with what the streams received.
func lookAway(t *testing.T, how string) (atOnce, later string) {
	t.Helper()
	w := newWorld(t)
	g := w.group("ben")
	w.ids["$id:list"] = idIn(t, w.must("ben", "POST", "/api/lists", `{"title":"L","visibility":"public"}`))
	w.must("ben", "PUT", "/api/lists/$id:list/members/$id:ada", `{"role":"editor"}`)
	w.must("ada/rw", "GET", "/api/auth/me", "") // makes her key
	w.must("ada", "GET", "/api/auth/me", "")
	srv := httptest.NewServer(w.h)
	defer srv.Close()
	defer srv.CloseClientConnections()
	chat := w.openStream(t, srv.URL, "ben", "/api/chat/events")
	list := w.openStream(t, srv.URL, "ben", w.fillIDs("/api/list/$id:list/events"))
	list.any()
	for _, key := range []string{"ada/rw", "ada/list"} { // her agents go on
		w.openStream(t, srv.URL, key, w.fillIDs("/api/list/$id:list/events")).any()
	}
	look := func(out *strings.Builder) {
		for _, path := range []string{g, "/api/chat/conversations", "/api/people?q=ada", w.fillIDs("/api/list/$id:list/presence"),
			w.fillIDs("/api/lists/$id:list/members")} {
			for _, who := range []string{"ben", "anonymous"} {
				out.WriteString(path + " " + who + ": " + string(w.json(who, "GET", path, "").body) + "\n")
			}
		}
	}
	var now, after strings.Builder
	switch how {
	case "invisible":
		w.must("ada", "PUT", "/api/auth/me/status", `{"presenceStatus":"invisible"}`)
	case "signed out":
		w.must("ada", "POST", "/api/auth/logout", "")
	}
	look(&now)
	if w.sweep(2 * time.Minute); how == "invisible" {
		own := w.openStream(t, srv.URL, "ada", w.fillIDs("/api/list/$id:list/events"))
		own.any()
		w.must("ada", "POST", "/api/list/$id:list/presence", `{"typing":true}`)
		w.must("ada", "POST", g+"/typing", "")
		w.must("ada", "PATCH", g+"/read", "")
		w.must("ada", "GET", "/api/chat/conversations", "")
	}
	w.must("ada/rw", "GET", "/api/chat/conversations", "")
	w.must("ada/rw", "POST", "/api/list/$id:list/presence", `{"typing":true}`)
	w.must("ada/rw", "POST", g+"/typing", "")
	if err := w.app.Account.FlushKeyUse(t.Context()); err != nil {
		t.Fatal(err)
	}
	look(&after)
	w.must("ben", "POST", g+"/messages", `{"content":"the end"}`)
	for ev := ""; !strings.HasPrefix(ev, "message.created") && !strings.HasPrefix(ev, " "); {
		ev = chat.any() + " "
		after.WriteString(ev + "\n")
	}
	w.must("ben", "POST", "/api/lists/$id:list/items", `{"content":"the end"}`)
	for ev := ""; !strings.HasPrefix(ev, "change") && !strings.HasPrefix(ev, " "); {
		ev = list.any() + " "
		after.WriteString(ev + "\n")
	}
	clean := func(text string) string {
		for name, id := range w.ids {
			text = strings.ReplaceAll(text, id, name)
		}
		text = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(text, "<id>")
		return fraction.ReplaceAllString(text, "$1")
	}
	return clean(now.String()), clean(after.String())
}

// A person who begins to hide is no longer named to strangers who already watch a
// public list, whatever the person does there afterwards. Their sign of typing ends.
func TestHidingReachesOpenStreams(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:list"] = idIn(t, w.must("ada", "POST", "/api/lists", `{"title":"L","visibility":"public"}`))
	w.must("ada", "PUT", "/api/lists/$id:list/members/$id:cleo", `{"role":"editor"}`)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	path := w.fillIDs("/api/list/$id:list/events")
	streams := map[string]*stream{}
	for _, who := range []string{"anonymous", "stranger", "ada"} {
		streams[who] = w.openStream(t, srv.URL, who, path)
	}
	wait := func(what, until string, named map[string]bool) {
		t.Helper()
		for who, s := range streams {
			for ev := ""; !strings.Contains(ev, until); {
				if ev = s.any(); ev == "" {
					t.Fatalf("%s: the stream of %s ended", what, who)
				}
				if strings.Contains(ev, w.cast.Cleo.ID) && !named[who] {
					t.Errorf("%s: %s received %s", what, who, ev)
				}
			}
		}
	}
	all := map[string]bool{"anonymous": true, "stranger": true, "ada": true}
	w.must("cleo", "POST", "/api/list/$id:list/presence", `{"typing":true}`)
	wait("typing", `"typing":[{"id":"`+w.cast.Cleo.ID, all)
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`)
	wait("hiding", `"typing":[]`, all)
	own := w.openStream(t, srv.URL, "cleo", path)
	wait("watching", `"viewers":4`, map[string]bool{"ada": true})
	w.must("cleo", "POST", "/api/list/$id:list/presence", `{"typing":true}`)
	own.any()
	w.must("ada", "POST", "/api/lists/$id:list/items", `{"content":"the end"}`)
	wait("typing again", "change", map[string]bool{"ada": true})
}

// Who cannot be found by name is not named to those who watch a public list and
// have no part in it.
func TestHiddenAreNotNamedToStrangers(t *testing.T) {
	w := newWorld(t)
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`)
	l := "/api/lists/" + regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(string(w.must("ada", "POST", "/api/lists",
		`{"title":"L","visibility":"public"}`)))
	w.must("ada", "GET", "/api/auth/me", "")
	w.sql(`INSERT INTO list_member (list_id, user_id, role, added_at) VALUES (?, ?, 'viewer', 1)`, strings.TrimPrefix(l, "/api/lists/"),
		w.cast.Cleo.ID)
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

// A public list does not name a hidden person to strangers: not as its owner, not as the author of an
// item or a comment, and not as the person who ticked an item. It makes no difference whether the list
// was public when they wrote. Those who have a part in the list and those who know them see who it was.
func TestHiddenAuthorsAreNotNamedToStrangers(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:list"] = idIn(t, w.must("ada", "POST", "/api/lists", `{"title":"L","visibility":"private","checkable":true}`))
	w.must("ada", "PUT", "/api/lists/$id:list/members/$id:cleo", `{"role":"editor"}`)
	w.ids["$id:item"] = idIn(t, w.must("cleo", "POST", "/api/lists/$id:list/items", `{"content":"Harbour"}`))
	w.must("cleo", "PATCH", "/api/lists/$id:list/items/$id:item", `{"checked":true}`)
	w.must("cleo", "POST", "/api/lists/$id:list/items/$id:item/comments", `{"content":"At the pier"}`)
	w.must("ada", "PATCH", "/api/lists/$id:list", `{"visibility":"public"}`)
	paths := []string{"/api/lists/$id:list/items", "/api/lists/$id:list/items/$id:item", "/api/lists/$id:list/items/$id:item/comments",
		"/api/search?q=harbour",
		"/list/$id:list", "/list/$id:list/item/$id:item", "/list/$id:list/feed.json", "/list/$id:list/feed.atom", "/list/search?q=harbour"}
	name := w.cast.Cleo.Name
	look := func(who string, named bool) {
		t.Helper()
		for _, path := range paths {
			res := w.json(who, "GET", w.fillIDs(path), "")
			if res.status != 200 || !strings.Contains(string(res.body), "Harbour") && !strings.Contains(string(res.body), "At the pier") {
				t.Fatalf("%s of %s: %d %s", path, who, res.status, res.body)
			}
			if strings.Contains(string(res.body), name) != named || !named && strings.Contains(string(res.body), w.cast.Cleo.ID) {
				t.Errorf("%s of %s: named is not %v: %s", path, who, named, res.body)
			}
		}
	}
	for _, who := range []string{"anonymous", "stranger", "ben", "ada", "cleo"} {
		look(who, true)
	}
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`)
	for who, named := range map[string]bool{"anonymous": false, "stranger": false, "ada": true, "cleo": true} {
		look(who, named)
	}
	w.must("stranger", "PUT", "/api/lists/$id:list/items/$id:item/star", "")
	body := string(w.must("stranger", "GET", "/api/lists/$id:list/items/$id:item/comments", ""))
	for _, want := range []string{`"author_id":null,"author_name":"A member","content":"At the pier"`, `"deleted_at":null`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	w.must("ada", "PATCH", "/api/lists/$id:list", `{"visibility":"private"}`)
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"name"}`)
	w.must("ada", "PUT", "/api/lists/$id:list/owner", `{"user_id":"$id:cleo"}`)
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`)
	w.must("cleo", "PATCH", "/api/lists/$id:list", `{"visibility":"public"}`)
	for who, named := range map[string]bool{"anonymous": false, "stranger": false, "ada": true} {
		for _, path := range []string{"/api/lists", "/api/lists/$id:list", "/", "/list/$id:list", "/list/$id:list/feed.json",
			"/list/$id:list/feed.atom"} {
			if body := string(w.json(who, "GET", w.fillIDs(path), "").body); strings.Contains(body, name) != named ||
				strings.Contains(body, "/people/"+w.cast.Cleo.ID) && !named {
				t.Errorf("%s of %s: named is not %v: %s", path, who, named, body)
			}
		}
	}
	w.must("cleo", "PATCH", "/api/auth/me", `{"discoveryMode":"name"}`)
	look("anonymous", true)
}
