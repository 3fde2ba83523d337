package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/account"
	"hearth/app/lane"
	"hearth/store"
	"hearth/store/storetest"
)

// inboxOf returns the ids of the requests that a key can answer.
func (w *world) inboxOf(who string) (ids []string) {
	w.t.Helper()
	var v struct {
		Requests []struct{ ID string } `json:"requests"`
	}
	if err := json.Unmarshal(w.must(who, "GET", inboxPath, ""), &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
	for _, q := range v.Requests {
		ids = append(ids, q.ID)
	}
	return ids
}

// Of 50 simultaneous answers to one request exactly one is posted. Other answers with
// the same words return it, and answers with other words are conflicts.
func TestManyAnswersAtOnce(t *testing.T) {
	w := laneWorld(t)
	for round := range 4 {
		w.post("ada", fmt.Sprint("Who knows? ", round), "post")
		w.must("ada", "POST", lanePath+"/$id:post/ask-agents", "")
		path := inboxPath + "/" + w.firstRequest("ben/rw") + "/respond"
		got := make([]response, 50)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				body := fmt.Sprintf(`{"text":"answer %d"}`, i%5)
				if round == 3 && i%5 == 0 {
					body = `{"decline":true}`
				}
				got[i] = w.json("ben/rw", "POST", path, body)
			})
		}
		all.Wait()
		posts, statuses := map[string]bool{}, map[int]int{}
		for _, res := range got {
			statuses[res.status]++
			if m := regexp.MustCompile(`"post":\{"id":"([^"]+)"`).FindSubmatch(res.body); m != nil {
				posts[string(m[1])] = true
			}
		}
		replies := 0
		w.rows(func(table string, row []any) {
			if table == "context_post" && strings.Contains(fmt.Sprint(row...), "answer ") &&
				strings.Contains(fmt.Sprint(row...), w.ids["$id:post"]) {
				replies++
			}
		})
		if len(posts) != replies || replies > 1 || statuses[200]+statuses[409] != 50 || round < 3 && (replies != 1 || statuses[200] != 10) {
			t.Errorf("round %d: %d posts, %d shown, %v", round, replies, len(posts), statuses)
		}
	}
}

// What ends a request ends it at reading and at answering alike: for the agent it
// is as if it had never been there.
func TestRequestsAreCheckedAgain(t *testing.T) {
	staged := laneWorld(t)
	for _, who := range []string{"ada", "ben", "cleo", "ben/rw", "ada/rw"} {
		staged.token(who)
	}
	staged.ids["$id:benkey"] = staged.keyID("ben/rw")
	staged.post("ada", "Who knows?", "post")
	staged.must("ada", "POST", lanePath+"/$id:post/ask-agents", "")
	id := staged.firstRequest("ben/rw")
	db := staged.snapshot()
	for name, end := range map[string]func(w *world){
		"edited":           func(w *world) { w.must("ada", "PATCH", lanePath+"/$id:post", `{"text":"Else","expectedRevision":1}`) },
		"deleted":          func(w *world) { w.must("ada", "DELETE", lanePath+"/$id:post", "") },
		"owner left":       func(w *world) { w.must("ben", "DELETE", "/api/chat/conversations/$id:group/participants/$id:ben", "") },
		"owner removed":    func(w *world) { w.must("ada", "DELETE", "/api/chat/conversations/$id:group/participants/$id:ben", "") },
		"owner blocks":     func(w *world) { w.must("ben", "POST", "/api/chat/users/$id:ada/block", "") },
		"requester blocks": func(w *world) { w.must("ada", "POST", "/api/chat/users/$id:ben/block", "") },
		"no opt-in": func(w *world) {
			w.must("ben", "PUT", "/api/chat/context-agent/preferences", `{"keyId":"$id:benkey","enabled":false}`)
		},
		"fewer scopes":      func(w *world) { w.must("ben", "PATCH", "/api/agent-keys/$id:benkey", `{"scopes":["write"]}`) },
		"revoked":           func(w *world) { w.must("ben", "DELETE", "/api/agent-keys/$id:benkey", "") },
		"expired":           func(w *world) { w.clock.Advance(24 * time.Hour) },
		"requester deleted": func(w *world) { w.must("ada", "DELETE", "/api/auth/me", "") },
	} {
		t.Run(name, func(t *testing.T) {
			w := staged.copy(t, db)
			if !slices.Contains(w.inboxOf("ben/rw"), id) {
				t.Fatal("the request is not there")
			}
			end(w)
			if res := w.json("ben/rw", "GET", inboxPath, ""); strings.Contains(res.raw, id) || strings.Contains(res.raw, "Who knows") {
				t.Errorf("the inbox has it: %s", res.body)
			}
			w.ids["$id:q"] = id
			for _, body := range []string{`{"text":"Me"}`, `{"decline":true}`} {
				res, none := w.json("ben/rw", "POST", inboxPath+"/"+id+"/respond", body),
					w.json("ben/rw", "POST", inboxPath+"/"+store.NewID()+"/respond", body)
				if sameResponse(res) != sameResponse(none) || res.status < 400 {
					t.Errorf("an answer: %d %s, and to no request %d", res.status, res.body, none.status)
				}
			}
		})
	}
}

// A person and their bots ask at most 30 agents within an hour, also after a restart. They ask at
// most ten agents about one post, and each account once about a revision.
func TestAskLimits(t *testing.T) {
	w := laneWorld(t)
	asked, start := 0, w.clock.Now()
	for i := range 15 {
		w.post("ada", fmt.Sprint("question ", i), "post")
		for range 2 {
			var out struct{ Queued, Available int }
			if err := json.Unmarshal(w.must("ada", "POST", lanePath+"/$id:post/ask-agents", ""), &out,
				json.MatchCaseInsensitiveNames(true)); err != nil || out.Available != 2 {
				t.Fatalf("%v %+v", err, out)
			}
			asked += out.Queued
		}
		w.clock.Advance(3 * time.Second)
	}
	if asked != 30 {
		t.Fatalf("%d were asked", asked)
	}
	w.post("ada", "one more", "post")
	again := w.copy(t, w.snapshot())
	again.token("ada/bot")
	again.ids["$id:bot"] = again.viewer("ada/bot").UserID
	again.must("ada", "POST", "/api/chat/conversations/$id:group/participants", `{"userId":"$id:bot"}`)
	if res := again.request("ada/bot", "POST "+lanePath+"/$id:post/ask-agents"); res.status != 429 {
		t.Errorf("a bot of the same person: %d %s", res.status, res.body)
	}
	if res := again.request("ada", "POST "+lanePath+"/$id:post/ask-agents"); res.status != 429 || res.header.Get("Retry-After") == "" {
		t.Errorf("after a restart: %d %s", res.status, res.body)
	}
	if got := len(again.inboxOf("ben/rw")); got != 15 {
		t.Errorf("the inbox has %d", got)
	}
	if got := times(t, again.must("ben/rw", "GET", inboxPath, ""), start); got != "expiresAt=24h0m" {
		t.Errorf("the requests have %s", got)
	}
	again.clock.Advance(time.Hour)
	for range 6 {
		again.post("ada", "an hour later", "post")
		again.must("ada", "POST", lanePath+"/$id:post/ask-agents", "")
	}
	if got := len(again.inboxOf("ben/rw")); got != 20 {
		t.Errorf("of 21 requests the inbox has %d", got)
	}
}

// A request for the inbox that waits returns as soon as its agent is asked, with
// nothing when its time is over. Others are not woken, and none holds a reader.
func TestWaitingForRequests(t *testing.T) {
	w := laneWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	type answer struct {
		status int
		body   string
	}
	poll := func(who string, wait int) chan answer {
		out := make(chan answer, 1)
		token := w.token(who)
		before := w.app.Lane.Waiting()
		go func() {
			status, body := fetchAs(srv.URL+inboxPath+fmt.Sprintf("?wait=%d", wait), token)
			out <- answer{status, body}
		}()
		for w.app.Lane.Waiting() == before {
			time.Sleep(time.Millisecond)
		}
		return out
	}
	first, second, other := poll("ben/rw", 30), poll("ben/rw", 30), poll("cleo/rw", 30)
	w.must("cleo", "PUT", "/api/chat/context-agent/preferences", `{"keyId":"`+w.keyID("cleo/rw")+`","enabled":false}`)
	w.post("ada", "Who knows?", "post")
	w.must("ada", "POST", lanePath+"/$id:post/ask-agents", "")
	for _, c := range []chan answer{first, second} {
		if a := <-c; a.status != 200 || !strings.Contains(a.body, "Who knows?") {
			t.Errorf("asked: %+v", a)
		}
	}
	w.app.Lane.EndWaits()
	if a := <-other; a.status != 403 {
		t.Errorf("the other, without its opt-in: %+v", a)
	}
	if res := w.request("ben/rw", "GET "+inboxPath+"?wait=30"); res.status != 200 {
		t.Errorf("while the server stops: %d", res.status)
	}
}

// agentKeys makes a key that receives requests for each of n accounts. The first account
// is in a group with the askers.
func agentKeys(t testing.TB, w *world, n int) (keys, askers []string, group string) {
	people := make([]string, n+50)
	err := w.app.DB().Write(context.Background(), func(tx *store.Tx) (err error) {
		for i := range people {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("agent%d@example.org", i), Name: "Agent", SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			people[i] = u.ID
		}
		askers = people[n:]
		group, err = tx.InsertGroup(people[0], askers, "Group")
		return err
	})
	for _, id := range people[:n] {
		if err != nil {
			t.Fatal(err)
		}
		by := storetest.Human(store.User{ID: id})
		made, keyErr := w.app.Account.CreateAgentKey.Call(context.Background(), by, account.CreateAgentKeyIn{Name: "agent"})
		if err = keyErr; err == nil {
			_, err = w.app.Lane.SetContextPreference.Call(context.Background(), by,
				lane.SetContextPreferenceIn{KeyID: made.ID, Enabled: new(true)})
		}
		keys = append(keys, made.Key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keys, askers, group
}

// Requests that wait for the inbox hold nothing of the database, however many they
// are: others are served, and the write-ahead log can be emptied.
func TestWaitingHoldsNoReader(t *testing.T) {
	w := laneWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	keys, _, _ := agentKeys(t, w, min(30, 4+2*runtime.NumCPU())) // more than there are readers, as far as one address may
	var all sync.WaitGroup
	defer all.Wait()
	defer w.app.Lane.EndWaits()
	for _, key := range keys {
		all.Go(func() {
			if status, body := fetchAs(srv.URL+inboxPath+"?wait=30", key); status != 200 {
				t.Errorf("waiting: %d %s", status, body)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for w.app.Lane.Waiting() < len(keys) {
		if ctx.Err() != nil {
			t.Fatalf("%d of %d requests wait", w.app.Lane.Waiting(), len(keys))
		}
		time.Sleep(time.Millisecond)
	}
	for range len(keys) {
		w.must("ada", "GET", "/api/chat/conversations/$id:group", "")
	}
	// A request counts as waiting shortly before it looks for the first time.
	for empty := false; !empty; {
		w.must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"for the log"}`)
		var err error
		if empty, err = w.app.DB().Truncate(ctx); err != nil {
			t.Fatal("the log cannot be emptied: ", err)
		}
	}
	if waiting := w.app.Lane.Waiting(); waiting != len(keys) {
		t.Errorf("%d of %d requests wait", waiting, len(keys))
	}
}

// The agent of the handbook, run as it stands there, answers what it is asked once,
// and declines what it has nothing to say about.
func TestHandbookAgent(t *testing.T) {
	text, err := os.ReadFile("../web/docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			storetest.Without(t, "the agent needs %s, which is not installed", tool)
		}
	}
	m := regexp.MustCompile("(?s)<!-- agent.sh -->\n```sh\n(.*?)```").FindSubmatch(text)
	if m == nil {
		t.Fatal("the page has no agent.sh")
	}
	if n := strings.Count(string(m[1]), "\n"); n > 20 {
		t.Errorf("it has %d lines", n)
	}
	file := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(file, m[1], 0o700); err != nil {
		t.Fatal(err)
	}
	w := laneWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	w.post("ada", "When does the \"market\" open?\nOn Sunday, too? $(reboot) \\n", "post")
	w.post("ada", "Who wants a cat?", "second")
	w.must("ada", "POST", lanePath+"/$id:post/ask-agents", "")
	w.must("ada", "POST", lanePath+"/$id:second/ask-agents", "")
	run := func() string {
		cmd := exec.Command("sh", file)
		cmd.Env = append(os.Environ(), "HEARTH="+srv.URL, "HEARTH_KEY="+w.token("ben/rw"), "HEARTH_WAIT=0", "HEARTH_ONCE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	out := run()
	if lane := string(w.must("ada", "GET", lanePath, "")); strings.Count(lane, `"agent":{`) != 1 || !strings.Contains(lane, "from 8 to 13") {
		t.Errorf("it said %s\nand posted %s", out, lane)
	}
	if left := w.inboxOf("ben/rw"); len(left) != 0 {
		t.Errorf("it left %q", left)
	}
	run()
	states := map[string]int{}
	w.rows(func(table string, row []any) {
		if table == "context_request" && row[6] == w.keyID("ben/rw") {
			states[fmt.Sprint(row[7])]++
		}
	})
	if states["completed"] != 1 || states["declined"] != 1 {
		t.Errorf("the requests are %v", states)
	}
}
