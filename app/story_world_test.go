package app_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/store"
)

// hidden are what others write down and publish that is not for ada, or not any
// more: each is made by one of them, and its id is w.ids["$id:hidden"].
var hidden = map[string]func(w *hiddenWorld){
	"a draft": func(w *hiddenWorld) {
		w.id(w.must("ben", `POST /api/intent-drafts {"goal":"A ladder for ada","seeks":["a ladder"],"details":"secret","source":"a talk"}`))
	},
	"a dismissed draft": func(w *hiddenWorld) {
		w.id(w.must("cleo", `POST /api/intent-drafts {"brings":["a ladder"]}`))
		w.must("cleo", `PATCH /api/intent-drafts/$id:hidden {"state":"dismissed"}`)
	},
	"a search that does not match": func(w *hiddenWorld) {
		w.id(w.must("ben", `POST /api/intent-drafts {"seeks":["somebody to tune a piano"]}`))
		body := `"quietSearch":{"enabled":true,"expiresAt":"2098-01-01T00:00:00Z"}}`
		grant := w.grantOf("ben", "/api/intent-drafts/$id:hidden/activate", `{"confirm":false,`+body)
		w.must("ben", `POST /api/intent-drafts/$id:hidden/activate {"confirm":true,"approvalGrant":"`+grant+`",`+body)
	},
	"a preview": func(w *hiddenWorld) {
		w.grantOf("ben", "/api/stories", `{"confirm":false,`+storyBody("people", "2098-01-01T00:00:00Z")+`}`)
	},
	"a Story for somebody else":    func(w *hiddenWorld) { w.publish("ben", "others", "2098-01-01T00:00:00Z") },
	"a Story for a group ada left": func(w *hiddenWorld) { w.publish("ben", "left", "2098-01-01T00:00:00Z") },
	"a Story that expired":         func(w *hiddenWorld) { w.publish("ben", "people", w.clock.Now().Add(time.Hour).Format(time.RFC3339)) },
	"a Story of who blocks ada":    func(w *hiddenWorld) { w.publish("cleo", "group", "2098-01-01T00:00:00Z") },
	"a Story of a blocked one":     func(w *hiddenWorld) { w.publish("stranger", "group", "2098-01-01T00:00:00Z") },
	"a paused Story":               func(w *hiddenWorld) { w.change("paused") },
	"a withdrawn Story":            func(w *hiddenWorld) { w.change("withdrawn") },
	"a Story that was extended too late": func(w *hiddenWorld) {
		w.publish("ben", "left", w.clock.Now().Add(time.Hour).Format(time.RFC3339))
		w.must("ben", `PATCH /api/stories/$id:hidden {"storyExpiresAt":"2097-01-01T00:00:00Z"}`)
	},
}

// storyBody returns the members of a Story for one of the audiences.
func storyBody(audience, expires string) string {
	to := map[string]string{
		"people": `{"userIds":["$id:ada"],"conversationIds":[]}`,
		"others": `{"userIds":["$id:cleo"],"conversationIds":[]}`,
		"left":   `{"userIds":[],"conversationIds":["$id:left"]}`,
		"group":  `{"userIds":[],"conversationIds":["$id:group"]}`,
	}[audience]
	return `"text":"Who has a long ladder?","audience":` + to + `,"storyExpiresAt":"` + expires + `"`
}

// hiddenWorld is a world in which others act.
type hiddenWorld struct{ *world }

func (w *hiddenWorld) must(who, request string) []byte {
	w.t.Helper()
	res := w.request(who, request)
	if res.status > 299 {
		w.t.Fatalf("%s %s: %d %s", who, request, res.status, res.body)
	}
	return res.body
}

// id notes the first id of a response.
func (w *hiddenWorld) id(body []byte) { w.ids["$id:hidden"] = anyID.FindString(string(body)) }

func (w *hiddenWorld) publish(who, audience, expires string) {
	w.t.Helper()
	body := storyBody(audience, expires)
	grant := w.grantOf(who, "/api/stories", `{"confirm":false,`+body+`}`)
	w.id(w.must(who, `POST /api/stories {"confirm":true,"approvalGrant":"`+grant+`",`+body+`}`))
}

// change publishes a Story for ada, and takes it away.
func (w *hiddenWorld) change(status string) {
	w.publish("ben", "people", "2098-01-01T00:00:00Z")
	w.must("ben", `PATCH /api/stories/$id:hidden {"status":"`+status+`"}`)
}

// newHiddenBase is a world in which ada has something of everything, sees one
// Story, left a group that ben is in, is blocked by cleo and blocks the stranger.
func newHiddenBase(t testing.TB) *world {
	base := newWorld(t)
	w := &hiddenWorld{base}
	for _, who := range []string{"ada", "ada/rw", "ben", "cleo", "stranger"} {
		w.token(who)
	}
	group := func(title string) string {
		return anyID.FindString(string(w.must("ben",
			`POST /api/chat/conversations {"participantIds":["$id:ada","$id:cleo","$id:stranger"],"type":"group","title":"`+title+`"}`)))
	}
	w.ids["$id:left"], w.ids["$id:group"] = group("Left"), group("Group")
	w.must("ada", "DELETE /api/chat/conversations/$id:left/participants/$id:ada")
	w.ids["$id:notes"] = anyID.FindString(string(w.must("ada", `POST /api/chat/conversations {"participantIds":["$id:ada"]}`)))
	w.must("cleo", "POST /api/chat/users/$id:ada/block")
	w.must("ada", "POST /api/chat/users/$id:stranger/block")
	w.must("ada", `POST /api/intents {"kind":"offer","terms":"A long ladder for gutters","confirm":true}`)
	w.must("ada", `POST /api/intent-drafts {"goal":"A choir"}`)
	w.storyFor("ben", "ada")
	w.ids["$id:hidden"] = store.NewID()
	return base
}

// hiddenRequests try what is hidden by its id.
var hiddenRequests = []string{
	`PATCH /api/intent-drafts/$id:hidden {"goal":"Mine"}`, `POST /api/intent-drafts/$id:hidden/activate {"confirm":false}`,
	`PATCH /api/stories/$id:hidden {"status":"active"}`, `POST /api/stories/$id:hidden/respond {"confirm":false,"message":"Hello"}`,
	`POST /api/stories/$id:hidden/respond {"confirm":true,"message":"Hello","approvalGrant":"x"}`,
	`PATCH /api/intents/$id:hidden {"status":"withdrawn"}`,
	`POST /api/matches/$id:hidden/respond {"decision":"approve"}`, "GET /drafts/$id:hidden", "GET /stories/$id:hidden/reply",
	"GET /api/intent-drafts?state=dismissed",
}

// What a person and their agents can fetch and receive is the same whatever
// drafts others have, and whatever Stories there are that they do not see.
func TestHiddenLeavesNoTrace(t *testing.T) {
	t.Parallel()
	rounds, seed := sampleOf(1, 80)
	base := newHiddenBase(t)
	db := base.snapshot()
	received := func(t *testing.T, names ...string) string {
		w := &hiddenWorld{base.copy(t, db)}
		for _, name := range names {
			hidden[name](w)
		}
		w.turnClock("2h")
		return w.received(t, hiddenRequests...)
	}
	reference := received(t)
	if !strings.Contains(reference, "Soup") || strings.Contains(reference, "Who has a long ladder?") {
		t.Fatalf("ada sees not exactly the Story for her:\n%s", reference)
	}
	names := slices.Sorted(maps.Keys(hidden))
	rng := rand.New(rand.NewPCG(9, seed))
	for range rounds {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				others := some(rng, names, rng.IntN(3))
				if got := received(t, append(others, name)...); got != reference {
					t.Errorf("with %q: (-reference +got)\n%s", others, cmp.Diff(strings.Split(reference, "\n"), strings.Split(got, "\n")))
				}
			})
		}
	}
}

// some returns up to n of the names.
func some(rng *rand.Rand, names []string, n int) (out []string) {
	for range n {
		out = append(out, names[rng.IntN(len(names))])
	}
	return out
}
