package app_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/store"
)

// report reports a message or an account and returns the report's id.
func (w *world) report(who, targetType, target string) string {
	w.t.Helper()
	return idIn(w.t, w.want(who, "POST", "/api/chat/reports", `{"targetType":"`+targetType+`","targetId":"`+target+`","reason":"Abuse"}`, 201,
		"").body)
}

// sql changes rows over a connection of its own.
func (w *world) sql(query string, args ...any) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.app.DB().Path()+"?_busy_timeout=5000&_foreign_keys=on&_txlock=immediate")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err = db.Exec(query, args...); err != nil {
		w.t.Fatal(err)
	}
}

// want sends a request and fails the test unless the response has the status and
// contains the text.
func (w *world) want(who, method, path, body string, status int, text string) response {
	w.t.Helper()
	res := w.json(who, method, w.fillIDs(path), w.fillIDs(body))
	if res.status != status || !strings.Contains(string(res.body), w.fillIDs(text)) {
		w.t.Fatalf("%s %s %s: got %d, want %d with %q: %s", who, method, path, res.status, status, text, res.body)
	}
	return res
}

// audit returns the newest entries of the audit log, each as "actor action
// target detail".
func (w *world) audit(n int) (lines []string) {
	w.t.Helper()
	var all []struct {
		Actor          *struct{ Name string }
		ByCommand      bool `json:"byCommand"`
		Action, Detail string
		TargetName     *string `json:"targetName"`
	}
	res := w.want("root", "GET", fmt.Sprintf("/api/admin/audit?limit=%d", n), "", 200, "")
	if err := json.Unmarshal(res.body, &all, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
	for _, e := range all {
		actor, target := "-", "-"
		if e.Actor != nil {
			actor = e.Actor.Name
		}
		if e.ByCommand {
			actor = "command"
		}
		if e.TargetName != nil {
			target = *e.TargetName
		}
		lines = append(lines, strings.TrimSpace(actor+" "+e.Action+" "+target+" "+e.Detail))
	}
	return lines
}

func (w *world) wantAudit(want ...string) {
	w.t.Helper()
	if got := w.audit(len(want)); strings.Join(got, "; ") != strings.Join(want, "; ") {
		w.t.Errorf("the audit log is %q, want %q", got, want)
	}
}

// Administrators see the files of a message as it was when it was reported, in the
// report alone, until the account that sent them is deleted.
func TestReportedFiles(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:direct"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"]}`, 201, "").body)
	photo := idIn(t, w.upload("ben", "insult.jpg", string(testFile(t, "photo"))).body)
	text := idIn(t, w.upload("ben", "insult.txt", "bad words").body)
	w.ids["$id:message"] = idIn(t, w.want("ben", "POST", "/api/chat/conversations/$id:direct/messages", `{"attachments":[{"id":"`+text+
		`"},{"id":"`+photo+`"}]}`, 201, "").body)
	id := w.report("ada", "message", "$id:message")
	report := "/api/admin/reports/" + id
	w.want("ben", "DELETE", "/api/chat/messages/$id:message", "", 200, "")
	collect := func() {
		t.Helper()
		w.clock.Advance(49 * time.Hour)
		if err := w.app.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	collect()
	w.want("root", "GET", report, "", 200, `"files":[{"url":"`+report+
		`/files/0","mimeType":"text/plain","name":"insult.txt","size":9},{"url":"`+report+`/files/1","previewUrl":"`+report+
		`/files/1?preview=true","mimeType":"image/jpeg","name":"insult.jpg"`)
	if res := w.want("root", "GET", "/api/admin/reports", "", 200, id); strings.Contains(string(res.body), `"files"`) {
		t.Errorf("the list has files: %s", res.body)
	}
	if res := w.want("root", "GET", "/api/admin/people/$id:ben", "", 200, ""); !strings.Contains(string(res.body), `"storageUsed":0`) {
		t.Errorf("the sender is charged for what they deleted: %s", res.body)
	}
	for path, status := range map[string]int{report + "/files/0": 200, report + "/files/1": 200, report + "/files/1?preview=true": 200,
		report + "/files/0?preview=true": 404,
		report + "/files/2":              404, report + "/files/-1": 404, report + "/files/x": 404, report + "/files/0?preview=maybe": 400,
		"/api/chat/attachments/" + text: 404} {
		res := w.want("root", "GET", path, "", status, "")
		if res.header.Get("Cache-Control") != "no-store" || status == 200 &&
			res.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox; frame-ancestors 'none'" {
			t.Errorf("%s: %v", path, res.header)
		}
	}
	w.want("root", "GET", report+"/files/0", "", 200, "bad words")
	for who, status := range map[string]int{"ada": 403, "ben": 403, "stranger": 403, "anonymous": 401} {
		w.want(who, "GET", report+"/files/0", "", status, "")
	}
	w.want("root", "POST", report+"/decide", `{"decision":"resolved"}`, 200, `"files":[{`)
	w.want("ben", "DELETE", "/api/auth/me", "", 204, "")
	w.want("root", "GET", report, "", 200, `"files":[]`)
	w.want("root", "GET", report+"/files/0", "", 404, "")
	w.settle()
	collect()
	w.wantRows(0, `SELECT count(*) FROM blob`)
}

// wantRows fails the test unless a query of one number returns n.
func (w *world) wantRows(n int, query string) {
	w.t.Helper()
	if got := w.count(query); got != n {
		w.t.Errorf("%s: %d, want %d", query, got, n)
	}
}

// count returns the result of a query of one number.
func (w *world) count(query string) (n int) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.app.DB().Path()+"?_busy_timeout=5000")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// A decision deletes the reported message as its sender would, once, and the
// report keeps the text.
func TestDecideReportDeletesTheMessage(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations",
		`{"participantIds":["$id:ben"],"type":"group","title":"Garden"}`, 201, "").body)
	w.ids["$id:message"] = idIn(t, w.want("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"bad words"}`, 201,
		"").body)
	w.ids["$id:report"] = w.report("ada", "message", "$id:message")
	w.want("root", "GET", "/api/admin/overview", "", 200, `"openReports":1`)
	w.want("root", "GET", "/api/admin/reports", "", 200,
		`"text":"bad words","reporter":{"id":"$id:ada","name":"Ada"},"reported":{"id":"$id:ben"`)

	// An administrator reads what is reported, and nothing around it.
	w.want("root", "GET", "/api/chat/conversations/$id:group/messages", "", 404, "")
	w.want("root", "DELETE", "/api/chat/messages/$id:message", "", 404, "")

	const decide = "/api/admin/reports/$id:report/decide"
	w.want("root", "POST", decide, `{"decision":"resolved","action":"delete_message","note":"No such words here."}`, 200,
		`"decision":"resolved","note":"No such words here."`)
	w.want("root", "POST", decide, `{"decision":"dismissed"}`, 409, "already_decided")
	w.want("ada", "GET", "/api/chat/conversations/$id:group/messages", "", 200, `"content":""`)
	w.want("root", "GET", "/api/admin/reports", "", 200, `[]`)
	w.want("root", "GET", "/api/admin/reports?state=decided", "", 200, `"text":"bad words"`)
	w.want("root", "GET", "/api/admin/reports/$id:report", "", 200, `"decidedBy":{"id":"$id:root","name":"Root"}`)
	w.wantAudit("Root report.decide - resolved, delete_message")

	// The event is that of the sender's own deletion.
	var events []string
	err := w.app.DB().Read(t.Context(), func(r *store.Reader) error {
		all, err := r.EventsAfter(0, 1000)
		events = nil
		for _, e := range all {
			if e.ObjectID == w.ids["$id:message"] {
				events = append(events, string(e.Kind)+" "+e.ActorID)
			}
		}
		return err
	})
	if want := "message.created " + w.ids["$id:ben"] + ",message.deleted " + w.ids["$id:ben"]; err != nil ||
		strings.Join(events, ",") != want {
		t.Errorf("events %v, want %s; %v", events, want, err)
	}

	// A second report of the same message finds it deleted.
	w.ids["$id:report"] = w.report("ada", "message", "$id:message")
	w.want("root", "POST", decide, `{"decision":"resolved","action":"delete_message"}`, 200, `"decision":"resolved"`)
}

// A report keeps the text as it was when it was made, whatever its sender does
// with the message. When the sender deletes the account, its words go from the
// report, too: the report stays, with what the reporter wrote.
func TestReportKeepsTheText(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"],"type":"group"}`, 201,
		"").body)
	w.ids["$id:message"] = idIn(t, w.want("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"content":"bad words"}`, 201,
		"").body)
	w.ids["$id:first"] = w.report("ada", "message", "$id:message")
	w.want("ben", "PUT", "/api/auth/me/status", `{"text":"Cheap watches"}`, 200, "")
	w.ids["$id:second"] = w.report("ada", "user", "$id:ben")
	kept := func() {
		t.Helper()
		w.want("root", "GET", "/api/admin/reports/$id:first", "", 200, `"text":"bad words"`)
		w.want("root", "GET", "/api/admin/reports/$id:second", "", 200, `Cheap watches`)
	}
	w.want("ben", "PATCH", "/api/chat/messages/$id:message", `{"content":"good words"}`, 200, "")
	w.want("ben", "PATCH", "/api/auth/me", `{"name":"Benedict"}`, 200, "")
	w.want("ben", "PUT", "/api/auth/me/status", `{"text":null}`, 200, "")
	kept()
	w.want("ben", "DELETE", "/api/chat/messages/$id:message", "", 200, "")
	w.want("ben", "DELETE", "/api/chat/conversations/$id:group/participants/$id:ben", "", 204, "")
	kept()
	w.want("ben", "DELETE", "/api/auth/me", "", 204, "")
	for _, id := range []string{"$id:first", "$id:second"} {
		w.want("root", "GET", "/api/admin/reports/"+id, "", 200,
			`"reason":"Abuse","freeform":"","text":"","reporter":{"id":"$id:ada","name":"Ada"},"reported":null`)
	}
}

// A decision suspends the reported account as an administrator would, in the
// same write or not at all.
func TestDecideReportSuspends(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	const decide = "/api/admin/reports/$id:report/decide"
	w.want("ben", "GET", "/api/auth/me", "", 200, "")
	w.ids["$id:report"] = w.report("ada", "user", "$id:ben")
	w.want("root", "POST", decide, `{"decision":"resolved","action":"delete_message"}`, 400, `"field":"action"`)
	w.want("root", "GET", "/api/admin/reports/$id:report", "", 200, `"decision":null`)
	w.want("root", "POST", decide, `{"decision":"resolved","action":"suspend"}`, 200, `"suspendedAt":"20`)
	w.want("ben", "GET", "/api/auth/me", "", 401, "")
	w.wantAudit("Root report.decide - resolved, suspend", "Root user.suspend Ben")

	w.ids["$id:report"] = w.report("ada", "user", "$id:root")
	w.want("root", "POST", decide, `{"decision":"resolved","action":"suspend"}`, 409, "own_account")
	w.want("root", "POST", decide, `{"decision":"dismissed"}`, 200, `"decision":"dismissed"`)

	w.ids["$id:report"] = w.report("ada", "user", "$id:stranger")
	w.sql(`DELETE FROM user WHERE id = ?`, w.ids["$id:stranger"])
	w.want("root", "GET", "/api/admin/reports/$id:report", "", 200, `"reported":null`)
	w.want("root", "POST", decide, `{"decision":"resolved","action":"suspend"}`, 409, "account_deleted")
}
