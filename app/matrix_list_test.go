package app_test

import (
	"testing"

	"github.com/go-json-experiment/json"
)

// listCases has the cases of stars, comments, the queue and what needs no account.
func listCases() map[string]matrixCase {
	const l = "/api/lists/$id:list"
	const i = l + "/items/$id:item"
	const open = "/api/lists/$id:open"
	return map[string]matrixCase{
		"PUT /api/lists/{id}/items/{item_id}/star":    shared(i+"/star", "", 200),
		"DELETE /api/lists/{id}/items/{item_id}/star": shared(i+"/star", "", 200),

		"GET /api/lists/{id}/items/{item_id}/comments":                 shared(i+"/comments", "", 200),
		"POST /api/lists/{id}/items/{item_id}/comments":                shared(i+"/comments", `{"content":"c"}`, 201),
		"DELETE /api/lists/{id}/items/{item_id}/comments/{comment_id}": shared(i+"/comments/$id:comment", "", 204),

		"PUT /api/lists/{id}/owner": owned(l+"/owner", `{"user_id":"$id:dora"}`, 200),
		"GET /api/lists/{id}/queue": {path: open + "/queue", own: 200, member: 403, ex: 403, stranger: 403, missing: 404},
		"POST /api/lists/{id}/queue/{item_id}/approve": {path: open + "/queue/$id:held/approve", own: 200, member: 403, ex: 403, stranger: 403,
			missing: 404},
		"DELETE /api/lists/{id}/queue/{item_id}": {path: open + "/queue/$id:held", own: 204, member: 403, ex: 403, stranger: 403,
			missing: 404},
		"GET /api/receipts/{receipt}":    free("/api/receipts/$text:receipt", "", 200),
		"PATCH /api/receipts/{receipt}":  free("/api/receipts/$text:receipt", `{"content":"better"}`, 200),
		"DELETE /api/receipts/{receipt}": free("/api/receipts/$text:receipt", "", 204),
		"POST /api/lists/import":         free("/api/lists/import?format=md", `- one`, 201),
		"GET /api/lists/{id}/export":     shared(l+"/export", "", 200),
		"GET /api/search":                free("/api/search?q=word", "", 200),
		"GET /api/link-preview":          free("/api/link-preview?url=http://192.0.2.1.nowhere.invalid:25/", "", 400),
		"POST /api/frontend-log":         free("/api/frontend-log", `{"level":"error","message":"m"}`, 204),
		"POST /api/register-agent": free("/api/register-agent",
			`{"email":"ada@example.org","password":"long enough for this"}`, 409),
	}
}

// stageLists makes the objects of listCases: an item with a comment on the list,
// and an open, moderated list with an item that waits.
func (w *world) stageLists(must func(who, method, path, body string, status int, capture string)) {
	w.t.Helper()
	must("ada", "POST", "/api/lists/$id:list/items/$id:item/comments", `{"content":"`+w.plant("comment", "ada", "ben")+`"}`, 201, "comment")
	must("ada", "PUT", "/api/lists/$id:list/items/$id:item/star", "", 200, "")
	must("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public-edit","moderated":true}`, 201, "open")
	res := w.want("public", "POST", "/api/lists/$id:open/items", `{"content":"canaryheld","reporter":"scout"}`, 202, "")
	w.canaries["canaryheld"] = []string{"ada"} // from now on
	w.ids["$id:held"] = idIn(w.t, res.body)
	res = w.want("public", "POST", "/api/lists/$id:open/items", `{"content":"Found","reporter":"scout"}`, 202, "")
	w.ids["$text:receipt"] = receiptIn(w.t, res.body)
}

func receiptIn(t testing.TB, body []byte) string {
	t.Helper()
	var v struct{ Receipt string }
	if err := json.Unmarshal(body, &v, json.MatchCaseInsensitiveNames(true)); err != nil || v.Receipt == "" {
		t.Fatalf("no receipt in %s, %v", body, err)
	}
	return v.Receipt
}
