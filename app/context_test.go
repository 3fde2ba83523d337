package app_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/cron"
	"hearth/store"
)

const (
	lanePath    = "/api/chat/conversations/$id:group/context"
	contentPath = "/api/chat/conversations/$id:group/content"
	inboxPath   = "/api/chat/context-agent/requests"
)

// laneWorld is a world with a group of ada, ben and cleo. Keys of ben and cleo
// receive requests.
func laneWorld(t testing.TB) *world {
	w := newWorld(t)
	w.ids["$id:group"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben","$id:cleo"],"type":"group"}`))
	for _, who := range []string{"ben/rw", "cleo/rw"} {
		w.must(who, "PUT", "/api/chat/context-agent/preferences", `{"enabled":true}`)
	}
	return w
}

// post posts to the lane and names the post.
func (w *world) post(who, text, name string) string {
	w.t.Helper()
	id := idIn(w.t, w.must(who, "POST", lanePath, fmt.Sprintf(`{"text":%q,"kind":"ask","clientRequestId":%q}`, text, store.NewID())))
	w.ids["$id:"+name] = id
	return id
}

// Without the setting no address of the Context lane exists, for nobody, and the
// content of a conversation is its Stream.
func TestContextLaneOff(t *testing.T) {
	w := laneWorld(t)
	w.post("ada", "hidden words", "post")
	w.must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"in the #stream"}`)
	off := w.copy(t, w.snapshot(), func(c *app.Config) { c.ContextLane = false })
	none := sameResponse(off.request("ada", "GET /api/chat/nothing"))
	for _, r := range api.Described() {
		if !strings.Contains(r.Path, "/context") {
			continue
		}
		path := strings.NewReplacer("{id}", w.ids["$id:group"], "{postId}", w.ids["$id:post"], "{requestId}", w.ids["$id:post"]).Replace(r.Path)
		if got := sameResponse(off.json("ada", r.Method, path, "")); got != none {
			t.Errorf("%s %s: %s", r.Method, r.Path, got)
		}
		if res := off.json("anonymous", r.Method, path, ""); res.status != 401 {
			t.Errorf("%s %s by nobody: %d", r.Method, r.Path, res.status)
		}
	}
	for filter, want := range map[string]string{"all": `"items":[{`, "stream": `"items":[{`, "context": `"items":[]`} {
		res := off.request("ben", "GET "+contentPath+"?filter="+filter)
		if s := string(res.body); res.status != 200 || !strings.Contains(s, want) || !strings.Contains(s, `"contextAvailable":false`) ||
			strings.Contains(s, "hidden words") {
			t.Errorf("%s: %d %s", filter, res.status, s)
		}
	}
}

// A person and their bots post 20 times a minute and 100 times a UTC day in a conversation,
// at most; both windows survive a restart, and repeating a post is no second one.
func TestContextRates(t *testing.T) {
	w := laneWorld(t)
	try := func(n int) response {
		return w.json("ada", "POST", w.fillIDs(lanePath), fmt.Sprintf(`{"text":"x","clientRequestId":"%d"}`, n))
	}
	refused := func(n int, code, retry string) {
		t.Helper()
		if res := try(n); res.status != 429 || !strings.Contains(string(res.body), code) || res.header.Get("Retry-After") != retry {
			t.Errorf("post %d: %d %s, again after %s", n, res.status, res.body, res.header.Get("Retry-After"))
		}
	}
	n := 0
	for range 5 {
		for range 20 {
			if res := try(n); res.status != 201 {
				t.Fatalf("post %d: %d %s", n, res.status, res.body)
			}
			n++
		}
		if n < 100 {
			refused(n, "too_many_posts", "60")
			if res := try(n - 1); res.status != 201 {
				t.Errorf("a repeated post: %d", res.status)
			}
		}
		w.clock.Advance(time.Minute + time.Second)
	}
	midnight := w.clock.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	again := w.copy(t, w.snapshot())
	if res := again.json("ada", "POST", w.fillIDs(lanePath), `{"text":"x","clientRequestId":"new"}`); res.status != 429 {
		t.Errorf("after a restart: %d", res.status)
	}
	if res := w.request("ben", "POST "+lanePath+` {"text":"x","clientRequestId":"1"}`); res.status != 201 {
		t.Errorf("another person: %d", res.status)
	}
	w.token("ada/bot")
	w.ids["$id:bot"] = w.viewer("ada/bot").UserID
	w.must("ada", "POST", "/api/chat/conversations/$id:group/participants", `{"userId":"$id:bot"}`)
	if res := w.request("ada/bot", "POST "+lanePath+` {"text":"x","clientRequestId":"1"}`); res.status != 429 {
		t.Errorf("a bot of the same person: %d", res.status)
	}
	w.clock.Advance(midnight.Sub(w.clock.Now()) + time.Second)
	if res := try(n); res.status != 201 {
		t.Errorf("on the next day: %d %s", res.status, res.body)
	}
}

// Nothing in the Context lane changes what is unread, causes a webhook, an
// automatic reply or an event on anybody's stream, or is a change of the
// conversation. Only those who have the lane open receive its events.
func TestContextNotifiesNobody(t *testing.T) {
	w := laneWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.must("ben", "POST", "/api/webhooks", `{"url":"https://hooks.example/all"}`)
	w.must("ben", "PATCH", "/api/secretary", `{"enabled":true}`)
	w.must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"one that is unread"}`)
	others := []string{"ada", "ben", "cleo", "ben/rw"}
	streams := map[string]*stream{}
	for _, who := range others {
		streams[who] = w.openStream(t, srv.URL, who, "/api/chat/events")
	}
	lane := w.openStream(t, srv.URL, "cleo/read", w.fillIDs(lanePath)+"/events")
	before := w.quiet(others)
	actions := w.randomContext(1000)
	if after := w.quiet(others); after != before {
		t.Errorf("after %d actions:\n%s\nbefore:\n%s", actions, after, before)
	}
	lane.expect("context.updated", w.ids["$id:group"])
	w.must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"the end"}`)
	for _, who := range others {
		if ev := streams[who].next(); !strings.Contains(ev, "the end") {
			t.Errorf("%s received %s", who, ev)
		}
	}
	if res := w.request("stranger", "GET "+lanePath+"/events"); res.status != 403 {
		t.Errorf("the stranger: %d", res.status)
	}
}

// presence is what a conversation shows of who was there last.
var presence = regexp.MustCompile(`"(presenceStatus|lastSeenAt)":("[^"]*"|null)`)

// quiet returns what must not change: the conversations with their unread counts,
// and the rows of deliveries, members, conversations and messages.
func (w *world) quiet(who []string) string {
	var out strings.Builder
	for _, name := range who {
		fmt.Fprintf(&out, "%s\n", presence.ReplaceAll(w.must(name, "GET", "/api/chat/conversations", ""), nil))
	}
	for _, name := range []string{"ada", "ben", "cleo"} {
		fmt.Fprintf(&out, "%s%s\n", w.must(name, "GET", "/api/chat/unread-total", ""), w.must(name, "GET", "/api/review", ""))
	}
	w.rows(func(table string, row []any) {
		if slices.Contains([]string{"delivery", "member", "conversation", "message"}, table) {
			fmt.Fprintln(&out, table, row)
		}
	})
	return out.String()
}

// randomContext does n random things in the lane, which succeed or not, and
// returns how many succeeded.
func (w *world) randomContext(n int) (done int) {
	rng := rand.New(rand.NewPCG(1, 2))
	people := []string{"ada", "ben", "cleo", "ada/rw", "ben/rw", "cleo/rw"}
	posts := []string{w.post("ada", "first", "post")}
	act := func() (string, string, string) {
		post := lanePath + "/" + posts[rng.IntN(len(posts))]
		switch rng.IntN(9) {
		case 0, 1:
			return "POST", lanePath, fmt.Sprintf(`{"text":"word #tag","kind":"offer","clientRequestId":%q,"replyToId":%q}`, store.NewID(),
				posts[rng.IntN(len(posts))])
		case 2:
			return "PATCH", post, fmt.Sprintf(`{"text":"changed","expectedRevision":%d}`, 1+rng.IntN(3))
		case 3:
			return "POST", post + "/ask-agents", ""
		case 4:
			return "POST", post + "/report", `{"reason":"Spam"}`
		case 5:
			return "POST", post + "/intention", `{"sourceRevision":1,"clientRequestId":"t"}`
		case 6:
			return "GET", contentPath, ""
		case 7:
			if rng.IntN(4) > 0 {
				return "GET", lanePath, ""
			}
			return "DELETE", post, ""
		}
		return "GET", inboxPath, ""
	}
	for range n {
		who := people[rng.IntN(len(people))]
		method, path, body := act()
		res := w.json(who, method, w.fillIDs(path), body)
		if res.status < 300 {
			done++
		}
		if method == "POST" && path == lanePath && res.status == 201 {
			posts = append(posts, idIn(w.t, res.body))
		}
		w.respondAll(rng, res.body, who, method+path == "GET"+inboxPath && res.status == 200)
		w.clock.Advance(time.Duration(rng.IntN(40)) * time.Second)
	}
	if done < n/3 {
		w.t.Errorf("only %d of %d actions succeeded", done, n)
	}
	return done
}

// respondAll answers the requests of an inbox.
func (w *world) respondAll(rng *rand.Rand, inbox []byte, who string, ok bool) {
	var v struct {
		Requests []struct{ ID string } `json:"requests"`
	}
	if !ok || json.Unmarshal(inbox, &v, json.MatchCaseInsensitiveNames(true)) != nil {
		return
	}
	for _, q := range v.Requests {
		w.json(who, "POST", inboxPath+"/"+q.ID+"/respond", []string{`{"text":"Yes"}`, `{"decline":true}`}[rng.IntN(2)])
	}
}

// What others write in a group after a person was removed does not change what that
// person exports: not what their own messages, posts and thoughts refer to either.
func TestExportAfterRemoval(t *testing.T) {
	w := laneWorld(t)
	const messages = "/api/chat/conversations/$id:group/messages"
	w.ids["$id:said"] = idIn(t, w.must("ada", "POST", messages, `{"content":"Said before #plan"}`))
	w.must("cleo", "POST", messages, `{"content":"An answer of @Ada","replyToId":"$id:said"}`)
	w.must("cleo", "POST", "/api/chat/messages/$id:said/reactions", `{"emoji":"👍"}`)
	w.must("cleo", "POST", "/api/thoughts", `{"sourceMessageId":"$id:said","text":"To remember"}`)
	w.post("ada", "Posted before", "post")
	w.must("cleo", "POST", lanePath, `{"text":"A reply","kind":"note","replyToId":"$id:post","clientRequestId":"`+store.NewID()+`"}`)
	export := func() string {
		text := string(w.must("cleo", "GET", "/api/auth/export?range=all_time", ""))
		return regexp.MustCompile(`"(exportedAt|lastSeenAt|lastUsedAt)": ?"[^"]*"`).ReplaceAllString(text, "")
	}
	if seen := export(); !strings.Contains(seen, "Posted before") || !strings.Contains(seen, "A reply") {
		t.Fatal("a member's export has not what their post replies to")
	}
	w.must("ada", "DELETE", "/api/chat/conversations/$id:group/participants/$id:cleo", "")
	before := export()
	w.must("ada", "PATCH", "/api/chat/messages/$id:said", `{"content":"Said after #plan"}`)
	w.must("ada", "PATCH", lanePath+"/$id:post", `{"text":"Posted after","expectedRevision":1}`)
	w.must("ada", "PATCH", "/api/chat/conversations/$id:group", `{"title":"Renamed after"}`)
	if after := export(); after != before || !strings.Contains(after, "A reply") {
		t.Errorf("the export has changed:\n%s\nbefore\n%s", after, before)
	}
}

// Requests older than 30 days are deleted, younger ones stay.
func TestOldRequestsAreDeleted(t *testing.T) {
	w := laneWorld(t)
	w.post("ada", "first", "post")
	w.must("ada", "POST", lanePath+"/$id:post/ask-agents", "")
	for days, want := range map[int]int{29: 2, 31: 0} {
		c := w.copy(t, w.snapshot())
		c.clock.Advance(time.Duration(days) * 24 * time.Hour)
		for _, j := range cron.StoreJobs(c.app.DB()) {
			if err := j.Run(context.Background()); err != nil {
				t.Fatalf("%s: %v", j.Name, err)
			}
		}
		n := 0
		c.rows(func(table string, _ []any) {
			if table == "context_request" {
				n++
			}
		})
		if n != want {
			t.Errorf("after %d days there are %d", days, n)
		}
	}
}

// fetchAs returns what a bearer of a token is answered.
func fetchAs(url, token string) (int, string) {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(body)
}
