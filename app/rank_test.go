package app_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

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
		"GET /api/matches", "GET /api/intents", "GET /api/intent-drafts", "GET /api/stories/feed", "GET /api/stories/mine", "GET /api/review",
		"GET /asks", "GET /stories", "GET /review",
		`POST /api/stories/$id:hidden/respond {"confirm":true,"message":"Hello","approvalGrant":"x"}`,
	} {
		b.Run(strings.NewReplacer("/", "_", " ", "_").Replace(strings.SplitN(request, " {", 2)[0]), func(b *testing.B) {
			reportRanks(b, rankWorlds(b), request)
		})
	}
}

// reportRanks sends a request of ada's to the worlds in random order, b.N times,
// and reports how the first differs from the second, and from the third, which is
// like it.
func reportRanks(b *testing.B, worlds [3]*world, request string) {
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
}

// rankRequests are the requests of ada's whose duration could tell of what is
// hidden: the lists in which it does not stand, and those that name its id.
var rankRequests = map[string][]string{
	"draft": {
		"GET /api/intent-drafts", "GET /api/review", "GET /drafts", "GET /drafts/$id:hidden",
		`PATCH /api/intent-drafts/$id:hidden {"goal":"Mine"}`,
		`POST /api/intent-drafts/$id:hidden/activate {"confirm":false}`,
	},
	"Story": {
		"GET /api/stories/feed", "GET /api/stories/mine", "GET /api/review", "GET /stories", "GET /stories/$id:hidden/reply",
		`PATCH /api/stories/$id:hidden {"status":"active"}`, `POST /api/stories/$id:hidden/respond {"confirm":false,"message":"Hello"}`,
	},
}

// BenchmarkHidden is BenchmarkOtherSide for what TestHiddenLeavesNoTrace hides:
// in the second server one draft or Story of a kind is there, which in the first
// is not. Requests with an id name it, or one that never was. Run it with
// -benchtime 2000x.
func BenchmarkHidden(b *testing.B) {
	base := newHiddenBase(b)
	db := base.snapshot()
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		for noun, requests := range rankRequests {
			if !strings.Contains(name, noun) {
				continue
			}
			for _, request := range requests {
				b.Run(strings.NewReplacer("/", "_", " ", "_").Replace(name+" "+strings.SplitN(request, " {", 2)[0]), func(b *testing.B) {
					var worlds [3]*world
					for i := range worlds {
						worlds[i] = base.copy(b, db)
					}
					hidden[name](&hiddenWorld{worlds[1]})
					for _, w := range worlds {
						w.turnClock("2h")
					}
					reportRanks(b, worlds, request)
				})
			}
		}
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
	if want := map[bool]int{true: 404, false: 200}[strings.Contains(rest, "$id:hidden")]; rec.Code != want {
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
