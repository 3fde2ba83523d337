package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/social"
	"hearth/store"
)

// limit is the longest value of a member, as JSON, and one that is one longer.
type limit struct {
	what, request  string // with %s for the value
	within, beyond string
}

// chars returns a JSON text of n characters, each of more than one byte.
func chars(n int) string { return `"` + strings.Repeat("ä", n) + `"` }

// many returns a JSON array of n copies of an element.
func many(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// listed returns ids as a JSON array.
func listed(ids []string) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// termLimits are the limits of the members that intents, drafts and Stories have
// in common.
func termLimits(request func(members string) string) (all []limit) {
	all = append(all, limit{"goal", request(`"goal":%s`), chars(500), chars(501)})
	for _, list := range []string{"seeks", "brings"} {
		all = append(all,
			limit{list, request(`"goal":"x","` + list + `":%s`), many(20, chars(500)), many(21, `"x"`)},
			limit{"an item of " + list, request(`"goal":"x","` + list + `":[%s]`), chars(500), chars(501)})
	}
	return all
}

// audienceLimits are those of an audience in a request with %s for it.
func audienceLimits(request string, people, groups []string) []limit {
	in := func(audience string) string { return strings.Replace(request, "%s", audience, 1) }
	return []limit{
		{"people of an audience", in(`{"userIds":%s,"conversationIds":[]}`), listed(people[:100]), listed(people)},
		{"conversations of an audience", in(`{"userIds":[],"conversationIds":%s}`), listed(groups[:100]), listed(groups)},
	}
}

const farMoment = `"2098-01-01T00:00:00Z"`

func intentLimits(next, now string, people, groups []string) []limit {
	request := func(members string) string {
		return `POST /api/intents {"kind":"ask","confirm":true,"terms":"x",` + members + `}`
	}
	return slices.Concat(termLimits(request), audienceLimits(request(`"audience":%s`), people, groups), []limit{
		{"terms", `POST /api/intents {"kind":"ask","confirm":true,"terms":%s}`, chars(500), chars(501)},
		{"no terms", `POST /api/intents {"kind":"ask","confirm":true,"terms":%s}`, chars(1), `"  "`},
		{"details", request(`"details":%s`), chars(2000), chars(2001)},
		{"expiresAt", request(`"expiresAt":%s`), next, now},
	})
}

func draftLimits() (all []limit) {
	for _, start := range []string{`POST /api/intent-drafts {`, `PATCH /api/intent-drafts/$id:draft {`} {
		request := func(members string) string { return start + members + `}` }
		all = slices.Concat(all, termLimits(request), []limit{
			{"details", request(`"goal":"x","details":%s`), chars(4000), chars(4001)},
			{"source", request(`"goal":"x","source":%s`), chars(1000), chars(1001)},
			{"provenance", request(`"goal":"x","provenance":{"a":"%s"}`), strings.Repeat("x", 10_000-8), strings.Repeat("x", 10_000-7)},
			{"most confidence", request(`"goal":"x","confidence":%s`), "1", "1.0001"},
			{"least confidence", request(`"goal":"x","confidence":%s`), "0", "-0.0001"},
		})
	}
	return all
}

func activationLimits(next, now string, people, groups []string) []limit {
	request := func(members string) string {
		return `POST /api/intent-drafts/$id:plain/activate {"confirm":false,` + members + `}`
	}
	story := func(members string) string {
		return request(`"story":{"enabled":true,"audience":{"userIds":["$id:ben"],"conversationIds":[]},` + members + `}`)
	}
	return slices.Concat([]limit{
		{"text", story(`"expiresAt":` + farMoment + `,"text":%s`), chars(2000), chars(2001)},
		{"no text", story(`"expiresAt":` + farMoment + `,"text":%s`), chars(1), chars(0)},
		{"end of the Story", story(`"text":"x","expiresAt":%s`), next, now},
		{"end of the search", request(`"quietSearch":{"enabled":true,"expiresAt":%s}`), next, now},
		{"grant", request(`"quietSearch":{"enabled":true,"expiresAt":` + farMoment + `},"approvalGrant":%s`), chars(100), chars(101)},
	},
		audienceLimits(request(`"story":{"enabled":true,"text":"x","expiresAt":`+farMoment+`,"audience":%s}`), people, groups),
		audienceLimits(request(`"quietSearch":{"enabled":true,"expiresAt":`+farMoment+`,"audience":%s}`), people, groups))
}

func storyLimits(next, now string, people, groups []string) []limit {
	request := func(members string) string {
		return `POST /api/stories {"confirm":false,` + members + `}`
	}
	const audience = `"audience":{"userIds":["$id:ben"],"conversationIds":[]}`
	const rest = audience + `,"storyExpiresAt":` + farMoment
	return slices.Concat(termLimits(func(members string) string { return request(`"text":"x",` + rest + `,` + members) }),
		audienceLimits(request(`"text":"x","storyExpiresAt":`+farMoment+`,"audience":%s`), people, groups),
		[]limit{
			{"text", request(rest + `,"text":%s`), chars(2000), chars(2001)},
			{"no text", request(rest + `,"text":%s`), chars(1), `" "`},
			{"storyExpiresAt", request(`"text":"x",` + audience + `,"storyExpiresAt":%s`), next, now},
			{"extended", `PATCH /api/stories/$id:own {"storyExpiresAt":%s}`, next, now},
			{"message", `POST /api/stories/$id:story/respond {"confirm":false,"message":%s}`, chars(2000), chars(2001)},
			{"no message", `POST /api/stories/$id:story/respond {"confirm":false,"message":%s}`, chars(1), chars(0)},
			{"experienceMode", `PATCH /api/social/preferences {"experienceMode":%s}`, `"enhanced"`, `"simpler"`},
			{"networkPaused", `PATCH /api/social/preferences {"networkPaused":%s}`, `false`, `0`},
		})
}

// Every text and list is accepted at its limit and refused one beyond, and every
// number and moment likewise.
func TestLimitsOfSocialFields(t *testing.T) {
	w := newWorld(t)
	people := w.others(101)
	var groups []string
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		groups = nil
		for range 101 {
			id, err := tx.InsertGroup(w.cast.Ada.ID, []string{w.cast.Ben.ID}, "Group")
			if err != nil {
				return err
			}
			groups = append(groups, id)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.ids["$id:draft"] = w.made(`POST /api/intent-drafts {"goal":"A band"}`, "draft")
	w.ids["$id:plain"] = w.made(`POST /api/intent-drafts {"goal":"A choir"}`, "draft")
	w.ids["$id:story"], w.ids["$id:own"] = w.storyFor("ben", "ada"), w.storyFor("ada", "ben")
	at := store.TimeOf(w.clock.Now())
	now, next := `"`+at.String()+`"`, `"`+(at+1).String()+`"`
	limits := slices.Concat(intentLimits(next, now, people, groups), draftLimits(), activationLimits(next, now, people, groups),
		storyLimits(next, now, people, groups))
	for _, l := range limits {
		what := strings.Join(strings.Fields(l.request)[:2], " ") + ", " + l.what
		if res := w.request("ada", fmt.Sprintf(l.request, l.within)); res.status/100 != 2 {
			t.Errorf("%s, within its limit: %d %.300s", what, res.status, res.body)
		}
		if res := w.request("ada", fmt.Sprintf(l.request, l.beyond)); res.status != 400 || !strings.Contains(string(res.body), `"field"`) {
			t.Errorf("%s, beyond its limit: %d %.300s", what, res.status, res.body)
		}
	}
	// What a draft may have is more than what can be published of it.
	for details, status := range map[string]int{chars(2000): 200, chars(2001): 400} {
		w.want("ada", "PATCH", "/api/intent-drafts/$id:plain", `{"details":`+details+`}`, 200, "")
		w.want("ada", "POST", "/api/intent-drafts/$id:plain/activate", `{"confirm":false,"quietSearch":{"enabled":true,"expiresAt":`+farMoment+
			`}}`, status, "")
	}
}

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
	refused(`POST /api/stories {"confirm":false,"text":"x","kind":"ask","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z","quietSearch":{"enabled":true,"expiresAt":"2098-01-01T00:00:00Z"}}`)
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

// A search that expires leaves its place, and takes one again when it is extended.
func TestExtendedSearchNeedsAPlace(t *testing.T) {
	w := newWorld(t)
	expires := store.TimeOf(w.clock.Now()).Add(1e9).String()
	search := `{"confirm":false,"quietSearch":{"enabled":true,"expiresAt":"` + expires + `"}}`
	w.ids["$id:draft"] = w.made(`POST /api/intent-drafts {"goal":"A band"}`, "draft")
	grant := w.grantOf("ada", "/api/intent-drafts/$id:draft/activate", search)
	w.ids["$id:story"] = w.made(`POST /api/intent-drafts/$id:draft/activate `+
		strings.Replace(search, "false", `true,"approvalGrant":"`+grant+`"`, 1), "story")
	w.turnClock("1s")
	var last string
	for range 50 {
		last = w.made(`POST /api/intents {"kind":"ask","terms":"x","confirm":true}`, "intent")
	}
	extend := `PATCH /api/stories/$id:story {"storyExpiresAt":"2098-01-01T00:00:00Z"}`
	w.limitReached("ada", extend, 409, "too_many_intents")
	w.want("ada", "PATCH", "/api/intents/"+last, `{"status":"withdrawn"}`, 200, "")
	if res := w.request("ada", extend); res.status != 200 {
		t.Errorf("%d %s", res.status, res.body)
	}
	w.limitReached("ada", `POST /api/intents {"kind":"ask","terms":"x","confirm":true}`, 409, "too_many_intents")
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

// An account has at most 500 pending drafts.
func TestLimitOfDrafts(t *testing.T) {
	w := newWorld(t)
	if err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		for range 499 {
			tx.Now = tx.Tick()
			d := store.Draft{OwnerID: w.cast.Ada.ID, Goal: "x", MatchingMode: "fulfillment"}
			if err := tx.InsertDraft(&d); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	const next = `POST /api/intent-drafts {"goal":"One more"}`
	w.ids["$id:draft"] = w.made(next, "draft")
	w.limitReached("ada", next, 409, "too_many_drafts")
	if res := w.request("ben", next); res.status != 201 {
		t.Errorf("somebody else: %d %s", res.status, res.body)
	}
	var list social.ListDraftsOut
	if err := json.Unmarshal(w.want("ada", "GET", "/api/intent-drafts", "", 200, "").body, &list); err != nil || len(list.Drafts) != 500 {
		t.Errorf("%d drafts are listed: %v", len(list.Drafts), err)
	}
	var review social.ReviewOut
	if err := json.Unmarshal(w.want("ada", "GET", "/api/review", "", 200, "").body, &review); err != nil || len(review.Items) != 50 ||
		!review.HasMore {
		t.Errorf("%d items are to be reviewed, more: %v, %v", len(review.Items), review.HasMore, err)
	}
	w.want("ada", "PATCH", "/api/intent-drafts/$id:draft", `{"state":"dismissed"}`, 200, "")
	w.made(next, "draft")
	w.limitReached("ada", next, 409, "too_many_drafts")
}

// An account has at most 50 grants: another one ends the oldest.
func TestLimitOfGrants(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:story"] = w.storyFor("ben", "ada")
	grant := func(i int) string {
		return w.grantOf("ada", "/api/stories/$id:story/respond", fmt.Sprintf(`{"confirm":false,"message":"Number %d"}`, i))
	}
	var grants []string
	for i := range 51 {
		grants = append(grants, grant(i))
	}
	use := func(i int) string {
		return fmt.Sprintf(`POST /api/stories/$id:story/respond {"confirm":true,"message":"Number %d","approvalGrant":"%s"}`, i, grants[i])
	}
	w.limitReached("ada", use(0), 409, "approval_required")
	for _, i := range []int{1, 50} {
		if res := w.request("ada", use(i)); res.status != 201 {
			t.Errorf("grant %d: %d %s", i, res.status, res.body)
		}
	}
}
