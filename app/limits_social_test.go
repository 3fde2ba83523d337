package app_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/social"
	"hearth/store"
)

// made sends a request of ada's and returns the id of the object in a member of
// the response.
func (w *world) made(request, member string) string {
	w.t.Helper()
	var v map[string]struct{ ID string }
	res := w.request("ada", request)
	if err := json.Unmarshal(res.body, &v, json.MatchCaseInsensitiveNames(true)); err != nil || res.status != 201 {
		w.t.Fatalf("%s: %d %s", request, res.status, res.body)
	}
	return v[member].ID
}

// storyFor publishes a Story of one of the cast for another, and returns its id.
func (w *world) storyFor(who, to string) string {
	w.t.Helper()
	members := `"text":"Soup","audience":{"userIds":["$id:` + to + `"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"`
	grant := w.grantOf(who, "/api/stories", `{"confirm":false,`+members+`}`)
	var out social.PublishOut
	res := w.request(who, `POST /api/stories {"confirm":true,"approvalGrant":"`+grant+`",`+members+`}`)
	if err := json.Unmarshal(res.body, &out); err != nil || res.status != 201 {
		w.t.Fatalf("%d %s", res.status, res.body)
	}
	return out.Story.ID
}

// An account has at most 50 active asks and offers, whatever the way to the next
// one. What is paused, withdrawn or has expired does not count.
func TestLimitOfActiveIntents(t *testing.T) {
	w := newWorld(t)
	const search = `{"confirm":false,"quietSearch":{"enabled":true,"expiresAt":"2098-01-01T00:00:00Z"}}`
	w.ids["$id:draft"] = w.made(`POST /api/intent-drafts {"goal":"A band"}`, "draft")
	w.ids["$id:other"] = w.made(`POST /api/intent-drafts {"goal":"A choir"}`, "draft")
	grant := w.grantOf("ada", "/api/intent-drafts/$id:draft/activate", search)
	w.ids["$id:story"] = w.made(`POST /api/intent-drafts/$id:draft/activate `+
		strings.Replace(search, "false", `true,"approvalGrant":"`+grant+`"`, 1), "story")
	w.want("ada", "PATCH", "/api/stories/$id:story", `{"status":"paused"}`, 200, "")
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		for i := range 49 {
			one := store.Intent{OwnerID: w.cast.Ada.ID, Kind: "ask", Terms: "x", Seeks: []string{"x"}, Brings: []string{},
				MatchingMode: "fulfillment", Status: "active"}
			if i == 0 {
				one.ExpiresAt = tx.Reader.Now() + 1_000_000
			}
			tx.Now = tx.Tick()
			if err := tx.InsertIntent(&one); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	fiftieth := w.made(`POST /api/intents {"kind":"ask","terms":"The fiftieth","confirm":true}`, "intent")
	refused := func(request string) {
		t.Helper()
		w.limitReached("ada", request, 409, "too_many_intents")
	}
	next := `POST /api/intents {"kind":"ask","terms":"One more","confirm":true}`
	refused(next)
	refused("POST /api/intent-drafts/$id:other/activate " + search)
	refused(`POST /api/stories {"confirm":false,"text":"x","kind":"ask","audience":{"userIds":["$id:ben"],"conversationIds":[]},` +
		`"storyExpiresAt":"2098-01-01T00:00:00Z","quietSearch":{"enabled":true,"expiresAt":"2098-01-01T00:00:00Z"}}`)
	refused(`PATCH /api/stories/$id:story {"status":"active"}`)
	w.storyFor("ada", "ben") // a Story without a search needs no place
	w.want("ada", "PATCH", "/api/intents/"+fiftieth, `{"status":"withdrawn"}`, 200, "")
	w.want("ada", "PATCH", "/api/stories/$id:story", `{"status":"active"}`, 200, "")
	refused(next)
	w.turnClock("1s") // one expires
	w.made(next, "intent")
	refused(next)
	if res := w.request("ben", next); res.status != 201 {
		t.Errorf("somebody else: %d %s", res.status, res.body)
	}
}

// An account shows at most 20 Stories, whatever the way to the next one. What is paused,
// withdrawn or has expired does not count, and a search without a Story does not.
func TestLimitOfStories(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:paused"] = w.storyFor("ada", "ben")
	w.want("ada", "PATCH", "/api/stories/$id:paused", `{"status":"paused"}`, 200, "")
	w.ids["$id:expired"] = w.storyFor("ada", "ben")
	w.want("ada", "PATCH", "/api/stories/$id:expired", `{"storyExpiresAt":"`+store.TimeOf(w.clock.Now()).Add(1e9).String()+`"}`, 200, "")
	w.turnClock("1s")
	w.ids["$id:draft"] = w.made(`POST /api/intent-drafts {"goal":"A band"}`, "draft")
	for range 20 {
		w.ids["$id:last"] = w.storyFor("ada", "ben")
	}
	const (
		story = `"text":"Soup","audience":{"userIds":["$id:ben"],"conversationIds":[]}`
		until = `"2098-01-01T00:00:00Z"`
	)
	waysToNext := []string{
		`POST /api/stories {"confirm":false,` + story + `,"storyExpiresAt":` + until + `}`,
		`POST /api/intent-drafts/$id:draft/activate {"confirm":false,"story":{"enabled":true,` + story + `,"expiresAt":` + until + `}}`,
		`PATCH /api/stories/$id:paused {"status":"active"}`,
		`PATCH /api/stories/$id:expired {"storyExpiresAt":` + until + `}`,
	}
	for n, request := range waysToNext {
		w.limitReached("ada", request, 409, "too_many_stories")
		w.want("ada", "PATCH", "/api/stories/$id:last", `{"status":"paused"}`, 200, "")
		if res := w.request("ada", request); res.status != 200 {
			t.Errorf("%s, with a place: %d %s", request, res.status, res.body)
		}
		if n < 2 { // a preview takes none
			w.want("ada", "PATCH", "/api/stories/$id:last", `{"status":"active"}`, 200, "")
		} else {
			w.ids["$id:last"] = w.ids[[]string{"$id:paused", "$id:expired"}[n-2]]
		}
	}
	w.want("ada", "PATCH", "/api/stories/$id:last", `{"storyExpiresAt":"2097-01-01T00:00:00Z"}`, 200, "")
	w.limitReached("ada", waysToNext[0], 409, "too_many_stories")
	w.want("ada", "POST", "/api/intent-drafts/$id:draft/activate", `{"confirm":false,"quietSearch":{"enabled":true,"expiresAt":`+until+`}}`,
		200, "")
	w.storyFor("ben", "ada")
}
