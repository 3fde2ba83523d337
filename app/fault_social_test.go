//go:build linux

package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// call sends a request and reads the response into out, if it succeeded. The
// status is 0 without a response.
func (p *process) call(who *client, method, path string, body, out any) (status int) {
	var send []byte
	if body != nil {
		var err error
		if send, err = json.Marshal(body); err != nil {
			panic(err)
		}
	}
	req, err := http.NewRequest(method, p.base+path, bytes.NewReader(send))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+who.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 == 2 && json.Unmarshal(text, out) != nil {
		return 0
	}
	return res.StatusCode
}

type object map[string]any

// act is something that a client did with the server: unanswered, it is there
// wholly or not at all; answered, it is there.
type act interface {
	// do does it and reports whether everything was answered.
	do(t *testing.T, p *process, answered func()) bool
	// check checks it after the next start, and finishes it.
	check(t *testing.T, p *process)
}

// introduction is a match that both sides approve at the same time.
type introduction struct {
	people [2]*client
	terms  string
	status [2]string // what each was told last
}

func (a *introduction) do(t *testing.T, p *process, answered func()) bool {
	for i, kind := range []string{"ask", "offer"} {
		if p.call(a.people[i], "POST", "/api/intents", object{"kind": kind, "terms": a.terms, "confirm": true}, new(social.IntentOut)) != 201 {
			return false
		}
		answered()
	}
	var wg sync.WaitGroup
	for i := range a.people {
		wg.Go(func() {
			if a.approve(p, i) == 200 {
				answered()
			}
		})
	}
	wg.Wait()
	return a.status[0] != "" && a.status[1] != ""
}

// match returns the match as one side sees it.
func (a *introduction) match(p *process, side int) (m social.AgentMatch, ok bool) {
	var out social.ListMatchesOut
	p.call(a.people[side], "GET", "/api/matches", nil, &out)
	i := slices.IndexFunc(out.Matches, func(m social.AgentMatch) bool { return m.OwnIntent.Terms == a.terms && m.OtherTerms == a.terms })
	if i < 0 {
		return m, false
	}
	return out.Matches[i], true
}

func (a *introduction) approve(p *process, side int) (status int) {
	m, ok := a.match(p, side)
	if !ok {
		return 0
	}
	var out social.MatchOut
	status = p.call(a.people[side], "POST", "/api/matches/"+m.ID+"/respond", object{"decision": "approve"}, &out)
	if status == 200 {
		a.status[side] = out.Match.Status
	}
	return status
}

func (a *introduction) check(t *testing.T, p *process) {
	var seen [2]social.AgentMatch
	var there [2]bool
	for i := range a.people {
		seen[i], there[i] = a.match(p, i)
	}
	if there[0] != there[1] || !there[0] && (a.status[0] != "" || a.status[1] != "") {
		t.Errorf("one side has the match, or nobody has an answered one: %+v", a)
	}
	if !there[0] {
		for _, who := range a.people {
			withdraw(p, who, a.terms)
		}
		return
	}
	connected := slices.Contains(a.status[:], "connected")
	for i, m := range seen {
		if connected && m.Status != "connected" || a.status[i] != "" && m.Status == "pending" ||
			(m.Status == "connected") != (m.ConversationID != nil) {
			t.Errorf("told %q, and the match is %+v", a.status, m)
		}
	}
	if (seen[0].Status == "connected") != (seen[1].Status == "connected") {
		t.Errorf("one side is connected: %+v", seen)
	}
	for i := range a.people {
		if a.approve(p, i); a.status[i] != "connected" && i == 1 {
			t.Errorf("approved again: %q", a.status[i])
		}
	}
	if m, _ := a.match(p, 0); m.ConversationID == nil || a.cards(p, *m.ConversationID, m.ID) != 1 {
		t.Errorf("the conversation of %+v has not one card", m)
	}
}

// cards returns how many cards of a match its conversation has.
func (a *introduction) cards(p *process, conversationID, matchID string) int {
	var out struct {
		Messages []struct {
			CardPayload string `json:"cardPayload"`
		} `json:"messages"`
	}
	p.call(a.people[0], "GET", "/api/chat/conversations/"+conversationID+"/messages?limit=100", nil, &out)
	n := 0
	for _, m := range out.Messages {
		n += strings.Count(m.CardPayload, matchID)
	}
	return n
}

// approved is something that a grant is used for.
type approved struct {
	who      *client
	path     string
	body     object
	answered bool
}

// preview gets the grant.
func (a *approved) preview(p *process) bool {
	var out social.Preview
	a.body["confirm"] = false
	if p.call(a.who, "POST", a.path, a.body, &out) != 200 {
		return false
	}
	a.body["confirm"], a.body["approvalGrant"] = true, out.ApprovalGrant
	return true
}

// use uses the grant.
func (a *approved) use(p *process) int {
	status := p.call(a.who, "POST", a.path, a.body, new(object))
	a.answered = a.answered || status == 201
	return status
}

// recheck uses the grant again, which succeeds exactly if it was not used, and
// must have succeeded if that was answered.
func (a *approved) recheck(t *testing.T, p *process, there int) {
	if there > 1 || a.answered && there != 1 {
		t.Errorf("%s is there %d times, answered %v", a.path, there, a.answered)
	}
	if a.body["approvalGrant"] == nil {
		return
	}
	want := 201
	if there > 0 {
		want = 409
	}
	if status := a.use(p); status != want && !(there > 0 && status == 404) { // a draft that is activated
		t.Errorf("%s, which was there %d times, with its grant again: %d", a.path, there, status)
	}
}

// published is a draft that is published as a Story with a search.
type published struct {
	approved
	text, draftID string
	to            *client
}

func (a *published) do(t *testing.T, p *process, answered func()) bool {
	var draft social.DraftOut
	if p.call(a.who, "POST", "/api/intent-drafts", object{"goal": a.text}, &draft) != 201 {
		return false
	}
	answered()
	const end = "2098-01-01T00:00:00Z"
	a.draftID, a.path = draft.Draft.ID, "/api/intent-drafts/"+draft.Draft.ID+"/activate"
	a.body = object{
		"quietSearch": object{"enabled": true, "expiresAt": end},
		"story": object{"enabled": true, "text": a.text, "expiresAt": end,
			"audience": object{"userIds": []string{a.to.userID}, "conversationIds": []string{}}},
	}
	if !a.preview(p) {
		return false
	}
	answered()
	if a.use(p) != 201 {
		return false
	}
	answered()
	return withdraw(p, a.who, a.text)
}

// withdraw withdraws an intent, to make room for the next one.
func withdraw(p *process, who *client, terms string) bool {
	var mine social.ListIntentsOut
	p.call(who, "GET", "/api/intents", nil, &mine)
	for _, i := range mine.Intents {
		if i.Terms == terms && i.Status == "active" {
			return p.call(who, "PATCH", "/api/intents/"+i.ID, object{"status": "withdrawn"}, new(object)) == 200
		}
	}
	return true
}

func (a *published) check(t *testing.T, p *process) {
	var stories social.ListStoriesOut
	var intents social.ListIntentsOut
	var drafts social.ListDraftsOut
	p.call(a.who, "GET", "/api/stories/mine", nil, &stories)
	p.call(a.who, "GET", "/api/intents", nil, &intents)
	p.call(a.who, "GET", "/api/intent-drafts?state=activated", nil, &drafts)
	there, searches, activated := 0, 0, 0
	for _, s := range stories.Stories {
		there += strings.Count(*s.Text, a.text)
	}
	for _, i := range intents.Intents {
		searches += strings.Count(i.Terms, a.text)
	}
	for _, d := range drafts.Drafts {
		activated += strings.Count(d.Goal, a.text)
	}
	if there != searches || there != activated {
		t.Errorf("%d Stories, %d intents and %d activated drafts of %q", there, searches, activated, a.text)
	}
	a.recheck(t, p, there)
	withdraw(p, a.who, a.text)
}

// reply is an answer to a Story.
type reply struct {
	approved
	text string
	to   *client
}

func (a *reply) do(t *testing.T, p *process, answered func()) bool {
	if !a.preview(p) {
		return false
	}
	answered()
	if a.use(p) != 201 {
		return false
	}
	answered()
	return true
}

func (a *reply) check(t *testing.T, p *process) {
	var all []struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	p.call(a.who, "GET", "/api/chat/conversations", nil, &all)
	there, direct := 0, 0
	for _, c := range all {
		if c.Type != "direct" {
			continue
		}
		direct++
		var out struct {
			Messages []struct {
				Content string `json:"content"`
			} `json:"messages"`
		}
		p.call(a.who, "GET", "/api/chat/conversations/"+c.ID+"/messages?limit=100", nil, &out)
		for _, m := range out.Messages {
			there += strings.Count(m.Content, a.text)
		}
	}
	if direct > 1 {
		t.Errorf("%d conversations with the author", direct)
	}
	a.recheck(t, p, there)
}

// The server is killed at random moments while people are matched and answer,
// publish drafts as Stories with a search, and answer a Story. After the next
// start each of these happened wholly or not at all, what was answered happened,
// and with the grants what did not happen can be done, once.
func TestServerKilledDuringMatches(t *testing.T) {
	t.Parallel() // most of it is waiting
	program, path := storetest.Program(t), filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, 6)
	rounds := storetest.Rounds(2, 100)
	args := serveArgs(path)
	p := serve(t, exec.Command(program, args...))
	story := &published{approved: approved{who: people[4]}, text: "soup for everybody", to: people[5]}
	if !story.do(t, p, func() {}) {
		t.Fatal("no Story")
	}
	var feed social.FeedOut
	if p.call(people[5], "GET", "/api/stories/feed", nil, &feed); len(feed.Stories) != 1 {
		t.Fatalf("%d Stories", len(feed.Stories))
	}
	respond := "/api/stories/" + feed.Stories[0].ID + "/respond"
	var next atomic.Int64
	makers := []func(text string) act{
		func(text string) act { return &introduction{people: [2]*client{people[0], people[1]}, terms: text} },
		func(text string) act {
			return &published{approved: approved{who: people[2]}, text: text, to: people[3]}
		},
		func(text string) act {
			return &reply{approved: approved{who: people[5], path: respond, body: object{"message": text}}, text: text, to: people[4]}
		},
	}
	answered, broken := 0, 0
	for range rounds {
		acts, n := p.killDuring(t, makers, &next)
		answered += n
		p = serve(t, exec.Command(program, args...))
		for _, a := range acts {
			a.check(t, p)
		}
		broken += len(acts)
		if t.Failed() {
			return
		}
	}
	p.kill()
	checkInvariants(t, path)
	t.Logf("%d kills, %d acts answered, %d checked after a kill", rounds, answered, broken)
}

// killDuring has one client for each kind of act and kills the server after a
// random number of responses. It returns the last acts of each client, and how many
// responses there were.
func (p *process) killDuring(t *testing.T, makers []func(text string) act, next *atomic.Int64) (acts []act, n int) {
	t.Helper()
	var count atomic.Int64
	until := 1 + rand.Int64N(40)
	enough := make(chan struct{})
	answered := func() {
		if count.Add(1) == until {
			close(enough)
		}
	}
	last := make([][2]act, len(makers))
	var wg sync.WaitGroup
	for i, newAct := range makers {
		wg.Go(func() {
			for ok := true; ok; {
				a := newAct(fmt.Sprintf("the number %d of a tombola", 10_000+next.Add(1)))
				last[i] = [2]act{last[i][1], a}
				ok = a.do(t, p, answered)
			}
		})
	}
	stopped := make(chan struct{})
	go func() {
		wg.Wait()
		close(stopped)
	}()
	select {
	case <-enough:
	case <-stopped:
		t.Fatalf("nobody could go on before the kill: %+v", last)
	}
	if err := p.kill(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the server did not die of SIGKILL: %v\n%s", err, p.log)
	}
	wg.Wait()
	for _, l := range last {
		for _, a := range l {
			if a != nil {
				acts = append(acts, a)
			}
		}
	}
	return acts, int(count.Load())
}

// checkInvariants opens the file of a stopped server and checks it.
func checkInvariants(t *testing.T, path string) {
	t.Helper()
	db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
}
