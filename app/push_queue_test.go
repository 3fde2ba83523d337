package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hearth/app/push/pushtest"
)

// pushing is a server that sends notifications to a browser of each of ada, ben and cleo, who are in a group.
type pushing struct {
	*world
	*pushtest.Service
	of    map[string]*pushtest.Browser
	group string // its path
}

func newPushing(t *testing.T) *pushing {
	t.Helper()
	w, s := pushWorld(t)
	p := &pushing{w, s, map[string]*pushtest.Browser{}, w.group("ben", "cleo")}
	w.ids["$id:group"] = p.group[strings.LastIndexByte(p.group, '/')+1:]
	for _, who := range []string{"ada", "ben", "cleo"} {
		p.of[who], _ = w.subscribe(s, who, who)
	}
	w.app.Push.Start(t.Context())
	return p
}

// direct returns the path of the direct conversation of two people.
func (p *pushing) direct(a, b string) string {
	p.t.Helper()
	return "/api/chat/conversations/" + idIn(p.t, p.must(a, "POST", "/api/chat/conversations", `{"participantIds":["$id:`+b+`"]}`))
}

func (p *pushing) send(who, path, text string) string {
	p.t.Helper()
	return idIn(p.t, p.must(who, "POST", path+"/messages", fmt.Sprintf(`{"content":%q}`, text)))
}

// sent waits until everything that happened is sent or dropped, and returns what the browsers of a person received since
// the last time. A message to ben shows that the queue has seen all before.
func (p *pushing) sent(who string) (texts []string) {
	p.t.Helper()
	ben, mark := p.of["ben"], "mark "+fmt.Sprint(p.clock.Now().UnixNano(), len(p.Messages(nil)))
	p.send("ada", p.direct("ada", "ben"), mark)
	p.until("the mark", func() bool {
		all := p.Messages(ben)
		return len(all) > 0 && strings.Contains(all[len(all)-1].Text, mark)
	})
	p.until("the queue is empty", func() bool { return p.count(`SELECT count(*) FROM push`) == 0 })
	for _, m := range p.Messages(p.of[who]) {
		if m.Err != nil {
			p.t.Error(m.Err)
		}
		if !strings.Contains(m.Text, "mark ") {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

func (p *pushing) until(what string, ok func() bool) {
	p.t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.t.Fatalf("never: %s", what)
}

// wantSent fails the test unless a person received just one text for each of want, which it contains.
func (p *pushing) wantSent(who string, want ...string) {
	p.t.Helper()
	got := p.sent(who)
	if len(got) != len(want) {
		p.t.Fatalf("%s received %q, want %q", who, got, want)
	}
	for i, text := range want {
		if !strings.Contains(got[i], text) {
			p.t.Errorf("%s received %s, want %s", who, got[i], text)
		}
	}
}

// A member without a tab is notified of direct messages, mentions, and all messages of conversations set so. What they
// read first, what they wrote themselves and what the Context lane has is not sent.
func TestPushesMessages(t *testing.T) {
	p := newPushing(t)
	direct := p.direct("ben", "ada")
	id := p.send("ben", direct, "Hello *there*")
	p.wantSent("ada", fmt.Sprintf(`{"title":"Ben","body":"Hello *there*","url":"/chat/%s?at=%s#m-%s","tag":%q,"badge":1}`,
		direct[len("/api/chat/conversations/"):], id, id, direct[len("/api/chat/conversations/"):]))
	p.send("ben", p.group, "not for her")
	p.send("ben", p.group, "@Ada look")
	p.wantSent("cleo")
	p.must("cleo", "PATCH", p.group+"/participants/me", `{"notify":"all"}`)
	p.send("ben", p.group, "for all")
	p.send("cleo", p.group, "her own")
	p.must("ben", "POST", p.group+"/context", `{"kind":"note","text":"@Ada quiet","clientRequestId":"00000000-0000-4000-8000-000000000001"}`)
	p.wantSent("cleo", `{"title":"G","body":"Ben: for all",`)
	if got := p.sent("ada"); len(got) != 2 || !strings.Contains(got[1], `"body":"Ben: @Ada look"`) {
		t.Errorf("ada received %q", got)
	}
}

// What else is told: a match, a request to be friends, a Story, and an item that waits for approval.
func TestPushesOtherThings(t *testing.T) {
	p := newPushing(t)
	p.must("ada", "POST", "/api/intents", `{"kind":"ask","terms":"A long ladder","seeks":["a long ladder"],"confirm":true}`)
	p.must("cleo", "POST", "/api/intents", `{"kind":"offer","terms":"A long ladder","confirm":true}`)
	p.wantSent("ada", `{"title":"You were matched","body":"Somebody offers: A long ladder","url":"/inbox"`)
	match := p.firstID("ada", "/api/matches", "matches")
	for _, who := range []string{"cleo", "ada"} {
		p.must(who, "POST", "/api/matches/"+match+"/respond", `{"decision":"approve","confirm":true}`)
	}
	p.must("cleo", "POST", "/api/friends/users/$id:ada/request", ``)
	p.storyFor("ben", "ada")
	list := "/api/lists/" + idIn(t, p.must("ada", "POST", "/api/lists", `{"title":"Benches","visibility":"public-edit","moderated":true}`))
	p.must("public", "POST", list+"/items", `{"content":"By the lake","reporter":"Fay"}`)
	p.wantSent("ada", "You were matched", `"title":"Cléo 🌿 wants to be friends"`, `{"title":"Ben shared a Story","body":"Soup"`,
		`{"title":"For your approval: Benches","body":"By the lake"`)
	p.must("ada", "POST", "/api/friends/users/$id:cleo/accept", ``)
	if got := p.sent("cleo"); len(got) != 1 || !strings.Contains(got[0], "You were matched") {
		t.Errorf("cleo received %q", got)
	}
}

// Whether something is sent is decided when it is: nothing to who blocks or is blocked, muted, removed or suspended, has a
// page in view, or has read it.
func TestPushesNothing(t *testing.T) {
	for name, change := range map[string]func(p *pushing, id string){
		"blocked": func(p *pushing, _ string) { p.must("cleo", "POST", "/api/chat/users/$id:ada/block", ``) },
		"blocks":  func(p *pushing, _ string) { p.must("ada", "POST", "/api/chat/users/$id:cleo/block", ``) },
		"removed": func(p *pushing, _ string) {
			p.must("ada", "PATCH", p.group+"/participants/$id:cleo", `{"role":"owner"}`)
			p.must("cleo", "DELETE", p.group+"/participants/$id:ada", ``)
		},
		"suspended":  func(p *pushing, _ string) { p.sql(`UPDATE user SET suspended_at = 1 WHERE id = ?`, p.cast.Ada.ID) },
		"in view":    func(p *pushing, _ string) { p.must("ada", "PUT", "/api/push/view", `{"inView":true}`) },
		"has read":   func(p *pushing, _ string) { p.must("ada", "PATCH", p.group+"/read", ``) },
		"deleted":    func(p *pushing, id string) { p.must("cleo", "DELETE", "/api/chat/messages/"+id, ``) },
		"signed out": func(p *pushing, _ string) { p.must("ada", "POST", "/api/auth/logout", ``) },
		"muted": func(p *pushing, _ string) {
			p.must("ada", "PATCH", p.group+"/participants/me", `{"mutedUntil":"2098-01-01T00:00:00Z"}`)
		},
		"wants none": func(p *pushing, _ string) { p.must("ada", "PATCH", p.group+"/participants/me", `{"notify":"none"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPushing(t)
			p.sql(`UPDATE push_subscription SET retry_at = ? WHERE user_id = ?`, p.clock.Now().Add(time.Hour).UnixMicro(), p.cast.Ada.ID)
			id := p.send("cleo", p.group, "@Ada hello")
			p.until("it waits", func() bool { return p.count(`SELECT count(*) FROM push`) == 1 })
			change(p, id)
			p.clock.Advance(2 * time.Hour)
			if name == "in view" {
				change(p, id)
			}
			p.app.Push.Wake()
			p.until("it is dropped", func() bool { return p.count(`SELECT count(*) FROM push`) == 0 })
			if got := p.Messages(p.of["ada"]); len(got) != 0 {
				t.Errorf("received %+v", got)
			}
		})
	}
}

// The content is hidden if the receiver wants that. In quiet hours it waits until they end.
func TestPushPreferences(t *testing.T) {
	p := newPushing(t)
	direct := p.direct("ben", "ada")
	p.must("ada", "PATCH", "/api/notifications", `{"hideContent":true}`)
	p.send("ben", direct, "secret")
	p.wantSent("ada", `{"title":"New message","body":"","url":"/chat/`)
	now := p.clock.Now().In(time.FixedZone("", 2*3600))
	p.want("ada", "PATCH", "/api/notifications", fmt.Sprintf(`{"quietFrom":%q,"quietTo":%q,"timeZone":"Etc/GMT-2"}`,
		now.Add(-time.Hour).Format("15:04"), now.Add(time.Hour+time.Minute).Format("15:04")), 200, `"timeZone":"Etc/GMT-2"`)
	p.send("ben", direct, "later")
	p.until("it waits", func() bool { return p.count(`SELECT count(*) FROM push_subscription WHERE retry_at > 0`) == 1 })
	p.clock.Advance(time.Hour)
	p.app.Push.Wake()
	p.until("it was looked at", func() bool {
		return p.count(fmt.Sprintf(`SELECT count(*) FROM push_subscription WHERE retry_at > %d`, p.clock.Now().UnixMicro())) == 1
	})
	if got := p.Messages(p.of["ada"]); len(got) != 1 {
		t.Fatalf("received in quiet hours: %+v", got)
	}
	p.clock.Advance(time.Hour)
	p.wantSent("ada", "New message", "New message")
}

// After 404 and 410 the subscription is gone; after 429 nothing is sent before the time that the push service names; other
// errors of the server are tried again, and what it refuses is given up.
func TestPushAnswers(t *testing.T) {
	p := newPushing(t)
	answer := make(chan int, 10)
	p.Answer = func(rw http.ResponseWriter, m pushtest.Message, _ int) {
		status := 201
		if m.To == p.of["ada"] {
			status = <-answer
		}
		rw.Header().Set("Retry-After", "600")
		rw.WriteHeader(status)
	}
	direct := p.direct("ben", "ada")
	waits := func(n int) func() bool {
		return func() bool { return p.count(`SELECT count(*) FROM push WHERE attempts = 1`) == n }
	}
	answer <- 429
	p.send("ben", direct, "one")
	p.until("it waits", waits(1))
	p.send("cleo", p.direct("cleo", "ada"), "two")
	p.until("the other waits", func() bool { return p.count(`SELECT count(*) FROM push`) == 2 })
	p.want("ada", "GET", "/api/push/subscriptions", ``, 200, "answered 429. It takes no more notifications for a while.")
	p.clock.Advance(9 * time.Minute)
	p.app.Push.Wake()
	p.send("ben", direct, "three") // takes the place of the first
	p.until("it took the place", waits(0))
	answer <- 503
	answer <- 201
	answer <- 201
	p.clock.Advance(2 * time.Minute)
	p.app.Push.Wake()
	p.until("it is tried again", waits(1))
	p.clock.Advance(11 * time.Minute)
	p.wantSent("ada", "one", "two", "two", "three")
	answer <- 400
	p.send("ben", direct, "four")
	p.wantSent("ada", "one", "two", "two", "three", "four")
	p.want("ada", "GET", "/api/push/subscriptions", ``, 200, "The push service answered 400.")
	answer <- 410
	p.send("ben", direct, "five")
	p.sent("ada")
	p.want("ada", "GET", "/api/push/subscriptions", ``, 200, `[]`)
}
