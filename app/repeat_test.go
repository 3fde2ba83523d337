package app_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"hearth/app/api"
	"hearth/app/op"
)

// repeated sends a request with an idempotency key.
func (w *world) repeated(who, key, method, path, body string) response {
	h := http.Header{"Idempotency-Key": {key}}
	if body != "" && !strings.HasPrefix(body, "file:") {
		h.Set("Content-Type", "application/json")
	}
	return w.do(who, method, w.fillIDs(path), h, w.fillIDs(body))
}

// Every POST that is sent again with its idempotency key changes nothing. One that is
// not idempotent is answered with the same status and the same ids. Once others are gone,
// nothing of theirs is in the answer.
func TestEveryPostCanBeRepeated(t *testing.T) {
	cases := matrixCases()
	staged := matrixStage(t)
	db := staged.snapshot()
	others := []string{"ben", "cleo", "dora", "stranger"}
	for _, r := range api.Described() {
		if r.Method != http.MethodPost {
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			t.Parallel()
			w := staged.copy(t, db)
			who := map[op.Guard]string{op.AdminOnly: "root", op.Bridge: "bridge"}[r.Op.Info().Guard]
			if who == "" {
				who = "ada"
			}
			c := cases[r.Method+" "+r.Path]
			for _, name := range others {
				w.token(name) // one of them may be suspended now
			}
			first := w.repeated(who, "the key", r.Method, c.path, c.body)
			if first.status != c.own {
				t.Fatalf("got %d, want %d: %s", first.status, c.own, first.body)
			}
			if first.status >= 400 || r.Path == "/api/auth/logout" {
				return // nothing was done, or there is no caller any more
			}
			before := w.state()
			again := w.repeated(who, "the key", r.Method, c.path, c.body)
			if !r.Op.Info().Hints.Has(op.Idempotent) {
				if again.status != first.status || again.header.Get("Idempotency-Replayed") != "true" ||
					first.header.Get("Idempotency-Replayed") != "" {
					t.Errorf("repeated: %d %v %s, first: %d %s", again.status, again.header, again.body, first.status, first.body)
				}
				if at := regexp.MustCompile(`"id":"[^"]+"`); at.FindString(string(again.body)) != at.FindString(string(first.body)) {
					t.Errorf("repeated: %s, first: %s", again.body, first.body)
				}
			}
			if w.state() != before && toldAgain[r.Method+" "+r.Path] == "" {
				t.Error("the repetition changed the database")
			}
			if r.Op.Info().Hints.Has(op.Idempotent) {
				return // it is answered as everything is then
			}
			w.leave(others...)
			again = w.repeated(who, "the key", r.Method, c.path, c.body)
			for _, word := range []string{`"Ben"`, `"Cléo 🌿"`, `"Dora"`, `"غريب"`, "canarystatus", "canaryfeedback", "canaryreport",
				"canaryheld"} {
				if strings.Contains(string(again.body), word) {
					t.Errorf("the repetition has %s of who is gone: %d %s", word, again.status, again.body)
				}
			}
		})
	}
}

// leave has accounts deleted that are not yet.
func (w *world) leave(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if res := w.json(name, "DELETE", "/api/auth/me", `{"confirm":true}`); res.status != 204 && res.status != 401 && res.status != 403 &&
			res.status != 404 {
			w.t.Errorf("%s leaves: %d %s", name, res.status, res.body)
		}
	}
}

// A repetition has no words that another person has taken back since, nor that of
// who is gone: a quote, a name, the last message.
func TestRepetitionHasNoWordsThatAreGone(t *testing.T) {
	w := newWorld(t)
	var group, other, quoted struct{ ID string }
	w.read(w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"],"title":"The garden","type":"group"}`)),
		201, &group)
	w.read(w.json("ben", "POST", "/api/chat/conversations",
		w.fillIDs(`{"participantIds":["$id:cleo"],"title":"Canary title","type":"group"}`)), 201, &other)
	at := "/api/chat/conversations/" + group.ID
	var invite struct{ Token string }
	w.read(w.json("ben", "POST", "/api/chat/conversations/"+other.ID+"/invites", `{}`), 201, &invite)
	w.want("ben", "POST", "/api/chat/conversations/"+other.ID+"/messages", `{"content":"Canary last"}`, 201, "")
	w.read(w.json("ben", "POST", at+"/messages", `{"content":"Canary words"}`), 201, &quoted)
	calls := []struct {
		path, body string
		kept       bool // the answer is
	}{
		{at + "/messages", `{"content":"yes","replyToId":"` + quoted.ID + `"}`, true},
		{"/api/thoughts", `{"sourceMessageId":"` + quoted.ID + `"}`, true},
		{"/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"],"type":"group"}`), true},
		{"/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"],"type":"direct"}`), true},
		{at + "/participants", w.fillIDs(`{"userId":"$id:cleo"}`), false},
		{"/api/chat/invites/" + invite.Token + "/accept", "", false},
		{w.fillIDs("/api/chat/users/$id:ben/block"), "", false},
	}
	repeat := func(check func(n int, res response)) {
		for n, c := range calls {
			check(n, w.repeated("ada", fmt.Sprint(n), "POST", c.path, c.body))
		}
	}
	firsts := make([]response, len(calls))
	repeat(func(n int, res response) {
		if firsts[n] = res; res.status >= 300 {
			t.Fatalf("%s: %d %s", calls[n].path, res.status, res.body)
		}
	})
	w.want("ada", "DELETE", w.fillIDs("/api/chat/users/$id:ben/block"), "", 204, "")
	repeat(func(n int, res response) {
		if calls[n].kept && (res.status != firsts[n].status || res.header.Get("Idempotency-Replayed") != "true") {
			t.Errorf("%s, repeated: %d %s, first: %d %s", calls[n].path, res.status, res.body, firsts[n].status, firsts[n].body)
		}
	})
	gone := func(when string, words ...string) {
		repeat(func(n int, res response) {
			for _, word := range words {
				if strings.Contains(string(res.body), word) {
					t.Errorf("%s, %s has %s: %s", when, calls[n].path, word, res.body)
				}
			}
		})
	}
	w.want("ben", "DELETE", "/api/chat/messages/"+quoted.ID, "", 200, "")
	gone("once the message is deleted", "Canary words")
	w.leave("ben")
	gone("once the account is", "Canary words", "Canary last", `"Ben"`)
}

// The answer to a match is not kept: the words of the other account end with it.
func TestAnswerToAMatchIsNotKept(t *testing.T) {
	w := newWorld(t)
	w.want("ben", "POST", "/api/intents", `{"kind":"offer","terms":"I can lend my long ladder","confirm":true}`, 201, "")
	w.want("ada", "POST", "/api/intents", `{"kind":"ask","terms":"a long ladder to borrow","confirm":true}`, 201, "")
	var out struct{ Matches []struct{ ID string } }
	w.read(w.want("ada", "GET", "/api/matches", "", 200, ""), 200, &out)
	match := "/api/matches/" + out.Matches[0].ID + "/respond"
	for range 2 {
		if res := w.repeated("ada", "the key", "POST", match, `{"decision":"approve"}`); res.status != 200 ||
			!strings.Contains(string(res.body), "I can lend") {
			t.Errorf("%d %s", res.status, res.body)
		}
	}
	w.want("ben", "DELETE", "/api/auth/me", `{"confirm":true}`, 204, "")
	if res := w.repeated("ada", "the key", "POST", match, `{"decision":"approve"}`); res.status != 404 {
		t.Errorf("once the other account is deleted: %d %s", res.status, res.body)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	w := newWorld(t)
	const path, body = "/api/lists", `{"title":"Once"}`
	count := func(who string) int {
		return strings.Count(string(w.want(who, "GET", "/api/lists?mine=true", "", 200, "").body), `"slug"`)
	}
	first := w.repeated("ada", "k", "POST", path, body)
	if again := w.repeated("ada", "k", "POST", path, ` { "visibility" : "private", "title" : "Once" } `); !bytes.Equal(again.body,
		first.body) || count("ada") != 1 {
		t.Errorf("the same input in other words: %s, %d lists", again.body, count("ada"))
	}
	if res := w.repeated("ada", "k", "POST", path, `{"title":"Twice"}`); res.status != 409 ||
		!strings.Contains(string(res.body), "idempotency_key_reused") {
		t.Errorf("another input: %d %s", res.status, res.body)
	}
	for _, c := range []struct {
		what, who, key, path, body string
		status                     int
	}{
		{"another caller", "ben", "k", path, body, 201},
		{"another key of the same account", "ada/rw", "k", path, body, 201},
		{"another operation", "ada", "k", "/api/agent-keys", `{"name":"k"}`, 201},
		{"another key", "ada", "K", path, body, 201},
		{"an input that is not valid", "ada", "bad", path, `{"title":""}`, 400},
		{"the same, corrected", "ada", "bad", path, body, 201},
		{"an empty key", "ada", "", path, body, 400},
		{"a key with a control character", "ada", "a\x01", path, body, 400},
		{"a key of 256 characters", "ada", strings.Repeat("k", 256), path, body, 400},
	} {
		if res := w.repeated(c.who, c.key, "POST", c.path, c.body); res.status != c.status || res.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: %d %s", c.what, res.status, res.body)
		}
	}
	w.turnClock("24h1s")
	if again := w.repeated("ada", "k", "POST", path, body); again.status != 201 || bytes.Equal(again.body, first.body) {
		t.Errorf("after 24 hours: %d %s", again.status, again.body)
	}
}

// Of many requests with one key at the same time, one is carried out.
func TestIdempotencyKeyAtOnce(t *testing.T) {
	w := newWorld(t)
	w.token("ada")
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := map[string]bool{}
	for range 50 {
		wg.Go(func() {
			res := w.repeated("ada", "k", "POST", "/api/lists", `{"title":"Once"}`)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case res.status == 201:
				made[string(res.body)] = true
			case res.status != 409 || !strings.Contains(string(res.body), "request_running"):
				t.Errorf("%d %s", res.status, res.body)
			}
		})
	}
	wg.Wait()
	if len(made) != 1 {
		t.Errorf("%d different answers", len(made))
	}
	w.want("ada", "GET", "/api/lists?mine=true", "", 200, `"total":1`)
}

// The file has neither the idempotency key nor the secret that was answered.
func TestIdempotencyKeyIsNotStored(t *testing.T) {
	w := newWorld(t)
	res := w.repeated("ada", "the-chosen-idempotency-key", "POST", "/api/agent-keys", `{"name":"k"}`)
	_, rest, _ := strings.Cut(string(res.body), `"key":"`)
	secret, _, _ := strings.Cut(rest, `"`)
	if again := w.repeated("ada", "the-chosen-idempotency-key", "POST", "/api/agent-keys",
		`{"name":"k"}`); !strings.Contains(string(again.body), secret) || len(secret) < 40 {
		t.Fatalf("the secret %q is not in %s", secret, again.body)
	}
	if done, err := w.app.DB().Truncate(context.Background()); err != nil || !done {
		t.Fatal(done, err)
	}
	for _, name := range []string{"", "-wal"} {
		file, err := os.ReadFile(w.app.DB().Path() + name)
		if err != nil && name == "" {
			t.Fatal(err)
		}
		for _, word := range []string{"the-chosen-idempotency-key", secret} {
			if bytes.Contains(file, []byte(word)) {
				t.Errorf("the file%s contains %q", name, word)
			}
		}
	}
}
