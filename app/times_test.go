package app_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// times returns every moment in a JSON value after the member that has it: how long after
// the start it is, in full minutes, or the moment itself if it is not within 100 days.
func times(t *testing.T, body []byte, start time.Time) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	found := map[string]bool{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, v := range v {
				walk(name, v)
			}
		case []any:
			for _, v := range v {
				walk(name, v)
			}
		case string:
			at, err := time.Parse(time.RFC3339Nano, v)
			if err != nil {
				return
			}
			if d := at.Sub(start); d >= 0 && d < 100*24*time.Hour {
				v = strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
			}
			found[name+"="+v] = true
		}
	}
	walk("", v)
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

// What is made, changed an hour later, and read two hours after that, has the times of
// when it was made and of when it was changed, and other moments as they were sent.
func TestTimesOfWhatIsChanged(t *testing.T) {
	const (
		created, changed = "createdAt= updatedAt=", "createdAt= updatedAt=1h0m"
		until            = "2098-01-01T00:00:00.000000Z"
	)
	for name, c := range map[string]struct {
		make, change, read string
		made, want         string
	}{
		"draft": {`POST /api/intent-drafts {"goal":"A band"}`, `PATCH /api/intent-drafts/$id:it {"goal":"A choir"}`,
			`GET /api/intent-drafts`, created, changed},
		"intent": {`POST /api/intents {"kind":"ask","terms":"x","confirm":true,"expiresAt":"2098-01-01T01:00:00+01:00"}`,
			`PATCH /api/intents/$id:it {"status":"withdrawn"}`, `GET /api/intents`, "createdAt= expiresAt=" + until + " updatedAt=",
			"createdAt= expiresAt=" + until + " updatedAt=1h0m"},
		"preferences": {`PATCH /api/social/preferences {"networkPaused":true}`, `PATCH /api/social/preferences {"experienceMode":"simple"}`,
			`GET /api/social/preferences`, "updatedAt=", "updatedAt=1h0m"},
		"message": {`POST /api/chat/conversations/$id:g/messages {"content":"x"}`, `PATCH /api/chat/messages/$id:it {"content":"y"}`,
			`GET /api/chat/conversations/$id:g/messages`, "createdAt=", "createdAt= editedAt=1h0m"},
		"deleted": {`POST /api/chat/conversations/$id:g/messages {"content":"x"}`, `DELETE /api/chat/messages/$id:it`,
			`GET /api/chat/conversations/$id:g/messages`, "createdAt=", "createdAt= deletedAt=1h0m"},
		"post": {`POST /api/chat/conversations/$id:g/context {"text":"x","clientRequestId":"1"}`,
			`PATCH /api/chat/conversations/$id:g/context/$id:it {"text":"y","expectedRevision":1}`, `GET /api/chat/conversations/$id:g/content`,
			created, changed},
		"thought": {`POST /api/thoughts {"text":"x"}`, `PATCH /api/thoughts/$id:it {"text":"y"}`, `GET /api/thoughts`, created, changed},
		"pin": {`POST /api/thoughts {"text":"x"}`, `POST /api/thoughts/$id:it/pin {"conversationId":"$id:g"}`,
			`GET /api/chat/conversations/$id:g/content`, created, "createdAt= pinnedAt=1h0m updatedAt="},
		"answer": {`POST /api/secretary/answers {"question":"q","answer":"a"}`, `PATCH /api/secretary/answers/$id:it {"answer":"b"}`,
			`GET /api/secretary`, created, changed},
		"webhook": {`POST /api/webhooks {"url":"https://example.org/"}`, `PATCH /api/webhooks/$id:it {"enabled":false}`, `GET /api/webhooks`,
			"createdAt=", "createdAt= disabledAt=1h0m"},
		"key": {`POST /api/agent-keys {"name":"k","expiresAt":"2098-01-01T00:00:00Z"}`, `DELETE /api/agent-keys/$id:it`,
			`GET /api/agent-keys`, "createdAt= expiresAt=" + until, "createdAt= expiresAt=" + until + " revokedAt=1h0m"},
		"conversation": {`POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group"}`,
			`PATCH /api/chat/conversations/$id:it {"title":"T"}`, `GET /api/chat/conversations/$id:it`, "createdAt= lastMessageAt= updatedAt=",
			"createdAt= lastMessageAt= updatedAt=1h0m"},
		"sent": {`POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group"}`,
			`POST /api/chat/conversations/$id:it/messages {"content":"x"}`, `GET /api/chat/conversations/$id:it`,
			"createdAt= lastMessageAt= updatedAt=", "createdAt= createdAt=1h0m lastMessageAt=1h0m updatedAt=1h0m"},
		"note": {`POST /api/thoughts {"text":"x","sourceConversationId":"$id:g"}`, `PATCH /api/thoughts/$id:it {"text":"y"}`,
			`GET /api/chat/conversations/$id:g/content`, created, changed},
		"read": {`POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group"}`,
			`PATCH /api/chat/conversations/$id:it/read {}`, `GET /api/chat/conversations/$id:it`, "createdAt= lastMessageAt= updatedAt=",
			"createdAt= lastMessageAt= lastReadAt=1h0m updatedAt="},
		"muted": {`POST /api/chat/conversations {"participantIds":["$id:cleo"],"type":"group"}`,
			`PATCH /api/chat/conversations/$id:it/participants/me {"mutedUntil":"2098-01-01T00:00:00Z"}`, `GET /api/chat/conversations/$id:it`,
			"createdAt= lastMessageAt= updatedAt=", "createdAt= lastMessageAt= mutedUntil=" + until + " updatedAt="},
		"friend": {`POST /api/friends/users/$id:ben/request`, `POST /api/friends/users/$id:ben/request`, `GET /api/friends`, "updatedAt=",
			"updatedAt="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.token("ada")
			w.ids["$id:g"] = strings.TrimPrefix(w.group("ben"), "/api/chat/conversations/")
			w.turnClock("1h")
			start := w.clock.Now()
			made := w.request("ada", c.make)
			if got := times(t, made.body, start); got != c.made {
				t.Errorf("made: %s, want %s", got, c.made)
			}
			if strings.Contains(c.change, "$id:it") {
				w.ids["$id:it"] = idIn(t, made.body)
			}
			w.turnClock("1h")
			if res := w.request("ada", c.change); res.status > 299 {
				t.Fatalf("%d %s", res.status, res.body)
			}
			w.turnClock("2h")
			if got := times(t, w.request("ada", c.read).body, start); got != c.want {
				t.Errorf("read: %s, want %s", got, c.want)
			}
		})
	}
}

// A Story and its search have the expiries that were approved, each its own.
func TestTimesOfStories(t *testing.T) {
	w := newWorld(t)
	w.token("ada")
	w.token("ben")
	start := w.clock.Now()
	want := func(who, path, want string) {
		t.Helper()
		if got := times(t, w.want(who, "GET", path, "", 200, "").body, start); got != want {
			t.Errorf("%s as %s: %s, want %s", path, who, got, want)
		}
	}
	const (
		story, search = "2098-01-01T00:00:00.000000Z", "2097-01-01T00:00:00.000000Z"
		body          = `"text":"Soup","kind":"offer","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"` + story +
			`","quietSearch":{"enabled":true,"expiresAt":"` + search + `"}}`
	)
	preview := w.want("ada", "POST", "/api/stories", `{"confirm":false,`+body, 200, "")
	if got, want := times(t, preview.body, start), "expiresAt=10m expiresAt="+search+" expiresAt="+story; got != want {
		t.Errorf("the preview has %s, want %s", got, want)
	}
	grant := w.grantOf("ada", "/api/stories", `{"confirm":false,`+body)
	made := w.want("ada", "POST", "/api/stories", `{"confirm":true,"approvalGrant":"`+grant+`",`+body, 201, "")
	w.ids["$id:story"] = idIn(t, made.body)
	want("ben", "/api/stories/feed", "createdAt= storyExpiresAt="+story)
	w.turnClock("1h")
	w.want("ada", "PATCH", "/api/stories/$id:story", `{"status":"paused"}`, 200, "")
	w.turnClock("2h")
	want("ada", "/api/stories/mine", "createdAt= searchExpiresAt="+search+" storyExpiresAt="+story+" updatedAt=1h0m")
	want("ada", "/api/intents", "createdAt= expiresAt="+search+" updatedAt=")
}

// A match was changed, for each side, when what that side sees did.
func TestTimesOfMatches(t *testing.T) {
	w := newWorld(t)
	w.token("ada")
	w.token("ben")
	w.made(`POST /api/intents {"kind":"ask","terms":"A tall ladder","confirm":true}`, "intent")
	start := w.clock.Now()
	w.want("ben", "POST", "/api/intents", `{"kind":"offer","terms":"A tall ladder","confirm":true}`, 201, "")
	for n, c := range []struct{ who, ada, ben string }{{"ada", "1h0m", ""}, {"ben", "2h0m", "2h0m"}} {
		w.turnClock("1h")
		w.want(c.who, "POST", "/api/matches/"+w.firstID(c.who, "/api/matches", "matches")+"/respond", `{"decision":"approve"}`, 200, "")
		for who, at := range map[string]string{"ada": c.ada, "ben": c.ben} {
			got := times(t, w.want(who, "GET", "/api/matches", "", 200, "").body, start)
			if want := "createdAt= updatedAt=" + at; got != want {
				t.Errorf("after answer %d %s sees %s, want %s", n+1, who, got, want)
			}
		}
	}
}
