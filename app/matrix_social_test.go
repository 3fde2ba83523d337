package app_test

import "github.com/go-json-experiment/json"

// socialCases are the cases of intents, matches, drafts and Stories. In the
// stage ada and ben were matched and ben is in the audience of ada's Story.
func socialCases() map[string]matrixCase {
	const soon = "2098-01-01T00:00:00Z"
	story := `{"confirm":false,"text":"Soup","audience":{"userIds":["$id:dora"],"conversationIds":[]},"storyExpiresAt":"` + soon + `"}`
	return map[string]matrixCase{
		"GET /api/intents":               free("/api/intents", "", 200),
		"POST /api/intents":              free("/api/intents", `{"kind":"ask","terms":"A cup of sugar","confirm":true}`, 201),
		"PATCH /api/intents/{id}":        private("/api/intents/$id:ask", `{"status":"withdrawn"}`, 200),
		"GET /api/matches":               free("/api/matches", "", 200),
		"POST /api/matches/{id}/respond": shared("/api/matches/$id:match/respond", `{"decision":"approve"}`, 200),
		"GET /api/intent-drafts":         free("/api/intent-drafts", "", 200),
		"POST /api/intent-drafts":        free("/api/intent-drafts", `{"goal":"A band"}`, 201),
		"PATCH /api/intent-drafts/{id}":  private("/api/intent-drafts/$id:draft", `{"goal":"A choir"}`, 200),
		"POST /api/intent-drafts/{id}/activate": private("/api/intent-drafts/$id:draft/activate",
			`{"confirm":false,"quietSearch":{"enabled":true,"expiresAt":"`+soon+`"}}`, 200),
		"GET /api/stories/feed":   free("/api/stories/feed", "", 200),
		"GET /api/stories/mine":   free("/api/stories/mine", "", 200),
		"POST /api/stories":       {path: "/api/stories", body: story, own: 200, but: map[string]int{"root": 200}},
		"PATCH /api/stories/{id}": private("/api/stories/$id:story", `{"status":"paused"}`, 200),
		"POST /api/stories/{id}/respond": {path: "/api/stories/$id:story/respond", body: `{"confirm":false,"message":"Me"}`, own: 404,
			member: 200, ex: 404, stranger: 404, missing: 404},
		"GET /api/social/preferences":   free("/api/social/preferences", "", 200),
		"PATCH /api/social/preferences": free("/api/social/preferences", `{"networkPaused":true}`, 200),
		"GET /api/review":               free("/api/review", "", 200),
		"GET /api/inbox":                free("/api/inbox", "", 200),
		"POST /api/stories/seen":        free("/api/stories/seen", `{"storyIds":[]}`, 204),
	}
}

// stageSocial makes the objects of socialCases, with canaries in the private
// texts.
func (w *world) stageSocial(must func(who, method, path, body string, status int, capture string)) {
	must("ada", "POST", "/api/intents", `{"kind":"ask","terms":"A long ladder `+w.plant("terms", "ada", "ben")+`","goal":"`+
		w.plant("goal", "ada")+
		`","seeks":["a long ladder"],"details":"`+w.plant("details", "ada")+`","confirm":true}`, 201, "ask")
	must("ben", "POST", "/api/intents", `{"kind":"offer","terms":"A long ladder","details":"`+w.plant("details", "ben")+`","confirm":true}`,
		201, "")
	w.ids["$id:match"] = w.firstID("ada", "/api/matches", "matches")
	must("ada", "POST", "/api/intent-drafts", `{"goal":"`+w.plant("draft", "ada")+`","details":"`+w.plant("note", "ada")+`","source":"`+
		w.plant("source", "ada")+`"}`, 201, "draft")
	story := `"text":"` + w.plant("story", "ada", "ben") + `","goal":"` + w.plant("storygoal", "ada") +
		`","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"`
	grant := w.grantOf("ada", "/api/stories", `{"confirm":false,`+story+`}`)
	must("ada", "POST", "/api/stories", `{"confirm":true,"approvalGrant":"`+grant+`",`+story+`}`, 201, "story")
}

// firstID returns the id of the first object of a list in a response.
func (w *world) firstID(who, path, member string) string {
	w.t.Helper()
	var v map[string][]struct{ ID string }
	if err := json.Unmarshal(w.json(who, "GET", path, "").body, &v, json.MatchCaseInsensitiveNames(true)); err != nil || len(v[member]) == 0 {
		w.t.Fatalf("no %s for %s: %v", member, who, err)
	}
	return v[member][0].ID
}

// grantOf returns the grant of a preview.
func (w *world) grantOf(who, path, body string) string {
	w.t.Helper()
	var v struct {
		ApprovalGrant string `json:"approvalGrant"`
	}
	res := w.json(who, "POST", w.fillIDs(path), w.fillIDs(body))
	if err := json.Unmarshal(res.body, &v); err != nil || v.ApprovalGrant == "" {
		w.t.Fatalf("no grant: %d %s", res.status, res.body)
	}
	return v.ApprovalGrant
}
