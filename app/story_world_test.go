package app_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
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
	"a Story of whom ada blocks":   func(w *hiddenWorld) { w.publish("stranger", "group", "2098-01-01T00:00:00Z") },
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
		return anyID.FindString(string(w.must("ben", `POST /api/chat/conversations {"participantIds":["$id:ada","$id:cleo","$id:stranger"],"type":"group","title":"`+title+`"}`)))
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
	`POST /api/stories/$id:hidden/respond {"confirm":true,"message":"Hello","approvalGrant":"x"}`, `PATCH /api/intents/$id:hidden {"status":"withdrawn"}`,
	`POST /api/matches/$id:hidden/respond {"decision":"approve"}`, "GET /drafts/$id:hidden", "GET /stories/$id:hidden/reply", "GET /api/intent-drafts?state=dismissed",
}

// What a person and their agents can fetch and receive is the same whatever
// drafts others have, and whatever Stories there are that they do not see.
func TestHiddenLeavesNoTrace(t *testing.T) {
	rounds := 2
	if os.Getenv("HEARTH_LONG") != "" {
		rounds = 80
	}
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
	rng := rand.New(rand.NewPCG(9, 10))
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

// BenchmarkOtherSide sends the same request of ada's to two servers that differ
// only in what she must not learn, in pairs in random order, and reports the
// statistic of Wilcoxon's signed-rank test of how long both take, as z, the
// probability of such a difference if both are alike, and the ratio of the
// medians. In the second the other side of the match has approved it, and what
// somebody else wrote down and published in the first is theirs; the last request
// is to a Story that is hidden there and missing in the first. "control-z" is the
// statistic for two servers that are alike. Run it with -benchtime 2000x.
func BenchmarkOtherSide(b *testing.B) {
	for _, request := range []string{
		"GET /api/matches", "GET /api/intents", "GET /api/intent-drafts", "GET /api/stories/feed", "GET /api/stories/mine", "GET /api/review", "GET /asks", "GET /stories", "GET /review",
		`POST /api/stories/$id:hidden/respond {"confirm":true,"message":"Hello","approvalGrant":"x"}`,
	} {
		b.Run(strings.NewReplacer("/", "_", " ", "_").Replace(strings.SplitN(request, " {", 2)[0]), func(b *testing.B) {
			worlds := rankWorlds(b)
			rng := rand.New(rand.NewPCG(uint64(b.N), 1))
			for range 50 {
				for _, w := range worlds {
					w.served(request)
				}
			}
			var took [3][]time.Duration
			b.ResetTimer()
			for range b.N {
				for _, i := range rng.Perm(len(worlds)) {
					took[i] = append(took[i], worlds[i].served(request))
				}
			}
			z := signedRank(took[0], took[1])
			b.ReportMetric(z, "z")
			b.ReportMetric(math.Erfc(math.Abs(z)/math.Sqrt2), "p")
			b.ReportMetric(median(took[1]).Seconds()/median(took[0]).Seconds(), "ratio")
			b.ReportMetric(signedRank(took[0], took[2]), "control-z")
			b.ReportMetric(float64(median(took[0]).Microseconds()), "median-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// rankWorlds returns a server, one that differs in the other side of ada's match,
// and one like the first.
func rankWorlds(b *testing.B) (worlds [3]*world) {
	base := newWorld(b)
	for _, who := range []string{"ada", "ada/rw", "ben", "cleo", "stranger"} {
		base.token(who)
	}
	base.ids["$id:hidden"] = store.NewID()
	db := base.snapshot()
	for i := range worlds {
		writer, approved := "cleo", false
		if i == 1 {
			writer, approved = "ben", true
		}
		w := matchWorld(b, base, db, otherSide{who: "ben", name: "Ben", approved: approved})
		for range 20 {
			w.want(writer, "POST", "/api/intent-drafts", `{"goal":"a long ladder","details":"secret"}`, 201, "")
			id := w.storyFor(writer, "stranger")
			if i == 1 {
				w.ids["$id:hidden"] = id
			}
		}
		worlds[i] = w
	}
	return worlds
}

// served returns how long the handler takes for a request of ada's, a second later.
func (w *world) served(request string) time.Duration {
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(w.fillIDs(rest), " ")
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+w.token("ada"))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	rec := httptest.NewRecorder()
	w.clock.Advance(time.Second)
	start := time.Now()
	w.h.ServeHTTP(rec, req)
	took := time.Since(start)
	if want := map[bool]int{true: 404, false: 200}[method == "POST"]; rec.Code != want {
		w.t.Fatalf("%s: got %d, want %d: %s", request, rec.Code, want, rec.Body)
	}
	return took
}

// signedRank returns Wilcoxon's statistic of pairs, as the number of standard
// deviations from what is expected if both are alike.
func signedRank(a, b []time.Duration) float64 {
	type difference struct {
		size time.Duration
		more bool
	}
	var all []difference
	for i := range a {
		if d := b[i] - a[i]; d != 0 {
			all = append(all, difference{max(d, -d), d > 0})
		}
	}
	slices.SortFunc(all, func(x, y difference) int { return int(x.size - y.size) })
	sum, n := 0.0, float64(len(all))
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].size == all[i].size {
			j++
		}
		rank := float64(i+j+1) / 2 // of equal ones, the mean
		for ; i < j; i++ {
			if all[i].more {
				sum += rank
			} else {
				sum -= rank
			}
		}
	}
	return sum / math.Sqrt(n*(n+1)*(2*n+1)/6)
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// The statistic is large for pairs that differ, and small for pairs that do not.
func TestSignedRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a, same, more []time.Duration
	for range 2000 {
		d := func() time.Duration { return time.Duration(rng.ExpFloat64() * 1e6) }
		a, same, more = append(a, d()), append(same, d()), append(more, d()*11/10)
	}
	alike, differ := signedRank(a, same), signedRank(a, more)
	if math.Abs(alike) > 2 || differ < 2.5 || signedRank(more, a) != -differ {
		t.Errorf("alike %.2f, different %.2f", alike, differ)
	}
	if got := fmt.Sprintf("%.4f", signedRank([]time.Duration{1, 1, 1}, []time.Duration{2, 3, 1})); got != "1.3416" {
		t.Errorf("two pairs of which the second is more: %s", got)
	}
}
