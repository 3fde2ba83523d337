package app_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/store"
)

// blockRequests are the requests with which a person can try to find out about another
// person, $id:other, who made the objects in them.
var blockRequests = []string{
	"GET /api/people?q=other", "GET /api/people?q=other@example.org", "GET /api/chat/conversations", "GET /api/chat/unread-total",
	"GET /api/chat/messages/since?since=2026-01-01T00:00:00Z", "GET /api/friends",
	"GET /api/chat/conversations/$id:direct", "GET /api/chat/conversations/$id:direct/messages",
	"PATCH /api/chat/conversations/$id:direct/read",
	"POST /api/chat/conversations/$id:direct/typing", `PATCH /api/chat/conversations/$id:direct/participants/me {"mutedUntil":null}`,
	`PATCH /api/chat/messages/$id:message {"content":"x"}`, "DELETE /api/chat/messages/$id:message",
	`POST /api/chat/messages/$id:message/reactions {"emoji":"👍"}`,
	`POST /api/chat/conversations {"participantIds":["$id:other"]}`,
	`POST /api/chat/conversations {"participantIds":["$id:other","$id:cleo"]}`,
	`POST /api/chat/conversations/$id:own/participants {"userId":"$id:other"}`,
	"GET /api/friends/users/$id:other", "POST /api/friends/users/$id:other/request", "POST /api/friends/users/$id:other/accept",
	"POST /api/friends/users/$id:other/decline", "POST /api/friends/users/$id:other/cancel", "POST /api/friends/users/$id:other/remove",
	"GET /api/card/$text:card", "GET /api/card/$text:card/friend-status", "POST /api/card/$text:card/friend-request",
	`POST /api/chat/reports {"targetType":"message","targetId":"$id:message","reason":"spam"}`,
	"GET /api/chat/invites/$text:invite", "POST /api/chat/invites/$text:invite/accept",
	`PUT /api/lists/$id:list/members/$id:other {"role":"viewer"}`,
	"GET /api/chat/search?q=theirs", "GET /api/chat/search?q=mine", "GET /api/chat/search?q=from:other",
	"GET /api/chat/search?q=theirs&conversationId=$id:direct",
	"GET /api/chat/attachments/$id:file", `POST /api/chat/conversations/$id:own/messages {"attachments":[{"id":"$id:file"}]}`,
	`POST /api/chat/conversations/$id:own/messages {"content":"x","replyToId":"$id:message"}`,
	"GET /api/thoughts", "GET /api/chat/conversations/$id:direct/stream", `POST /api/thoughts {"text":"x","sourceMessageId":"$id:message"}`,
	`POST /api/thoughts {"text":"x","sourceConversationId":"$id:direct"}`, `PATCH /api/thoughts/$id:thought {"status":"closed"}`,
	"DELETE /api/thoughts/$id:thought",
	`POST /api/thoughts/$id:thought/pin {"conversationId":"$id:own"}`, "DELETE /api/thoughts/$id:thought/pin/$id:direct",
	`PUT /api/chat/conversations/$id:direct/stream/$id:thought/collapsed {"collapsed":true}`,
	"DELETE /api/chat/messages/$id:message/reactions/%F0%9F%91%8D", "GET /api/secretary", "GET /api/webhooks",
	`POST /api/webhooks {"url":"https://hooks.example/","conversationId":"$id:direct"}`,
	"GET /api/lists/$id:list/members", "GET /api/list/$id:list/presence", "GET /api/lists/$id:theirlist", "GET /api/lists/$id:theirlist/items",
	"GET /api/lists/$id:theirlist/members", "GET /api/list/$id:theirlist/presence", "GET /api/lists?public=true", "GET /api/lists?mine=true",
	"GET /api/people?q=other's", `POST /api/chat/conversations {"participantIds":["$id:bot"]}`,
	`POST /api/chat/conversations/$id:own/participants {"userId":"$id:bot"}`,
	"GET /api/friends/users/$id:bot", "GET /api/chat/conversations/$id:botdirect", "GET /api/chat/conversations/$id:botdirect/messages",
}

// blockedRequests are those that only who is blocked must not learn from.
var blockedRequests = []string{
	"GET /api/auth/export?range=all_time", "POST /api/chat/users/$id:bot/block",
	"GET /api/chat/blocks", "POST /api/chat/users/$id:other/block", "DELETE /api/chat/users/$id:other/block",
	`POST /api/chat/reports {"targetType":"user","targetId":"$id:other","reason":"spam"}`,
}

// blockWorld is a world in which who asks about other. If exists is not set,
// there is no such person and nothing that they made.
func blockWorld(t *testing.T, who, other string, exists, met bool) *world {
	w := newWorld(t)
	must := func(by, request string, capture ...string) {
		t.Helper()
		res := w.request(by, request)
		if res.status > 299 {
			t.Fatalf("%s %s: %d %s", by, request, res.status, res.body)
		}
		var got struct{ ID, Token string }
		_ = json.Unmarshal(res.body, &got, json.MatchCaseInsensitiveNames(true))
		for _, name := range capture {
			w.ids[name] = got.ID + got.Token
			if strings.HasSuffix(name, "list") {
				w.ids[name] = idIn(t, res.body)
			}
			if strings.HasPrefix(name, "$text:") {
				w.ids[name] = got.Token
			}
		}
	}
	w.ids["$id:other"], w.ids["$id:who"] = w.ids["$id:"+other], w.ids["$id:"+who]
	must(who, `POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group","title":"Mine"}`, "$id:own")
	must(who, `POST /api/lists {"title":"Mine","visibility":"private"}`, "$id:list")
	for _, name := range []string{"$id:direct", "$id:message", "$id:file", "$id:thought", "$id:theirlist", "$id:bot", "$id:botdirect"} {
		w.ids[name] = store.NewID()
	}
	w.ids["$text:card"], w.ids["$text:invite"] = "unknown", "unknown"
	if !exists {
		w.sql(`PRAGMA foreign_keys = on; DELETE FROM user WHERE id = '` + w.ids["$id:other"] + `'`)
		return w
	}
	must(other, `POST /api/lists {"title":"Theirs","visibility":"private"}`, "$id:theirlist")
	must(other+"/bot", "GET /api/auth/me", "$id:bot")
	if met {
		must(who, `POST /api/chat/conversations {"participantIds":["$id:bot"]}`, "$id:botdirect")
		must(other+"/bot", `POST /api/chat/conversations/$id:botdirect/messages {"content":"theirs"}`)
		must(other, `POST /api/chat/conversations {"participantIds":["$id:who"]}`, "$id:direct")
		must(who, `POST /api/chat/conversations/$id:direct/messages {"content":"mine"}`)
		upload := w.do(other, "POST", "/api/chat/attachments", nil, "file:note.txt:text")
		w.ids["$id:file"] = idIn(w.t, upload.body)
		must(other, `POST /api/chat/conversations/$id:direct/messages {"content":"theirs","attachments":[{"id":"$id:file"}]}`, "$id:message")
		must(who, `POST /api/chat/messages/$id:message/reactions {"emoji":"👍"}`)
		must(other, `POST /api/thoughts {"text":"theirs","sourceMessageId":"$id:message"}`, "$id:thought")
		must(other, `POST /api/thoughts/$id:thought/pin {"conversationId":"$id:direct"}`)
		must(other, "POST /api/friends/users/$id:who/request")
	}
	must(other, `PATCH /api/card/me {"enabled":true}`, "$text:card")
	must(other, `POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group","title":"Theirs"}`, "$id:theirs")
	must(other, "POST /api/chat/conversations/$id:theirs/invites {}", "$text:invite")
	return w
}

// request sends "METHOD /path body" with the ids filled in.
func (w *world) request(who, request string) response {
	w.t.Helper()
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	return w.json(who, method, w.fillIDs(path), w.fillIDs(body))
}

var anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)

// plain returns a response without what differs between any two worlds: the ids
// by their names, no times, and no digest and length of the body.
func (w *world) plain(res response) string {
	text := anyTime.ReplaceAllString(res.raw, "<time>")
	for _, name := range []string{"$id:ada", "$id:ben", "$id:cleo", "$id:stranger", "$id:own", "$id:list"} {
		text = strings.ReplaceAll(text, w.ids[name], name)
	}
	return regexp.MustCompile(`(?m)^(Content-Length: \d+|Etag: "[0-9a-f]{16}")\r?\n`).ReplaceAllString(text, "")
}

// For both sides of a block, every response about the other equals the response of
// a server without the other, whether or not they knew each other before.
func TestBlockedIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		who, other, blocker string
		requests            []string
	}{
		"the blocked": {"ben", "ada", "ada", append(blockedRequests, blockRequests...)},
		"the blocker": {"ada", "ben", "ada", blockRequests},
	} {
		for _, met := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " who met"}[met], func(t *testing.T) {
				t.Parallel()
				with, without := blockWorld(t, c.who, c.other, true, met), blockWorld(t, c.who, c.other, false, met)
				blocked := map[string]string{c.who: c.other, c.other: c.who}[c.blocker]
				if res := with.request(c.blocker, "POST /api/chat/users/$id:"+blocked+"/block"); res.status != 200 {
					t.Fatalf("%d %s", res.status, res.body)
				}
				for _, r := range c.requests {
					r = strings.NewReplacer("q=other", "q="+c.other, "from:other", "from:"+c.other).Replace(r)
					a, b := with.request(c.who, r), without.request(c.who, r)
					if a.status != b.status {
						t.Errorf("%s: %d with the other, %d without: %s %s", r, a.status, b.status, a.body, b.body)
					} else if d := cmp.Diff(without.plain(b), with.plain(a)); d != "" {
						t.Errorf("%s differs: without (-), with (+)\n%s", r, d)
					}
				}
			})
		}
	}
}

// A person who is blocked receives the same events as on a server without the
// one who blocks them: nothing of what that person does.
func TestBlockedStreamIsMissing(t *testing.T) {
	for _, path := range ownStreams {
		t.Run(path, func(t *testing.T) { testBlockedStreamIsMissing(t, path) })
	}
}

func testBlockedStreamIsMissing(t *testing.T, path string) {
	var streams [2][]string
	for i, exists := range []bool{true, false} {
		w := blockWorld(t, "ben", "ada", exists, false)
		srv := httptest.NewServer(w.h)
		t.Cleanup(srv.Close)
		if exists {
			w.request("ada", "POST /api/chat/users/$id:ben/block")
		}
		s := w.openStream(t, srv.URL, "ben", path+"?lastEventId=0")
		if exists {
			w.request("ada", `PUT /api/auth/me/status {"text":"here"}`)
			w.request("ada", `POST /api/chat/conversations {"participantIds":["$id:ben"]}`)
			w.request("ada", "POST /api/friends/users/$id:ben/request")
			w.request("ada", "POST /api/chat/conversations/$id:theirs/typing")
		}
		w.request("ben", `POST /api/chat/conversations/$id:own/messages {"content":"the end"}`)
		for {
			ev := w.plain(response{raw: s.any()})
			if strings.Contains(ev, "the end") || ev == "" {
				break
			}
			streams[i] = append(streams[i], ev)
		}
	}
	if d := cmp.Diff(streams[1], streams[0]); d != "" || len(streams[0]) == 0 {
		t.Errorf("without (-), with (+)\n%s", d)
	}
}
