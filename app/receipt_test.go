package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/api"
	"hearth/app/op"
	"hearth/store"
)

// made has the members of responses that the call itself has made or decided,
// and that a key without the scope read sees as well.
var made = map[string]bool{
	"success": true, "dropped": true, "token": true, "url": true, "approvalRequired": true, "approvalGrant": true, "action": true,
	"state": true, "queued": true, "status": true, "held": true, "revision": true,
}

// word has the members that are one of a closed list of words. The empty text is
// none of them, so they are as they are for everybody.
var word = map[string]bool{
	"type": true, "messageType": true, "role": true, "lane": true, "kind": true, "matchingMode": true, "status": true, "state": true,
	"matchType": true, "otherKind": true, "discoveryMode": true, "groupAdds": true, "experienceMode": true, "visibility": true, "provenance": true,
	"targetType": true, "lifecycleState": true, "signup": true, "dateLanguage": true,
}

// A key that may write and not read gets, from every operation, only ids, times,
// words of closed lists, what the operation has made, and what it sent.
func TestKeysWithoutReadGetReceipts(t *testing.T) {
	cases := matrixCases()
	staged := matrixStage(t)
	db := staged.snapshot()
	called := 0
	for _, r := range api.Routes(api.Described()) {
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
			if len(res.body) == 0 {
				return
			}
			var got any
			if err := json.Unmarshal(res.body, &got); err != nil {
				t.Fatal(err)
			}
			if res.status < 400 {
				onlyReceipt(t, sent, "", got)
			}
		})
	}
	if called < 60 {
		t.Errorf("only %d operations were called", called)
	}
}

// onlyReceipt checks a value of a response, the member with the name.
func onlyReceipt(t *testing.T, sent, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		_, own := v["discoveryMode"]
		for name, inner := range v {
			if name == "presenceStatus" && (own || inner == "offline") {
				continue // the caller's own, and not that of others
			}
			onlyReceipt(t, sent, name, inner)
		}
	case []any:
		for _, inner := range v {
			onlyReceipt(t, sent, name, inner)
		}
	case string:
		short := strings.TrimSuffix(name, "s")
		id := short == "id" || strings.HasSuffix(short, "Id") || strings.HasSuffix(short, "_id")
		_, noTime := time.Parse(time.RFC3339, v)
		if v != "" && !(id && (store.ValidID(v) || strings.HasPrefix(v, "msg_"))) && noTime != nil && !made[name] && !word[name] && !strings.Contains(sent, `"`+v+`"`) {
			t.Errorf("%s is %q, which was not sent", name, v)
		}
	case float64:
		if v != 0 && !made[name] {
			t.Errorf("%s is %v", name, v)
		}
	case bool:
		if v && !made[name] && !strings.Contains(sent, "true") {
			t.Errorf("%s is true", name)
		}
	}
}

// A key that may write and not read learns nothing by a message that answers
// another one, by the name of the group it is in, or by the object as it is now.
func TestWriteOnlyKeyReadsNoAnswers(t *testing.T) {
	w := newWorld(t)
	var c, m struct{ ID string }
	w.read(w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"],"title":"Canary title","type":"group"}`)), 201, &c)
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
	if res := w.json("ada/write", "POST", "/api/webhooks", `{"url":"https://hooks.example/in"}`); res.status != 403 || !strings.Contains(string(res.body), "missing_scope") {
		t.Errorf("a webhook, to which every message is sent: %d %s", res.status, res.body)
	}
}
