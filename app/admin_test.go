package app_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
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

// sql changes rows as another process would.
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

// A report names the files of a message, and has the transcript of a voice note.
func TestReportKeepsFiles(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:direct"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"]}`, 201, "").body)
	file := idIn(t, w.upload("ben", "insult.txt", "bad words").body)
	w.ids["$id:message"] = idIn(t, w.want("ben", "POST", "/api/chat/conversations/$id:direct/messages", `{"content":"","attachments":[{"id":"`+
		file+`"}]}`, 201, "").body)
	w.sql(`UPDATE message SET transcript = 'spoken words'`)
	w.report("ada", "message", "$id:message")
	w.want("root", "GET", "/api/admin/reports", "", 200, `"text":"File: insult.txt\nspoken words"`)
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

// What is kept with the reports of one account has a limit; later reports name the
// files alone.
func TestReportedFilesAreBounded(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:direct"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"]}`, 201, "").body)
	reported := func() string {
		t.Helper()
		file := idIn(t, w.upload("ben", "a.txt", "words").body)
		w.ids["$id:message"] = idIn(t, w.want("ben", "POST", "/api/chat/conversations/$id:direct/messages", `{"attachments":[{"id":"`+file+`"}]}`,
			201, "").body)
		return "/api/admin/reports/" + w.report("ada", "message", "$id:message")
	}
	w.want("root", "GET", reported(), "", 200, `"files":[{`)
	w.sql(`UPDATE report_file SET size = ?`, store.MaxReportFiles)
	w.want("root", "GET", reported(), "", 200, `"files":[]`)
	w.want("root", "GET", reported(), "", 200, `"text":"File: a.txt","reporter"`)
}

// What a bot reports counts for its owner, also once the bot is deleted.
func TestFilesThatBotsReportAreBounded(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.token("ada/bot")
	w.ids["$id:bot"] = w.viewer("ada/bot").UserID
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben","$id:bot"],"title":"Garden"}`,
		201, "").body)
	send := func() {
		t.Helper()
		file := idIn(t, w.upload("ben", "a.txt", "words").body)
		w.ids["$id:message"] = idIn(t, w.want("ben", "POST", "/api/chat/conversations/$id:group/messages", `{"attachments":[{"id":"`+file+`"}]}`,
			201, "").body)
	}
	send()
	id := w.report("ada/bot", "message", "$id:message")
	if again := w.report("ada", "message", "$id:message"); again != id {
		t.Errorf("the report of the owner is %s, that of the bot %s", again, id)
	}
	w.sql(`UPDATE report_file SET size = ? WHERE report_id = ?`, store.MaxReportFiles, id)
	w.want("ada", "DELETE", "/api/bots/$id:bot", "", 204, "")
	w.settle()
	w.want("root", "GET", "/api/admin/reports/"+id, "", 200, `"files":[{`)
	send()
	w.want("root", "GET", "/api/admin/reports/"+w.report("ada", "message", "$id:message"), "", 200, `"files":[]`)
}

// wantRows fails the test unless a query of one number returns n.
func (w *world) wantRows(n int, query string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.app.DB().Path())
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	var got int
	if err := db.QueryRow(query).Scan(&got); err != nil || got != n {
		w.t.Errorf("%s: %d, %v; want %d", query, got, err, n)
	}
}

// The audit log has that an administrator revoked an invitation of somebody else, and
// that members may no longer invite people.
func TestInvitationsAreAudited(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	invite := func(who string) string {
		return idIn(t, w.want(who, "POST", "/api/community/invitations", `{}`, 201, "").body)
	}
	w.want("root", "PATCH", "/api/admin/settings", `{"memberInvites":true}`, 200, "")
	own, others := invite("ben"), invite("ben")
	w.want("ben", "DELETE", "/api/community/invitations/"+own, "", 204, "")
	w.want("root", "DELETE", "/api/community/invitations/"+others, "", 204, "")
	w.want("root", "DELETE", "/api/community/invitations/"+others, "", 404, "")
	w.want("root", "PATCH", "/api/admin/settings", `{"memberInvites":false}`, 200, "")
	w.wantAudit("Root settings.update - memberInvites no", "Root invitation.revoke Ben", "Root settings.update - memberInvites yes")
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

// Of two administrators who demote or suspend each other at once, one stays.
func TestAdministratorsCannotRemoveEachOther(t *testing.T) {
	for _, act := range []string{"demote", "suspend"} {
		for range 5 {
			w := newWorld(t)
			w.token("root")
			w.token("ada")
			w.want("root", "POST", "/api/admin/people/$id:ada/promote", "", 200, "")
			var wg sync.WaitGroup
			got := map[string]*response{"ada": {}, "root": {}}
			for who, other := range map[string]string{"ada": "root", "root": "ada"} {
				path, res := w.fillIDs("/api/admin/people/$id:"+other+"/"+act), got[who]
				wg.Go(func() { *res = w.json(who, "POST", path, "") })
			}
			wg.Wait()
			won, lost := got["ada"], got["root"]
			if won.status != 200 {
				won, lost = lost, won
			}
			if won.status != 200 || lost.status != 403 && lost.status != 401 {
				t.Errorf("%s: %d and %d: %s %s", act, won.status, lost.status, won.body, lost.body)
			}
		}
	}
}

// With sign-up by invitation, set while the server runs, an unknown address
// cannot join, and a known one can sign in.
func TestSignupSetting(t *testing.T) {
	w := newWorld(t)
	ask := func(email string) bool {
		t.Helper()
		before := len(w.log.String())
		w.want("anonymous", "POST", "/api/auth/magic-link", `{"email":"`+email+`"}`, 202, "")
		return strings.Contains(w.log.String()[before:], email)
	}
	if !ask("first@example.org") {
		t.Error("sign-up is not open at first")
	}
	w.want("root", "PATCH", "/api/admin/settings", `{"signup":"invite"}`, 200, `"signup":"invite"`)
	if ask("second@example.org") || !ask("ben@example.org") {
		t.Error("with invite, an unknown address got a mail or a known one did not")
	}
	w.want("root", "PATCH", "/api/admin/settings", `{"signup":"open"}`, 200, `"signup":"open"`)
	if !ask("second@example.org") {
		t.Error("sign-up is not open again")
	}
}

// A report of the card of a match is one of the other person, with their terms. The card
// itself stays, also with a report that an earlier version made of it.
func TestReportOfACard(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.want("ben", "POST", "/api/intents", `{"kind":"ask","terms":"A long ladder for gutters","confirm":true}`, 201, "")
	w.want("ada", "POST", "/api/intents", `{"kind":"offer","terms":"A long ladder for gutters, abuse","confirm":true}`, 201, "")
	match := w.firstID("ben", "/api/matches", "matches")
	for _, who := range []string{"ada", "ben"} {
		w.want(who, "POST", "/api/matches/"+match+"/respond", `{"decision":"approve"}`, 200, "")
	}
	w.ids["$id:pair"] = idIn(t, w.json("ben", "POST", "/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ada"]}`)).body)
	var shown struct{ Messages []struct{ ID string } }
	w.read(w.want("ben", "GET", "/api/chat/conversations/$id:pair/messages", "", 200, ""), 200, &shown)
	w.ids["$id:card"] = shown.Messages[0].ID

	w.ids["$id:report"] = w.report("ben", "message", "$id:card")
	if again := w.report("ben", "message", "$id:card"); again != w.ids["$id:report"] {
		t.Errorf("the same again is the report %s", again)
	}
	w.want("root", "GET", "/api/admin/reports/$id:report", "", 200, `"targetType":"user","targetId":"$id:ada"`)
	w.want("root", "GET", "/api/admin/reports/$id:report", "", 200,
		`"text":"Ada\nMatch: A long ladder for gutters, abuse","reporter":{"id":"$id:ben","name":"Ben"},"reported":{"id":"$id:ada"`)
	w.ids["$id:other"] = w.report("ada", "message", "$id:card")
	w.want("root", "GET", "/api/admin/reports/$id:other", "", 200, `"text":"Ben\nMatch: A long ladder for gutters","reporter"`)
	w.want("root", "POST", "/api/admin/reports/$id:report/decide", `{"decision":"resolved","action":"delete_message"}`, 400,
		"no message to delete")

	w.ids["$id:old"] = store.NewID()
	w.sql(`INSERT INTO report (id, reporter_id, target_type, target_id, user_id, conversation_id, reason, freeform, text, created_at)
		VALUES (?, ?, 'message', ?, ?, ?, 'spam', '', '', 1)`, w.ids["$id:old"], w.ids["$id:ben"], w.ids["$id:card"], store.SystemUserID, w.ids["$id:pair"])
	w.want("root", "POST", "/api/admin/reports/$id:old/decide", `{"decision":"resolved","action":"delete_message"}`, 400,
		"a card of a match, which cannot be deleted")
	w.want("root", "POST", "/api/admin/reports/$id:old/decide", `{"decision":"resolved","action":"suspend"}`, 409, "system_account")
	w.want("ben", "GET", "/api/chat/conversations/$id:pair/messages", "", 200, "abuse")
	w.want("root", "POST", "/api/admin/reports/$id:old/decide", `{"decision":"dismissed"}`, 200, "")

	w.want("ada", "DELETE", "/api/auth/me", "", 204, "")
	w.want("root", "GET", "/api/admin/reports/$id:report", "", 200, `"text":""`)
	w.want("ben", "POST", "/api/chat/reports", `{"targetType":"message","targetId":"$id:card","reason":"spam"}`, 400, "nothing left to report")
}
