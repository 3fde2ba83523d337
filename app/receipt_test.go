package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearth/app/api"
	"hearth/app/op"
	"hearth/store"
)

// A key that may write and not read gets, from every operation, no words but those that
// it sent.
func TestKeysWithoutReadGetReceipts(t *testing.T) {
	cases := matrixCases()
	staged := matrixStage(t)
	db := staged.snapshot()
	called := 0
	for _, r := range api.Described() {
		c := cases[r.Method+" "+r.Path]
		writer := store.Viewer{Kind: store.Agent, UserID: "u", CanWrite: true}
		if r.Method == http.MethodGet || r.Op.Info().Guard == op.Public || r.Op.Info().Admits(writer) != nil || c.own == 0 {
			continue
		}
		called++
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			t.Parallel()
			w := staged.copy(t, db)
			sent := w.fillIDs(c.body)
			res := w.json("ada/write", r.Method, w.fillIDs(c.path), sent)
			if res.status != c.own && c.but["ada/write"] != res.status {
				t.Fatalf("got %d: %s", res.status, res.body)
			}
			if words := notSent(w.fillIDs(c.path)+sent, res.body); res.status < 400 && words != nil {
				t.Errorf("the response has %q: %s", words, res.body)
			}
		})
	}
	if called < 60 {
		t.Errorf("only %d operations were called", called)
	}
}

// So it gets from every tool.
func TestToolsReturnReceiptsWithoutRead(t *testing.T) {
	staged := matrixStage(t)
	db := staged.snapshot()
	for name, tool := range staged.app.MCP().Described() {
		if tool.Annotations.ReadOnlyHint {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := staged.copy(t, db)
			sent := w.fillIDs(toolCases()[name])
			res := w.tool("ada/write", name, sent)
			if res.status != 200 {
				t.Fatalf("got %s", res.body)
			}
			if words := notSent(sent, res.body); words != nil {
				t.Errorf("the result has %q: %s", words, res.body)
			}
		})
	}
}

// A key that may write and not read learns nothing from responses: not from a quoted
// message, the name of a group, or the current state of an object.
func TestWriteOnlyKeyReadsNoAnswers(t *testing.T) {
	w := newWorld(t)
	var c, m struct{ ID string }
	w.read(w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"],"title":"Canary title","type":"group"}`)),
		201, &c)
	at := "/api/chat/conversations/" + c.ID
	w.read(w.json("ben", "POST", at+"/messages", `{"content":"Canary message"}`), 201, &m)
	w.token("ada/write")
	for _, call := range []struct{ method, path, body string }{
		{"POST", at + "/messages", `{"content":"Canary messag","replyToId":"` + m.ID + `"}`},
		{"POST", at + "/messages", `{"content":"a guess","replyToId":"` + m.ID + `"}`},
		{"PATCH", at + "/participants/me", `{"mutedUntil":null}`},
		{"PATCH", at, `{"title":"Another"}`},
		{"POST", at + "/participants", w.fillIDs(`{"userId":"$id:cleo"}`)},
		{"PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`},
		{"PUT", "/api/auth/me/status", `{"text":"here"}`},
	} {
		res := w.json("ada/write", call.method, call.path, call.body)
		if res.status >= 300 {
			t.Errorf("%s %s: %d %s", call.method, call.path, res.status, res.body)
		}
		for _, word := range []string{"Canary message", "Canary title", "ada@example.org", `"Ada"`, `"Ben"`} {
			if strings.Contains(string(res.body), word) {
				t.Errorf("%s %s returns %s: %s", call.method, call.path, word, res.body)
			}
		}
	}
	if res := w.json("ada/write", "POST", "/api/webhooks", `{"url":"https://hooks.example/in"}`); res.status != 403 ||
		!strings.Contains(string(res.body), "missing_scope") {
		t.Errorf("a webhook, to which every message is sent: %d %s", res.status, res.body)
	}
}

// Errors tell such a key nothing that others wrote, nor which links or how many items a
// list has; those who may read are told.
func TestErrorsWithoutReadTellNothing(t *testing.T) {
	w := newWorld(t)
	var theirs, own struct{ List struct{ ID string } }
	w.read(w.json("ben", "POST", "/api/lists", `{"title":"Theirs","visibility":"public"}`), 201, &theirs)
	w.read(w.json("ada", "POST", "/api/lists", `{"title":"Own","items":[{"content":"a","link":"https://known.example/"},{"content":"b"}]}`),
		201, &own)
	at := "/api/lists/" + own.List.ID
	item := w.json("ada", "POST", at+"/items", `{"content":"c"}`)
	for _, c := range []struct{ method, path, body, told, untold string }{
		{"PATCH", "/api/lists/" + theirs.List.ID, `{"title":"x"}`, "to make you an editor", "Ask the owner to make"},
		{"DELETE", "/api/lists/" + theirs.List.ID, ``, "can do this", "owner can"},
		{"PATCH", at + "/items/" + idIn(t, item.body), `{"position":99999}`, "the last", "from 0 to the last"},
		{"POST", at + "/items/batch",
			`{"items":[{"content":"d","link":"https://known.example/"},{"content":"e","link":"https://other.example/"}]}`,
			`"duplicates":[{`, `"duplicates":[]`},
	} {
		for who, want := range map[string]string{"ada": c.told, "ada/write": c.untold} {
			if res := w.json(who, c.method, c.path, c.body); !strings.Contains(string(res.body), want) || res.status == 404 {
				t.Errorf("%s: %s %s: got %d %s, want %s", who, c.method, c.path, res.status, res.body, want)
			}
		}
	}
}

// Such a key is not told who watches a list, nor who types in it.
func TestPresenceWithoutRead(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(w.h)
	t.Cleanup(srv.Close)
	list := "/api/list/" + idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public-edit"}`).body)
	w.openStream(t, srv.URL, "ada", list+"/events")
	w.must("ada", "POST", list+"/presence", `{"typing":true}`)
	for who, want := range map[string]bool{"ada": true, "ada/write": false} {
		res := w.json(who, "POST", list+"/presence", `{"typing":true}`)
		if res.status != 200 || strings.Contains(string(res.body), w.cast.Ada.ID) != want || !want &&
			!strings.Contains(string(res.body), `"people":[],"typing":[]`) {
			t.Errorf("%s: %d %s", who, res.status, res.body)
		}
	}
}
