package app_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/account"
	"hearth/store"
	"hearth/store/storetest"
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

// A third export at the same time is refused.
func TestTwoExportsAtATime(t *testing.T) {
	w := newWorld(t)
	w.token("ada")
	by := store.Viewer{Kind: store.Human, UserID: w.cast.Ada.ID, CanRead: true}
	in := account.ExportIn{Range: "last_day"}
	err := w.app.Account.Export(t.Context(), by, in, func(string) io.Writer {
		inner := w.app.Account.Export(t.Context(), by, in, func(string) io.Writer {
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

// Each limit of what is kept is reached with exactly as much as it says.
func TestLimitsOfWhatIsKept(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:group"] = idIn(t, w.must("ada", "POST", "/api/chat/conversations", `{"participantIds":["$id:ben"],"type":"group"}`))
	w.ids["$id:list"] = idIn(t, w.must("ada", "POST", "/api/lists", `{"title":"L","visibility":"public-edit"}`))
	w.ids["$id:item"] = idIn(t, w.must("ada", "POST", "/api/lists/$id:list/items", `{"content":"x"}`))
	w.ids["$id:thought"] = idIn(t, w.must("ada", "POST", "/api/thoughts", `{"text":"one more"}`))
	w.ids["$id:other"] = idIn(t, w.must("ada", "POST", "/api/thoughts", `{"text":"too many"}`))
	w.must("ada", "PATCH", "/api/lists/$id:list", `{"moderated":true}`)
	people, ada := w.others(997), storetest.Human(w.cast.Ada)
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		group, list, item := w.ids["$id:group"], w.ids["$id:list"], w.ids["$id:item"]
		fill := map[int]func(n int) error{
			997: func(n int) error { return tx.AddMember(group, people[n], "member") },
			999: func(int) error {
				_, err := tx.InsertComment(list, store.Comment{ItemID: item, AuthorID: ada.UserID, Content: "c"}, nil)
				return err
			},
			499: func(int) error {
				tx.Now = tx.Tick()
				if _, err := tx.HoldItem(store.Item{ListID: list, Content: "x", Anonymous: true}); err != nil {
					return err
				}
				return tx.InsertDraft(&store.Draft{OwnerID: ada.UserID, Goal: "x", MatchingMode: "fulfillment"})
			},
			199: func(n int) error {
				tx.Now = tx.Tick()
				thought := store.Thought{UserID: ada.UserID, Text: "A thought", Kind: "fact", Status: "none"}
				if err := tx.InsertThought(&thought); err != nil {
					return err
				}
				if _, err := tx.PinThought(ada, group, thought.ID); err != nil {
					return err
				}
				return tx.PutListMember(list, people[n], "viewer")
			},
		}
		for rows, add := range fill {
			for n := range rows {
				if err := add(n); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range 19 {
		w.must("ada", "POST", "/api/agent-keys", `{"name":"k","bot":{"name":"B"}}`)
	}
	for range 49 {
		w.must("ada", "POST", "/api/chat/conversations/$id:group/invites", `{}`)
	}
	for code, requests := range map[string][2]string{
		"too_many_invites":  {`POST /api/chat/conversations/$id:group/invites {}`, ""},
		"too_many_comments": {`POST /api/lists/$id:list/items/$id:item/comments {"content":"c"}`, ""},
		"too_many_drafts":   {`POST /api/intent-drafts {"goal":"x"}`, ""},
		"too_many_bots":     {`POST /api/agent-keys {"name":"k","bot":{"name":"B"}}`, ""},
		"too_many_members": {`PUT /api/lists/$id:list/members/$id:ben {"role":"viewer"}`,
			`PUT /api/lists/$id:list/members/$id:cleo {"role":"viewer"}`},
		"group_full": {`POST /api/chat/conversations/$id:group/participants {"userId":"$id:cleo"}`,
			`POST /api/chat/conversations/$id:group/participants {"userId":"$id:stranger"}`},
		"too_many_pins": {`POST /api/thoughts/$id:thought/pin {"conversationId":"$id:group"}`,
			`POST /api/thoughts/$id:other/pin {"conversationId":"$id:group"}`},
	} {
		if res := w.request("ada", requests[0]); res.status >= 300 {
			t.Errorf("%s, the last one: %d %s", code, res.status, res.body)
		}
		if requests[1] == "" {
			requests[1] = requests[0]
		}
		w.limitReached("ada", requests[1], 409, code)
	}
	const propose = `POST /api/lists/$id:list/items {"content":"y","reporter":"scout"}`
	if res := w.request("public", propose); res.status >= 300 {
		t.Errorf("%d %s", res.status, res.body)
	}
	w.limitReached("public", propose, 409, "queue_full")
}
