package app_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/api"
	"hearth/app/core"
	rates "hearth/app/limit"
	"hearth/store"
)

// limitReached checks that a request is refused with a code, and with Retry-After
// if it can succeed later.
func (w *world) limitReached(who, request string, status int, code string) {
	w.t.Helper()
	res := w.request(who, request)
	var got struct{ Error, Code string }
	if err := json.Unmarshal(res.body, &got, json.MatchCaseInsensitiveNames(true)); err != nil || res.status != status || got.Code != code ||
		got.Error == "" {
		w.t.Errorf("%s: %d %s, want %d %s", request, res.status, res.body, status, code)
	}
	if (res.header.Get("Retry-After") != "") != (status == http.StatusTooManyRequests) {
		w.t.Errorf("%s: status %d with Retry-After %q", request, status, res.header.Get("Retry-After"))
	}
}

// others adds n accounts and returns their ids.
func (w *world) others(n int) (ids []string) {
	w.t.Helper()
	if err := w.app.DB().Write(w.t.Context(), func(tx *store.Tx) error {
		ids = ids[:0]
		for i := range n {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("person%d@example.org", i), Name: "Person", VerifiedAt: tx.Now,
				SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			ids = append(ids, u.ID)
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return ids
}

// What tells many each time and stores nothing of its own is done 100 times, and then
// once in 30 seconds, by a person and their bots: one account could make a gigabyte of
// events a day by blocking a person again and again.
func TestSignalsToManyAreLimited(t *testing.T) {
	w := newWorld(t)
	for n := range 50 {
		w.want("ada", "POST", "/api/chat/users/$id:ben/block", "", 200, "")
		if n < 49 {
			w.want("ada", "DELETE", "/api/chat/users/$id:ben/block", "", 204, "")
		}
	}
	w.want("ada", "POST", "/api/chat/users/$id:cleo/block", "", 200, "")
	w.want("ada", "DELETE", "/api/chat/users/$id:ben/block", "", 429, "too_many_requests")
	w.want("cleo", "POST", "/api/chat/users/$id:ben/block", "", 200, "")
	w.clock.Advance(30 * time.Second)
	w.want("ada", "DELETE", "/api/chat/users/$id:ben/block", "", 204, "")
	w.want("ada", "DELETE", "/api/chat/users/$id:cleo/block", "", 429, "too_many_requests")
	for _, r := range api.Routes(api.Described()) {
		if r.Method+" "+r.Path != "PATCH /api/chat/context-intentions/{id}" {
			continue
		}
		if l := r.Op.Info().Limits; len(l) != 1 || l[0] != rates.IntentionStates {
			t.Errorf("%s has the limits %v", r.Path, l)
		}
	}
}

// Each time a list is shown all its items are indexed again, so that one person does it
// 100 times a day. Making it private is never refused.
func TestListsShownAreLimited(t *testing.T) {
	w := newWorld(t)
	list := "/api/lists/" + idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L"}`).body)
	for range 50 {
		w.want("ada", "PATCH", list, `{"visibility":"unlisted"}`, 200, "")
		w.want("ada", "PATCH", list, `{"visibility":"public"}`, 200, "")
		w.want("ada", "PATCH", list, `{"visibility":"private"}`, 200, "")
	}
	w.limitReached("ada", `PATCH `+list+` {"visibility":"public"}`, 429, "too_many_changes")
	w.want("ada", "PATCH", list, `{"visibility":"private","title":"M"}`, 200, `"private"`)
	w.clock.Advance(24 * time.Hour)
	w.want("ada", "PATCH", list, `{"visibility":"public"}`, 200, "")
	w.want("ada", "PATCH", list, `{"visibility":"private"}`, 200, "")
}

// The limits of people: 1,000 blocks, 20 requests to be friends and 30 reports
// within an hour.
func TestLimitsOfPeople(t *testing.T) {
	w := newWorld(t)
	ids := w.others(1001)
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		for _, id := range ids[:999] {
			if _, err := tx.InsertBlock(w.cast.Ada.ID, id); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.want("ada", "POST", "/api/chat/users/"+ids[999]+"/block", "", 200, "")
	w.limitReached("ada", "POST /api/chat/users/"+ids[1000]+"/block", 409, "too_many_blocks")
	w.want("ada", "POST", "/api/chat/users/"+ids[0]+"/block", "", 200, "") // as before
	w.want("ada", "DELETE", "/api/chat/users/"+ids[0]+"/block", "", 204, "")
	w.want("ada", "POST", "/api/chat/users/"+ids[1000]+"/block", "", 200, "")

	report := func(id string) string {
		return `POST /api/chat/reports {"targetType":"user","targetId":"` + id + `","reason":"spam"}`
	}
	for _, id := range ids[:30] {
		if res := w.request("ben", report(id)); res.status != 201 {
			t.Fatalf("%d %s", res.status, res.body)
		}
	}
	w.limitReached("ben", report(ids[30]), 429, "too_many_reports")
	for _, id := range ids[:20] {
		w.want("ben", "POST", "/api/friends/users/"+id+"/request", "", 200, `"outgoing"`)
	}
	w.limitReached("ben", "POST /api/friends/users/"+ids[20]+"/request", 429, "too_many_friend_requests")
	w.turnClock("1h1s")
	w.want("ben", "POST", "/api/friends/users/"+ids[20]+"/request", "", 200, `"outgoing"`)
	if res := w.request("ben", report(ids[30])); res.status != 201 {
		t.Errorf("an hour later: %d %s", res.status, res.body)
	}
}

// What is shown and not stored is limited for conversations and lists together: 30
// at once, and then one a second.
func TestTypingIsLimited(t *testing.T) {
	w := newLimitedWorld(t)
	g := "/api/chat/conversations/" + idIn(t, w.json("ada", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ben.ID+
		`"]}`).body)
	list := "/api/list/" + idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L"}`).body)
	for n := range 30 {
		if n%2 == 0 {
			w.want("ada", "POST", g+"/typing", "", 204, "")
		} else {
			w.want("ada", "POST", list+"/presence", `{"typing":true}`, 200, "")
		}
	}
	w.limitReached("ada", "POST "+g+"/typing", 429, "too_many_requests")
	w.limitReached("ada", "POST "+list+`/presence {"typing":true}`, 429, "too_many_requests")
	w.want("ben", "POST", g+"/typing", "", 204, "")
	w.turnClock("1s")
	w.want("ada", "POST", g+"/typing", "", 204, "")
	w.limitReached("ada", "POST "+g+"/typing", 429, "too_many_requests")
}

// A conversation has at most 200 pinned thoughts, and a thought is pinned to at
// most 50 conversations.
func TestLimitsOfPins(t *testing.T) {
	w := newWorld(t)
	ada := w.cast.Ada.ID
	var group, pinned, other string
	var groups []string
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) (err error) {
		groups = nil
		by := store.Viewer{Kind: store.Human, UserID: ada}
		for range 51 {
			id, err := tx.InsertGroup(ada, []string{w.cast.Ben.ID}, "Group")
			if err != nil {
				return err
			}
			groups = append(groups, id)
		}
		group = groups[50]
		thought := func(to string) (string, error) {
			tx.Tick()
			th := store.Thought{UserID: ada, Text: "A thought", Kind: "fact", Status: "none"}
			err := tx.InsertThought(&th)
			if err == nil && to != "" {
				_, err = tx.PinThought(by, to, th.ID)
			}
			return th.ID, err
		}
		for range 199 {
			if pinned, err = thought(group); err != nil {
				return err
			}
		}
		if other, err = thought(""); err != nil {
			return err
		}
		for _, id := range groups[:48] {
			if _, err := tx.PinThought(by, id, pinned); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	pin := func(thought, to string) string {
		return `POST /api/thoughts/` + thought + `/pin {"conversationId":"` + to + `"}`
	}
	third := idIn(t, w.want("ada", "POST", "/api/thoughts", `{"text":"A third"}`, 201, "").body)
	if res := w.request("ada", pin(other, group)); res.status != 201 {
		t.Errorf("the 200th pin of a conversation: %d %s", res.status, res.body)
	}
	w.limitReached("ada", pin(third, group), 409, "too_many_pins")
	if res := w.request("ada", pin(pinned, groups[48])); res.status != 201 {
		t.Errorf("the 50th pin of a thought: %d %s", res.status, res.body)
	}
	w.limitReached("ada", pin(pinned, groups[49]), 409, "too_many_pins")
	w.want("ada", "DELETE", "/api/thoughts/"+pinned+"/pin/"+groups[0], "", 204, "")
	if res := w.request("ada", pin(pinned, groups[49])); res.status != 201 {
		t.Errorf("after unpinning another: %d %s", res.status, res.body)
	}
}

// A third export at the same time is refused.
func TestTwoExportsAtATime(t *testing.T) {
	w := newWorld(t)
	w.token("ada")
	by := store.Viewer{Kind: store.Human, UserID: w.cast.Ada.ID, CanRead: true}
	in := account.ExportIn{Range: "last_day"}
	err := w.app.Account().Export(t.Context(), by, in, func(string) io.Writer {
		inner := w.app.Account().Export(t.Context(), by, in, func(string) io.Writer {
			w.limitReached("ada", "GET /api/auth/export", 429, "export_running")
			return io.Discard
		})
		if inner != nil {
			t.Error(inner)
		}
		return io.Discard
	})
	if err != nil {
		t.Error(err)
	}
	w.want("ada", "GET", "/api/auth/export", "", 200, "")
}

// An operator who decides a report cannot suspend the last administrator with it,
// and the report stays open.
func TestDecisionKeepsTheLastAdministrator(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	id := w.report("ada", "user", "$id:root")
	o, err := app.OpenOperator(t.Context(), app.Config{DB: w.app.DB().Path(), Out: w.log, Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	in := admin.DecideReportIn{ID: id, Decision: "resolved", Action: "suspend"}
	if _, err := o.Admin.DecideReport.Call(t.Context(), store.Viewer{Kind: store.Operator}, in); core.As(err).Code != "last_admin" ||
		core.As(err).Kind != core.Conflict {
		t.Errorf("the last administrator: %v", err)
	}
	w.want("root", "GET", "/api/admin/reports/"+id, "", 200, `"decision":null`)
	w.want("root", "POST", "/api/admin/people/$id:ada/promote", "", 200, "")
	if _, err := o.Admin.DecideReport.Call(t.Context(), store.Viewer{Kind: store.Operator}, in); err != nil {
		t.Errorf("with another one: %v", err)
	}
	w.want("ada", "GET", "/api/admin/people/$id:root", "", 200, `"suspendedAt":"20`)
}
