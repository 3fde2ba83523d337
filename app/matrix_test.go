package app_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	_ "modernc.org/sqlite"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/op"
	"hearth/store"
)

// matrixCase is a request to a route and the expected statuses of callers who
// pass its guard, by their relation to the object in the path: the owner ada,
// the member ben, the former member cleo, and the stranger. Routes without an
// object have only own, for everybody.
type matrixCase struct {
	path, body                         string
	own, member, ex, stranger, missing int
	stream                             bool           // it is one: successes have tests of their own
	but                                map[string]int // statuses of single callers that differ from own; 0 leaves one out
}

// private is an object that only its owner may see.
func private(path, body string, own int) matrixCase {
	return matrixCase{path: path, body: body, own: own, member: 404, ex: 404, stranger: 404, missing: 404}
}

// shared is an object that its members may use like its owner.
func shared(path, body string, ok int) matrixCase {
	return matrixCase{path: path, body: body, own: ok, member: ok, ex: 404, stranger: 404, missing: 404}
}

// owned is an object that its members may see and its owner may change.
func owned(path, body string, ok int) matrixCase {
	return matrixCase{path: path, body: body, own: ok, member: 403, ex: 404, stranger: 404, missing: 404}
}

func free(path, body string, ok int) matrixCase { return matrixCase{path: path, body: body, own: ok} }

// matrixCases has a case for every route of the table that is not an event
// stream.
func matrixCases() map[string]matrixCase {
	const c, l = "/api/chat/conversations/$id:group", "/api/lists/$id:list"
	cases := map[string]matrixCase{
		"GET /health":           free("/health", "", 200),
		"GET /api/openapi.json": free("/api/openapi.json", "", 200),
		"GET /api/docs":         free("/api/docs", "", 200),

		"POST /api/auth/magic-link":          free("/api/auth/magic-link", `{"email":"new@example.org"}`, 202),
		"POST /api/auth/magic-link/verify":   free("/api/auth/magic-link/verify", `{"token":"nothing"}`, 400),
		"POST /api/auth/login":               free("/api/auth/login", `{"email":"ada@example.org","password":"wrong wrong wrong"}`, 401),
		"POST /api/auth/logout":              free("/api/auth/logout", ``, 204),
		"GET /api/auth/session":              free("/api/auth/session", ``, 200),
		"POST /api/auth/bridge-exchange":     free("/api/auth/bridge-exchange", `{"app":"social","email":"peer@example.org"}`, 201),
		"POST /api/auth/token":               free("/api/auth/token", `{}`, 200),
		"GET /api/auth/me":                   free("/api/auth/me", "", 200),
		"PATCH /api/auth/me":                 free("/api/auth/me", `{"name":"Someone"}`, 200),
		"DELETE /api/auth/me":                matrixCase{path: "/api/auth/me", own: 204, but: map[string]int{"root": 409}},
		"GET /api/auth/export":               free("/api/auth/export?range=all_time", "", 200),
		"PUT /api/auth/me/status":            free("/api/auth/me/status", `{"text":"here"}`, 200),
		"GET /api/auth/sessions":             free("/api/auth/sessions", "", 200),
		"DELETE /api/auth/sessions":          free("/api/auth/sessions", "", 204),
		"DELETE /api/auth/sessions/{id}":     private("/api/auth/sessions/$id:session", "", 204),
		"GET /api/agent-keys":                free("/api/agent-keys", "", 200),
		"POST /api/agent-keys":               free("/api/agent-keys", `{"name":"k"}`, 201),
		"PATCH /api/agent-keys/{id}":         private("/api/agent-keys/$id:key", `{"name":"k2"}`, 200),
		"DELETE /api/agent-keys/{id}":        private("/api/agent-keys/$id:key", "", 204),
		"GET /api/agent-keys/{id}/activity":  private("/api/agent-keys/$id:key/activity", "", 200),
		"GET /api/bots":                      free("/api/bots", "", 200),
		"PATCH /api/bots/{id}":               private("/api/bots/$id:bot", `{"name":"b2"}`, 200),
		"DELETE /api/bots/{id}":              private("/api/bots/$id:bot", "", 204),
		"GET /api/secretary":                 free("/api/secretary", "", 200),
		"PATCH /api/secretary":               free("/api/secretary", `{"enabled":true}`, 200),
		"POST /api/secretary/answers":        free("/api/secretary/answers", `{"question":"q?","answer":"a"}`, 201),
		"PATCH /api/secretary/answers/{id}":  private("/api/secretary/answers/$id:answer", `{"answer":"b"}`, 200),
		"DELETE /api/secretary/answers/{id}": private("/api/secretary/answers/$id:answer", "", 204),
		"GET /api/people":                    free("/api/people?q=a", "", 200),
		"POST /api/auth/me/avatar":           free("/api/auth/me/avatar", "file:me.png:png", 200),
		"DELETE /api/auth/me/avatar":         free("/api/auth/me/avatar", "", 200),
		"GET /api/pictures/{id}":             {path: "/api/pictures/$id:picture", own: 200, member: 200, ex: 200, stranger: 200, missing: 404},

		"GET /api/chat/conversations": free("/api/chat/conversations", "", 200),
		"POST /api/chat/conversations": free("/api/chat/conversations",
			`{"participantIds":["$id:ada"],"type":"group"}`, 201),
		"GET /api/chat/unread-total":                                free("/api/chat/unread-total", "", 200),
		"GET /api/chat/messages/since":                              free("/api/chat/messages/since?since=2026-01-01T00:00:00Z", "", 200),
		"GET /api/chat/search":                                      shared("/api/chat/search?q=word&conversationId=$id:group", "", 200),
		"GET /api/chat/conversations/{id}":                          shared(c, "", 200),
		"PATCH /api/chat/conversations/{id}":                        owned(c, `{"title":"New"}`, 200),
		"GET /api/chat/open-conversations":                          free("/api/chat/open-conversations", "", 200),
		"POST /api/chat/conversations/{id}/join":                    shared(c+"/join", "", 200),
		"GET /api/chat/conversations/{id}/changes":                  shared(c+"/changes", "", 200),
		"GET /api/chat/conversations/{id}/mentionable":              shared(c+"/mentionable?q=a", "", 200),
		"GET /api/chat/conversations/{id}/messages":                 shared(c+"/messages", "", 200),
		"POST /api/chat/conversations/{id}/messages":                shared(c+"/messages", `{"content":"hello"}`, 201),
		"PATCH /api/chat/conversations/{id}/read":                   shared(c+"/read", ``, 200),
		"POST /api/chat/conversations/{id}/unread":                  shared(c+"/unread", `{"messageId":"$id:message"}`, 200),
		"POST /api/chat/conversations/{id}/typing":                  shared(c+"/typing", ``, 204),
		"PATCH /api/chat/conversations/{id}/participants/me":        shared(c+"/participants/me", `{"mutedUntil":"2027-01-01T00:00:00Z"}`, 200),
		"POST /api/chat/conversations/{id}/participants":            owned(c+"/participants", `{"userId":"$id:stranger"}`, 201),
		"DELETE /api/chat/conversations/{id}/participants/{userId}": owned(c+"/participants/$id:dora", "", 204),
		"PATCH /api/chat/conversations/{id}/participants/{userId}":  owned(c+"/participants/$id:dora", `{"role":"owner"}`, 200),
		"POST /api/chat/conversations/{id}/picture":                 owned(c+"/picture", "file:garden.png:png", 200),
		"DELETE /api/chat/conversations/{id}/picture":               owned(c+"/picture", "", 200),
		"POST /api/chat/attachments":                                free("/api/chat/attachments", "file:a.png:png", 201),
		"GET /api/chat/attachments/{id}":                            shared("/api/chat/attachments/$id:attachment", "", 200),
		"POST /api/chat/conversations/{id}/invites":                 owned(c+"/invites", `{}`, 201),
		"GET /api/chat/conversations/{id}/invites":                  owned(c+"/invites", "", 200),
		"DELETE /api/chat/conversations/{id}/invites/{inviteId}":    owned(c+"/invites/$id:invite", "", 204),
		"GET /api/chat/invites/{token}":                             free("/api/chat/invites/$token", "", 200),
		// who would become a member
		"POST /api/chat/invites/{token}/accept":            {path: "/api/chat/invites/$token/accept", own: 200, but: map[string]int{"root": 0}},
		"PATCH /api/chat/messages/{id}":                    owned("/api/chat/messages/$id:message", `{"content":"else"}`, 200),
		"DELETE /api/chat/messages/{id}":                   owned("/api/chat/messages/$id:message", "", 200),
		"POST /api/chat/messages/{id}/reactions":           shared("/api/chat/messages/$id:message/reactions", `{"emoji":"👍"}`, 201),
		"DELETE /api/chat/messages/{id}/reactions/{emoji}": shared("/api/chat/messages/$id:message/reactions/%F0%9F%93%8E", "", 200),

		"GET /api/thoughts":         free("/api/thoughts", "", 200),
		"POST /api/thoughts":        free("/api/thoughts", `{"text":"a thought"}`, 201),
		"PATCH /api/thoughts/{id}":  owned("/api/thoughts/$id:pinned", `{"status":"closed"}`, 200),
		"DELETE /api/thoughts/{id}": owned("/api/thoughts/$id:pinned", "", 204),
		"POST /api/thoughts/{id}/pin": shared("/api/thoughts/$id:pinned/pin", `{"conversationId":"$id:group"}`,
			200),
		"DELETE /api/thoughts/{id}/pin/{conversationId}":              owned("/api/thoughts/$id:pinned/pin/$id:group", "", 204),
		"GET /api/chat/conversations/{id}/stream":                     shared(c+"/stream", "", 200),
		"PUT /api/chat/conversations/{id}/stream/{entryId}/collapsed": shared(c+"/stream/$id:pinned/collapsed", `{"collapsed":true}`, 200),
		"GET /api/webhooks": free("/api/webhooks", "", 200),
		"POST /api/webhooks": {path: "/api/webhooks", body: `{"url":"https://hooks.example/new"}`,
			own: 201, but: map[string]int{"ada/write": 403, "ada/embedded": 403}},
		"PATCH /api/webhooks/{id}": {path: "/api/webhooks/$id:webhook", body: `{"enabled":false}`, own: 200,
			member: 404, ex: 404, stranger: 404, missing: 404, but: map[string]int{"ada/write": 403}},
		"DELETE /api/webhooks/{id}":         private("/api/webhooks/$id:webhook", "", 204),
		"GET /api/webhooks/{id}/deliveries": private("/api/webhooks/$id:webhook/deliveries", "", 200),
		"POST /api/webhooks/{id}/test":      private("/api/webhooks/$id:webhook/test", "", 202),

		"GET /api/lists":                           free("/api/lists?public=true", "", 200),
		"POST /api/lists":                          free("/api/lists", `{"title":"T","visibility":"private"}`, 201),
		"GET /api/lists/{id}":                      shared(l, "", 200),
		"PATCH /api/lists/{id}":                    shared(l, `{"title":"T2"}`, 200),
		"DELETE /api/lists/{id}":                   owned(l, "", 204),
		"GET /api/lists/{id}/items":                shared(l+"/items", "", 200),
		"POST /api/lists/{id}/items/batch":         shared(l+"/items/batch", `{"items":[{"content":"x"},{"content":"https://x.example/"}]}`, 201),
		"POST /api/lists/{id}/items":               shared(l+"/items", `{"content":"x","reporter":"r"}`, 201),
		"PATCH /api/lists/{id}/items/{item_id}":    shared(l+"/items/$id:item", `{"content":"y"}`, 200),
		"DELETE /api/lists/{id}/items/{item_id}":   shared(l+"/items/$id:item", "", 204),
		"GET /api/lists/{id}/items/{item_id}":      shared(l+"/items/$id:item", "", 200),
		"GET /api/lists/{id}/members":              shared(l+"/members", "", 200),
		"PUT /api/lists/{id}/members/{user_id}":    owned(l+"/members/$id:dora", `{"role":"viewer"}`, 200),
		"DELETE /api/lists/{id}/members/{user_id}": owned(l+"/members/$id:dora", "", 204),
		"GET /api/list/{id}/presence":              shared("/api/list/$id:list/presence", "", 200),
		"POST /api/list/{id}/presence":             shared("/api/list/$id:list/presence", `{"typing":true}`, 200),

		"POST /api/feedback":                         free("/api/feedback", `{"message":"Hello"}`, 201),
		"GET /api/admin/overview":                    free("/api/admin/overview", "", 200),
		"GET /api/admin/people":                      free("/api/admin/people", "", 200),
		"GET /api/admin/people/{id}":                 free("/api/admin/people/$id:ben", "", 200),
		"POST /api/admin/people/{id}/suspend":        free("/api/admin/people/$id:ben/suspend", "", 200),
		"POST /api/admin/people/{id}/restore":        free("/api/admin/people/$id:dora/restore", "", 200),
		"POST /api/admin/people/{id}/sign-in-link":   free("/api/admin/people/$id:root/sign-in-link", "", 201),
		"POST /api/admin/people/{id}/promote":        free("/api/admin/people/$id:ben/promote", "", 200),
		"POST /api/admin/people/{id}/demote":         free("/api/admin/people/$id:ben/demote", "", 200),
		"GET /api/admin/reports":                     free("/api/admin/reports", "", 200),
		"GET /api/admin/reports/{id}":                free("/api/admin/reports/$id:report", "", 200),
		"GET /api/admin/reports/{id}/files/{number}": free("/api/admin/reports/$id:filereport/files/0", "", 200),
		"POST /api/admin/reports/{id}/decide": free("/api/admin/reports/$id:report/decide", `{"decision":"resolved","action":"suspend"}`,
			200),
		"GET /api/admin/feedback":                 free("/api/admin/feedback", "", 200),
		"POST /api/admin/feedback/{id}/done":      free("/api/admin/feedback/$id:feedback/done", "", 200),
		"GET /api/admin/audit":                    free("/api/admin/audit", "", 200),
		"GET /api/admin/storage":                  free("/api/admin/storage", "", 200),
		"GET /api/admin/settings":                 free("/api/admin/settings", "", 200),
		"PATCH /api/admin/settings":               free("/api/admin/settings", `{"communityName":"Garden"}`, 200),
		"POST /api/admin/settings/picture":        free("/api/admin/settings/picture", "file:c.png:png", 200),
		"DELETE /api/admin/settings/picture":      free("/api/admin/settings/picture", "", 200),
		"GET /api/community":                      free("/api/community", "", 200),
		"PUT /api/community/default-conversation": free("/api/community/default-conversation", `{"conversationId":null}`, 200),
		"GET /api/community/invitations":          free("/api/community/invitations", "", 200),
		"POST /api/community/invitations": {path: "/api/community/invitations", body: `{}`, own: 403,
			but: map[string]int{"root": 201}},
		"DELETE /api/community/invitations/{id}": {path: "/api/community/invitations/$id:invitation", own: 404,
			but: map[string]int{"root": 204}},
		"GET /api/invitations/{token}": free("/api/invitations/$text:invitation", "", 200),
		// whoever has an account cannot join
		"POST /api/invitations/{token}/accept": {path: "/api/invitations/$text:invitation/accept", body: `{"name":"New"}`, own: 409,
			but: map[string]int{"anonymous": 201, "bad": 201, "bridge": 201, "public": 201}},
	}
	maps.Copy(cases, listCases())
	maps.Copy(cases, peopleCases())
	maps.Copy(cases, socialCases())
	maps.Copy(cases, contextCases())
	maps.Copy(cases, pushCases())
	maps.Copy(cases, discoveryCases())
	return cases
}

// matrixStage returns a world with the objects and credentials of all cases.
func matrixStage(t testing.TB) *world {
	w := newWorld(t)
	for _, c := range matrixCallers {
		if c.who != "anonymous" {
			w.token(c.who)
		}
	}
	w.token("ben")
	w.token("cleo")
	w.token("stranger")
	must := func(who, method, path, body string, status int, capture string) {
		t.Helper()
		res := w.json(who, method, w.fillIDs(path), w.fillIDs(body))
		if res.status != status {
			t.Fatalf("stage: %s %s: %d %s", method, path, res.status, res.body)
		}
		if capture != "" {
			w.ids["$id:"+capture] = idIn(t, res.body)
		}
	}
	err := w.app.DB().Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: "dora@example.org", Name: "Dora", SignupProvider: "magic-link"})
		w.ids["$id:dora"] = u.ID
		if err == nil {
			u, err = tx.InsertUser(store.User{Email: "emil@example.org", Name: "Emil", SignupProvider: "magic-link"})
			w.ids["$id:emil"] = u.ID
		}
		if err == nil {
			u, err = tx.InsertUser(store.User{Email: "fay@example.org", Name: "Fay", SignupProvider: "magic-link"})
			w.ids["$id:fay"] = u.ID
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// Canaries are planted in every private text; world.do looks for them.
	must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben","$id:cleo","$id:dora"],"type":"group","title":"Garden"}`, 201,
		"group")
	must("cleo", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"bye"}`, 201, "")
	must("cleo", "DELETE", "/api/chat/conversations/$id:group/participants/$id:cleo", "", 204, "")
	must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"`+w.plant("message", "ada", "ben")+`"}`, 201, "message")
	must("ada", "POST", "/api/chat/messages/$id:message/reactions", `{"emoji":"📎","kind":"filed","href":"https://files.example/`+
		w.plant("filed", "ada", "ben")+`"}`, 201, "")
	must("ada", "POST", "/api/thoughts", `{"text":"`+w.plant("pinned", "ada", "ben")+`"}`, 201, "pinned")
	must("ada", "POST", "/api/thoughts/$id:pinned/pin", `{"conversationId":"$id:group"}`, 201, "")
	must("ada", "POST", "/api/thoughts", `{"text":"`+w.plant("note", "ada")+`","sourceConversationId":"$id:group"}`, 201, "")
	must("ada", "POST", "/api/lists", `{"title":"`+w.plant("list", "ada", "ben")+`","description":"`+w.plant("about", "ada", "ben")+
		`","visibility":"private","items":[{"content":"`+w.plant("item", "ada", "ben")+`","metadata":{"k":"`+w.plant("meta", "ada", "ben")+
		`"}}]}`, 201, "list")
	must("ada", "PUT", "/api/lists/$id:list/members/$id:ben", `{"role":"editor"}`, 200, "")
	must("ada", "PUT", "/api/lists/$id:list/members/$id:cleo", `{"role":"editor"}`, 200, "")
	must("ada", "PUT", "/api/lists/$id:list/members/$id:dora", `{"role":"editor"}`, 200, "")
	must("ada", "DELETE", "/api/lists/$id:list/members/$id:cleo", "", 204, "")
	must("ada", "POST", "/api/lists/$id:list/items", `{"content":"`+w.plant("second", "ada", "ben")+`"}`, 201, "item")
	must("ada", "POST", "/api/agent-keys", `{"name":"`+w.plant("key", "ada")+`","agentName":"`+w.plant("agent", "ada")+`"}`, 201, "key")
	must("ada", "POST", "/api/chat/attachments", "file:"+w.plant("filename", "ada", "ben")+".txt:"+w.plant("filetext", "ada", "ben"), 201,
		"attachment")
	must("ada", "POST", "/api/chat/conversations/$id:group/messages", `{"attachments":[{"id":"$id:attachment"}]}`, 201, "")
	must("ada", "POST", "/api/chat/conversations/$id:group/picture", "file:g.png:png", 200, "")
	must("ada", "POST", "/api/chat/users/$id:emil/block", "", 200, "")
	must("ada", "POST", "/api/secretary/answers", `{"question":"`+w.plant("question", "ada")+`","answer":"`+w.plant("answer", "ada")+`"}`, 201,
		"answer")
	must("ada", "POST", "/api/agent-keys", `{"name":"bot key","bot":{"name":"Gardener"}}`, 201, "")
	w.ids["$id:bot"] = idIn(t, bytes.Trim(bytes.TrimSpace(w.json("ada", "GET", "/api/bots", "").body), "[]"))
	must("root", "PATCH", "/api/admin/settings", `{"securityContact":"security@example.org"}`, 200, "")
	w.stageLists(must)
	w.stagePeople(must)
	w.stageSocial(must)
	w.stageContext(must)
	must("ben", "PUT", "/api/auth/me/status", `{"text":"`+w.plant("status", "ada", "ben", "cleo", "stranger", "root")+`"}`, 200, "")
	must("cleo", "POST", "/api/feedback", `{"message":"`+w.plant("feedback", "root")+`"}`, 201, "feedback")
	must("ben", "POST", "/api/chat/reports", `{"targetType":"user","targetId":"$id:dora","reason":"Spam","freeform":"`+
		w.plant("report", "root")+`"}`, 201, "report")
	must("ben", "POST", "/api/chat/attachments", "file:spam.txt:"+w.plant("reportedfile", "ada", "ben", "root"), 201, "spam")
	must("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"attachments":[{"id":"$id:spam"}]}`, 201, "filemessage")
	must("ada", "POST", "/api/chat/reports", `{"targetType":"message","targetId":"$id:filemessage","reason":"Spam"}`, 201, "filereport")
	w.canaries["ada@example.org"] = []string{"ada", "root"} // world.checkAddresses says where
	w.canaries["ben@example.org"] = []string{"ben", "root"}
	must("ada", "POST", "/api/webhooks", `{"url":"https://hooks.example/`+w.plant("webhook", "ada")+
		`","conversationId":"$id:group","secret":"`+w.plant("signing-secret", "ada")+`"}`, 201, "webhook")
	must("ada", "POST", "/api/push/subscriptions", subscription("https://localhost/"+w.plant("endpoint"), w.plant("device", "ada")), 201,
		"subscription")
	w.stageTokens(t)
	return w
}

// stageTokens finds the session, the invitation and the picture, whose ids are
// not in a response.
func (w *world) stageTokens(t testing.TB) {
	t.Helper()
	if res := w.json("ada", "POST", "/api/auth/token", `{}`); res.status != 200 {
		t.Fatalf("stage: %d %s", res.status, res.body)
	}
	var list struct {
		Sessions []struct {
			ID      string `json:"id"`
			Current bool   `json:"current"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal(w.json("ada", "GET", "/api/auth/sessions", "").body, &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		if !s.Current {
			w.ids["$id:session"] = s.ID
			break
		}
	}
	var card struct{ Token string }
	if err := json.Unmarshal(w.json("cleo", "GET", "/api/card/me", "").body, &card, json.MatchCaseInsensitiveNames(true)); err != nil ||
		card.Token == "" {
		t.Fatalf("stage: no card: %v", err)
	}
	w.ids["$text:card"] = card.Token
	var invite struct{ Token string }
	res := w.json("ada", "POST", w.fillIDs("/api/chat/conversations/$id:group/invites"), `{}`)
	if err := json.Unmarshal(res.body, &invite, json.MatchCaseInsensitiveNames(true)); err != nil || invite.Token == "" {
		t.Fatalf("stage: no invitation: %s", res.body)
	}
	w.ids["$token"] = invite.Token
	var invitation struct{ ID, Token string }
	res = w.json("root", "POST", "/api/community/invitations", `{}`)
	if err := json.Unmarshal(res.body, &invitation, json.MatchCaseInsensitiveNames(true)); err != nil || invitation.Token == "" {
		t.Fatalf("stage: no invitation to the community: %s", res.body)
	}
	w.ids["$id:invitation"], w.ids["$text:invitation"] = invitation.ID, invitation.Token
	var open struct{ Invites []struct{ ID string } }
	res = w.json("ada", "GET", w.fillIDs("/api/chat/conversations/$id:group/invites"), "")
	if err := json.Unmarshal(res.body, &open, json.MatchCaseInsensitiveNames(true)); err != nil || len(open.Invites) != 1 {
		t.Fatalf("stage: invitations: %s", res.body)
	}
	w.ids["$id:invite"] = open.Invites[0].ID
	var group struct{ AvatarURL string }
	res = w.json("ada", "GET", w.fillIDs("/api/chat/conversations/$id:group"), "")
	if err := json.Unmarshal(res.body, &group, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	w.ids["$id:picture"] = strings.TrimPrefix(group.AvatarURL, "/api/pictures/")
}

// idIn returns the id of the object in a response, at the top or in its
// envelope.
func idIn(t testing.TB, body []byte) string {
	t.Helper()
	var v struct {
		ID       string              `json:"id"`
		List     struct{ ID string } `json:"list"`
		Item     struct{ ID string } `json:"item"`
		Intent   struct{ ID string } `json:"intent"`
		Draft    struct{ ID string } `json:"draft"`
		IntentID string              `json:"intentId"`
		Story    struct{ ID string } `json:"story"`

		Comment struct{ ID string } `json:"comment"`
	}
	if err := json.Unmarshal(body, &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	id := cmp.Or(v.ID, v.List.ID, v.Item.ID, v.Story.ID, v.Intent.ID, v.Draft.ID, v.IntentID, v.Comment.ID)
	if id == "" {
		t.Fatalf("no id in %s", body)
	}
	return id
}

// matrixCallers has the kinds of callers, and the status with which a guard
// refuses each, or 0 if it passes.
var matrixCallers = []struct {
	who  string
	pass func(g op.Guard, read bool) int
}{
	{"anonymous", func(g op.Guard, read bool) int {
		if g == op.Public || g == op.ListRead {
			return 0
		}
		return 401
	}},
	{"bad", func(g op.Guard, _ bool) int {
		if g == op.Public {
			return 0
		}
		return 401
	}},
	{"bridge", func(g op.Guard, read bool) int {
		if g == op.Bridge || g == op.Public {
			return 0
		}
		return 401
	}},
	{"public", func(g op.Guard, read bool) int {
		switch g {
		case op.Public, op.ListRead, op.ListAdd:
			return 0
		case op.ListOwnRead, op.ListWrite:
			return 403
		}
		return 401
	}},
	{"ada/list", func(g op.Guard, read bool) int {
		switch g {
		case op.Public, op.ListRead, op.ListOwnRead:
			return 0
		case op.ListWrite, op.ListAdd:
			return 403
		}
		return 401
	}},
	{"ada/read", func(g op.Guard, read bool) int { return agentPass(g, read, true, false) }},
	{"ada/write", func(g op.Guard, read bool) int { return agentPass(g, read, false, true) }},
	{"ada/rw", func(g op.Guard, read bool) int { return agentPass(g, read, true, true) }},
	{"ada/embedded", func(g op.Guard, read bool) int { return agentPass(g, read, true, true) }},
	{"ada", func(g op.Guard, read bool) int {
		if g == op.AdminOnly {
			return 403
		}
		return personPass(g, read)
	}},
	{"root", personPass},
}

func personPass(g op.Guard, _ bool) int {
	if g == op.Bridge {
		return 401
	}
	return 0
}

func agentPass(g op.Guard, read, canRead, canWrite bool) int {
	switch {
	case g == op.Public:
		return 0
	case g == op.Bridge:
		return 401
	case g == op.HumanOnly, g == op.AdminOnly, read && !canRead, !read && !canWrite:
		return 403
	}
	return 0
}

// TestMatrix calls every route as every kind of caller with every relation to
// its object. A refused caller gets the expected status and changes no row. For
// what may not be seen, the response is identical to that for what does not
// exist.
func TestMatrix(t *testing.T) {
	cases := matrixCases()
	used := map[string]bool{}
	staged := matrixStage(t)
	db := staged.snapshot()
	stage := func(t testing.TB) *world { return staged.copy(t, db) }
	var all []matrixRoute
	for _, r := range api.Described() {
		key := r.Method + " " + r.Path
		c, ok := cases[key]
		used[key] = true
		if !ok && strings.HasSuffix(r.Path, "/context/events") {
			c, ok = matrixCase{path: strings.ReplaceAll(r.Path, "{id}", "$id:group"), member: 200, ex: 403, stranger: 403, missing: 403,
				stream: true}, true
		}
		if !ok && strings.HasSuffix(r.Path, "/events") {
			c, ok = matrixCase{path: strings.ReplaceAll(r.Path, "{id}", "$id:list")}, true
		}
		if !ok {
			t.Errorf("%s has no case in matrixCases", key)
			continue
		}
		all = append(all, matrixRoute{r, c})
	}
	t.Run("unchanged", func(t *testing.T) {
		t.Parallel()
		unchanged(t, stage(t), all)
	})
	for _, r := range all {
		if r.Method == "GET" {
			continue
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			t.Parallel()
			successes(t, stage, r)
		})
	}
	t.Run("full server", func(t *testing.T) {
		t.Parallel()
		fullServer(t, staged.copy(t, db, func(c *app.Config) { c.QuotaServer = 1 }), cases)
	})
	for key := range cases {
		if !used[key] {
			t.Errorf("matrixCases has a case for %s, which is not a route", key)
		}
	}
}

// matrixRoute is a route and how it is called.
type matrixRoute struct {
	api.Route
	matrixCase
}

// unchanged makes the requests that change nothing, all in w.
func unchanged(t *testing.T, w *world, all []matrixRoute) {
	same := func(testing.TB) *world { return w }
	for _, r := range all {
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			w.t = t
			refusals(t, w, r)
			if r.Method == "GET" {
				successes(t, same, r)
			}
		})
	}
	w.t = t
}

func refusals(t *testing.T, w *world, r matrixRoute) {
	read := r.Method == "GET"
	before := w.state()
	try := func(who, path string, want int) response {
		t.Helper()
		res := w.json(who, r.Method, path, w.fillIDs(r.body))
		if res.status != want {
			t.Errorf("%s: got %d, want %d: %s", who, res.status, want, res.body)
		}
		if after := w.state(); after != before {
			t.Errorf("%s was refused with %d but changed the database", who, res.status)
			before = after
		}
		return res
	}
	path := w.fillIDs(r.path)
	for _, caller := range matrixCallers {
		if want := caller.pass(r.Op.Info().Guard, read); want != 0 {
			try(caller.who, path, want)
		}
	}
	if r.missing == 0 || r.own == 0 && !r.stream {
		return
	}
	none := try("ada", missing(w, r.path), r.missing)
	for who, want := range map[string]int{"ben": r.member, "cleo": r.ex, "stranger": r.stranger} {
		if want < 400 {
			continue
		}
		res := try(who, path, want)
		if (want == 404 || want == r.missing && who != "ben") && sameResponse(res) != sameResponse(none) {
			t.Errorf("%s can distinguish hidden from missing:\n%s\n%s", who, res.raw, none.raw)
		}
	}
}

// missing returns path with an unknown id in place of the first one.
func missing(w *world, path string) string {
	loc := idUse.FindStringIndex(path)
	return w.fillIDs(path[:loc[0]] + store.NewID() + path[loc[1]:])
}

// sameResponse returns the parts of a response that must not differ.
func sameResponse(a response) string { return fmt.Sprint(a.status, "\n", a.raw) }

// successes calls a route as those who may, each time on another stage.
func successes(t *testing.T, stage func(testing.TB) *world, r matrixRoute) {
	if r.own == 0 {
		return // a stream, which has its own tests
	}
	read := r.Method == "GET"
	try := func(who string, want int) {
		t.Helper()
		w := stage(t)
		if res := w.json(who, r.Method, w.fillIDs(r.path), w.fillIDs(r.body)); res.status != want {
			t.Errorf("%s: got %d, want %d: %s", who, res.status, want, res.body)
		}
	}
	for _, caller := range matrixCallers {
		if caller.pass(r.Op.Info().Guard, read) != 0 {
			continue
		}
		want := r.own
		if special, ok := r.but[caller.who]; ok {
			want = special
		} else if r.missing != 0 && !strings.HasPrefix(caller.who, "ada") {
			want = r.stranger
		}
		if want == 0 {
			continue
		}
		try(caller.who, want)
	}
	if r.missing != 0 && r.member < 400 {
		try("ben", r.member)
	}
}
