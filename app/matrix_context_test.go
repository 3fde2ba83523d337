package app_test

import "github.com/go-json-experiment/json"

// ofLane is for what belongs to a conversation: its members may use it alike, and others learn nothing.
func ofLane(path, body string, ok int) matrixCase {
	return matrixCase{path: path, body: body, own: ok, member: ok, ex: 403, stranger: 403, missing: 403}
}

// contextCases are the cases of the Context lane. In the stage ada has posted to
// the group, her key ada/rw receives requests, and ben has asked it.
func contextCases() map[string]matrixCase {
	const lane = "/api/chat/conversations/$id:group/context"
	authors := ofLane(lane+"/$id:post", `{"text":"Who has a ladder?","expectedRevision":1}`, 200)
	authors.member = 403
	deletes := ofLane(lane+"/$id:post", "", 204)
	deletes.member = 403
	report := ofLane(lane+"/$id:post/report", `{"reason":"Spam"}`, 400)
	report.member = 201
	track := ofLane(lane+"/$id:post/intention", `{"sourceRevision":1,"clientRequestId":"t"}`, 201)
	track.member = 403
	return map[string]matrixCase{
		"GET /api/chat/conversations/{id}/content":                  ofLane("/api/chat/conversations/$id:group/content", "", 200),
		"GET /api/chat/conversations/{id}/context":                  ofLane(lane, "", 200),
		"POST /api/chat/conversations/{id}/context":                 ofLane(lane, `{"text":"A note","clientRequestId":"n"}`, 201),
		"PATCH /api/chat/conversations/{id}/context/{postId}":       authors,
		"DELETE /api/chat/conversations/{id}/context/{postId}":      deletes,
		"POST /api/chat/conversations/{id}/context/{postId}/report": report,
		"POST /api/chat/conversations/{id}/context/{postId}/ask-agents": {path: lane + "/$id:post/ask-agents", own: 200, member: 200, ex: 403,
			stranger: 403, missing: 403, but: map[string]int{"ada/rw": 409}},
		"POST /api/chat/conversations/{id}/context/{postId}/intention": track,
		"GET /api/chat/context-intentions":                             free("/api/chat/context-intentions", "", 200),
		"GET /api/chat/context-intentions/{id}":                        private("/api/chat/context-intentions/$id:tracked", "", 200),
		"PATCH /api/chat/context-intentions/{id}": private("/api/chat/context-intentions/$id:tracked",
			`{"expectedRevision":1,"lifecycleState":"fulfilled"}`, 200),
		"GET /api/chat/context-agent/preferences": {path: "/api/chat/context-agent/preferences?keyId=$id:rw", own: 200,
			but: map[string]int{"ada/read": 403, "ada/write": 403, "ada/embedded": 403, "root": 404}},
		"PUT /api/chat/context-agent/preferences": {path: "/api/chat/context-agent/preferences",
			body: `{"keyId":"$id:rw","enabled":false}`, own: 200, but: map[string]int{"ada/read": 403, "ada/write": 403, "ada/embedded": 403,
				"root": 404}},
		"GET /api/chat/context-agent/requests": {path: "/api/chat/context-agent/requests", own: 403,
			but: map[string]int{"ada/rw": 200}},
		"POST /api/chat/context-agent/requests/{requestId}/respond": {path: "/api/chat/context-agent/requests/$id:request/respond",
			body: `{"text":"I do"}`, own: 404, member: 404, ex: 404, stranger: 404, missing: 404, but: map[string]int{"ada/rw": 200}},
	}
}

// stageContext makes the objects of contextCases, with canaries in the texts.
func (w *world) stageContext(must func(who, method, path, body string, status int, capture string)) {
	const lane = "/api/chat/conversations/$id:group/context"
	must("ada", "POST", lane, `{"text":"`+w.plant("post", "ada", "ben")+`","kind":"ask","clientRequestId":"1"}`, 201, "post")
	must("ada", "POST", lane, `{"text":"`+w.plant("ask", "ada", "ben")+`","kind":"ask","clientRequestId":"2"}`, 201, "second")
	must("ada", "POST", lane+"/$id:second/intention", `{"sourceRevision":1,"clientRequestId":"1"}`, 201, "tracked")
	w.ids["$id:rw"] = w.keyID("ada/rw")
	must("ada", "PUT", "/api/chat/context-agent/preferences", `{"keyId":"$id:rw","enabled":true}`, 200, "")
	must("ben", "POST", lane+"/$id:second/ask-agents", "", 200, "")
	w.ids["$id:request"] = w.firstRequest("ada/rw")
}

// keyID returns the id of the agent key of a caller.
func (w *world) keyID(who string) string {
	w.t.Helper()
	v, err := w.app.Account.Caller(w.bearerOf(who))
	if err != nil || v.KeyID == "" {
		w.t.Fatalf("%s has no key: %v", who, err)
	}
	return v.KeyID
}

// firstRequest returns the id of the first request that a key can answer.
func (w *world) firstRequest(who string) string {
	w.t.Helper()
	var v struct {
		Requests []struct {
			ID string `json:"id"`
		} `json:"requests"`
	}
	res := w.json(who, "GET", "/api/chat/context-agent/requests", "")
	if err := json.Unmarshal(res.body, &v); err != nil || len(v.Requests) == 0 {
		w.t.Fatalf("no request for %s: %d %s", who, res.status, res.body)
	}
	return v.Requests[0].ID
}
