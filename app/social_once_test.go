package app_test

import (
	"strings"
	"testing"
	"time"

	"hearth/store"

	"github.com/go-json-experiment/json"
)

// atOnce are changes by ada. ben was matched with her, is in the audience of her
// Story by name and by a group, and has a grant to answer it. Each change decides
// whether he then sees the Story, can answer it, and can be connected, with the
// match that waits and with a new intent of hers or his.
var atOnce = map[string]struct {
	do                      func(w *world)
	seen, connected, joined bool
	review                  int // what waits for ben: the match
}{
	"nothing": {func(*world) {}, true, true, true, 1},
	"simple mode": {func(w *world) { w.request("ada", `PATCH /api/social/preferences {"experienceMode":"simple"}`) }, true, true,
		true, 1},
	"simple mode of ben": {func(w *world) { w.request("ben", `PATCH /api/social/preferences {"experienceMode":"simple"}`) }, true, true,
		true, 1},
	"a paused network": {func(w *world) { w.request("ada", `PATCH /api/social/preferences {"networkPaused":true}`) }, true, false, false,
		1},
	"ben's paused network": {func(w *world) { w.request("ben", `PATCH /api/social/preferences {"networkPaused":true}`) }, true, false, false,
		1},
	"a block":        {func(w *world) { w.request("ada", "POST /api/chat/users/$id:ben/block") }, false, false, false, 1},
	"a block by ben": {func(w *world) { w.request("ben", "POST /api/chat/users/$id:ada/block") }, false, false, false, 1},
	"a block that ended": {func(w *world) {
		w.request("ada", "POST /api/chat/users/$id:ben/block")
		w.request("ada", "DELETE /api/chat/users/$id:ben/block")
	}, true, true, true, 1},
	"leaving the group": {func(w *world) { w.request("ada", "DELETE /api/chat/conversations/$id:group/participants/$id:ada") }, false,
		true, true, 1},
	"ben leaving the group": {func(w *world) { w.request("ben", "DELETE /api/chat/conversations/$id:group/participants/$id:ben") }, false,
		true, true, 1},
	"a suspended account": {func(w *world) { w.suspendAda() }, false, false, false, 1},
	"a deleted account":   {func(w *world) { w.request("ada", "DELETE /api/auth/me") }, false, false, false, 0},
}

func (w *world) suspendAda() {
	if err := w.app.DB().Write(w.t.Context(), func(tx *store.Tx) error {
		u := w.cast.Ada
		u.SuspendedAt = tx.Now
		_, err := tx.UpdateUser(u)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
}

// Changes act at once on matches, Stories, answers that were approved before,
// and the review queue.
func TestSocialChangesActAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range atOnce {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.ids["$id:group"] = idIn(t, w.want("cleo", "POST", "/api/chat/conversations",
				`{"participantIds":["$id:ada","$id:ben"],"type":"group","title":"Group"}`, 201, "").body)
			const offer, ask = `{"kind":"offer","terms":"a long ladder for the gutters","confirm":true}`,
				`{"kind":"ask","terms":"a long ladder for the gutters","confirm":true}`
			w.want("ada", "POST", "/api/intents", offer, 201, "")
			w.want("ben", "POST", "/api/intents", ask, 201, "")
			w.want("ada", "POST", "/api/matches/"+w.firstID("ada", "/api/matches", "matches")+"/respond", `{"decision":"approve"}`, 200,
				"awaiting_other")
			match := w.firstID("ben", "/api/matches", "matches")
			story := `"text":"Soup","audience":{"userIds":[],"conversationIds":["$id:group"]},"storyExpiresAt":"2098-01-01T00:00:00Z"`
			grant := w.grantOf("ada", "/api/stories", `{"confirm":false,`+story+`}`)
			w.want("ada", "POST", "/api/stories", `{"confirm":true,"approvalGrant":"`+grant+`",`+story+`}`, 201, "")
			w.ids["$id:story"] = w.firstID("ben", "/api/stories/feed", "stories")
			grant = w.grantOf("ben", "/api/stories/$id:story/respond", `{"confirm":false,"message":"Me"}`)

			c.do(w)
			if seen := strings.Contains(string(w.json("ben", "GET", "/api/stories/feed", "").body), "Soup"); seen != c.seen {
				t.Errorf("ben sees the Story: %v", seen)
			}
			preview, reply := 404, 404
			if c.seen {
				preview, reply = 200, 201
			}
			w.want("ben", "POST", "/api/stories/$id:story/respond", `{"confirm":false,"message":"Me too"}`, preview, "")
			w.want("ben", "POST", "/api/stories/$id:story/respond", `{"confirm":true,"message":"Me","approvalGrant":"`+grant+`"}`, reply, "")
			if n := strings.Count(string(w.json("ben", "GET", "/api/review", "").body), `"kind":"match"`); n != c.review {
				t.Errorf("%d matches wait for ben", n)
			}
			before := strings.Count(string(w.json("ben", "GET", "/api/matches", "").body), `"otherTerms"`)
			if before != c.review {
				t.Errorf("ben has %d matches", before)
			}
			w.want("ben", "POST", "/api/intents", ask, 201, "")
			if joined := strings.Count(string(w.json("ben", "GET", "/api/matches", "").body), `"otherTerms"`) > before; joined != c.joined {
				t.Errorf("matched with a new intent: %v", joined)
			}
			status, text := 200, `"status":"closed"`
			switch {
			case c.connected:
				text = `"status":"connected"`
			case c.review == 0:
				status, text = 404, "not_found"
			}
			w.want("ben", "POST", "/api/matches/"+match+"/respond", `{"decision":"approve"}`, status, text)
		})
	}
}

// An agent of a person in the audience of a Story reads what the Story looks for
// only while the approved search is under way and for that person.
func TestAgentsReadWhatIsSearchedForThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.group("ben", "cleo")
	ends := w.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	publish := func() (story, intent string) {
		body := `"text":"Soup for all","kind":"ask","seeks":["a large pot"],
			"audience":{"userIds":["$id:ben","$id:cleo"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z",
			"quietSearch":{"enabled":true,"expiresAt":"` + ends + `","audience":{"userIds":["$id:cleo"],"conversationIds":[]}}`
		grant := w.grantOf("ada", "/api/stories", `{"confirm":false,`+body+`}`)
		var out struct{ Story struct{ ID, IntentID string } }
		res := w.want("ada", "POST", "/api/stories", `{"confirm":true,"approvalGrant":"`+grant+`",`+body+`}`, 201, "")
		if err := json.Unmarshal(res.body, &out, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		return out.Story.ID, out.Story.IntentID
	}
	reads := func(when string, want map[string]bool) {
		t.Helper()
		for who, want := range want {
			feed := string(w.json(who, "GET", "/api/stories/feed", "").body)
			if got := strings.Contains(feed, "a large pot"); got != want || !strings.Contains(feed, "Soup for all") {
				t.Errorf("%s: %s reads what is searched: %v, want %v: %s", when, who, got, want, feed)
			}
		}
	}
	story, intent := publish()
	reads("at first", map[string]bool{"cleo/read": true, "cleo": false, "ben/read": false, "ada/read": true})
	w.want("ada", "PATCH", "/api/intents/"+intent, `{"status":"withdrawn"}`, 200, "")
	reads("withdrawn", map[string]bool{"cleo/read": false, "ben/read": false})
	w.want("ada", "PATCH", "/api/stories/"+story, `{"status":"withdrawn"}`, 200, "")

	publish()
	reads("again", map[string]bool{"cleo/read": true, "ben/read": false})
	w.turnClock("1h")
	reads("expired", map[string]bool{"cleo/read": false, "ben/read": false})
}
