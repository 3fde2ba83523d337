package app_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/store/storetest"
)

// otherSide is what a person must not learn of the other side of a match, and of
// what is not for them at all.
type otherSide struct {
	who, name, details string
	approved           bool // the other side's answer, or none
	drafts, stories    int  // of theirs; the Stories are for somebody else
	expires            string
	closes             bool
	declinedOthers     bool // a match of theirs with somebody else is closed
	ended              bool // they withdrew what ada was matched with
}

func randomSide(rng *rand.Rand) otherSide {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	return otherSide{
		who: pick("ben", "cleo"), name: pick("Ben", "Benjamina Long-Name", "渡辺", ""),
		details:  pick("", "my garage", strings.Repeat("long ", 300)),
		approved: rng.IntN(2) == 0, drafts: rng.IntN(3), stories: rng.IntN(2), expires: pick("", "2098-01-01T00:00:00Z"),
		closes:         rng.IntN(2) == 0,
		declinedOthers: rng.IntN(2) == 0, ended: rng.IntN(2) == 0,
	}
}

// matchWorld is a world in which ada and the other side were matched.
func matchWorld(t testing.TB, base *world, db []byte, o otherSide) *world {
	w := base.copy(t, db)
	must := func(who, request string) response {
		t.Helper()
		res := w.request(who, request)
		if res.status > 299 {
			t.Fatalf("%s %s: %d %s", who, request, res.status, res.body)
		}
		return res
	}
	if o.name != "" {
		must(o.who, fmt.Sprintf(`PATCH /api/auth/me {"name":%q}`, o.name))
	}
	for range o.drafts {
		must(o.who, `POST /api/intent-drafts {"goal":"a long ladder","details":"secret"}`)
	}
	expires := ""
	if o.expires != "" {
		expires = fmt.Sprintf(`,"expiresAt":%q`, o.expires)
	}
	offer := must(o.who, fmt.Sprintf(`POST /api/intents {"kind":"offer","terms":"A long ladder for gutters","details":%q,`+
		`"confirm":true,"closeOnConnect":%v%s}`, o.details, o.closes, expires))
	if o.declinedOthers {
		must("stranger", `POST /api/intents {"kind":"ask","terms":"A long ladder for gutters","confirm":true}`)
		must("stranger", "POST /api/matches/"+w.firstID("stranger", "/api/matches", "matches")+`/respond {"decision":"decline"}`)
	}
	must("ada", `POST /api/intents {"kind":"ask","terms":"A long ladder for gutters","confirm":true}`)
	for range o.stories {
		story := `"text":"hidden","audience":{"userIds":["` + w.ids["$id:stranger"] +
			`"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"`
		grant := w.grantOf(o.who, "/api/stories", `{"confirm":false,`+story+`}`)
		must(o.who, `POST /api/stories {"confirm":true,"approvalGrant":"`+grant+`",`+story+`}`)
	}
	if o.approved {
		must(o.who, "POST /api/matches/"+w.firstID(o.who, "/api/matches", "matches")+`/respond {"decision":"approve"}`)
	}
	if o.ended {
		must(o.who, "PATCH /api/intents/"+idIn(t, offer.body)+` {"status":"withdrawn"}`)
	}
	return w
}

// matchRequests are what ada, or an agent of hers, can fetch.
var matchRequests = []string{
	"GET /api/matches", "GET /api/intents", "GET /api/intent-drafts", "GET /api/stories/feed", "GET /api/stories/mine", "GET /api/review",
	"GET /api/social/preferences", "GET /api/chat/conversations", "GET /api/friends", "GET /api/chat/search?q=ladder",
	"GET /api/chat/messages/since?since=2026-01-01T00:00:00Z", "GET /api/auth/me",
	"GET /asks", "GET /inbox", "GET /inbox/count", "GET /api/inbox", "GET /drafts", "GET /stories", "GET /stories/new", "GET /chat",
}

// position is where the event log ends, which is sealed.
var position = regexp.MustCompile(`data-position="[0-9a-f]{32}"`)

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// numbered returns a text with ids by the order in which they appear first and
// their version, and without times.
func numbered(text string) string {
	ids := map[string]string{}
	text = anyID.ReplaceAllStringFunc(text, func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("<id %d v%c>", len(ids), id[14])
		}
		return ids[id]
	})
	return anyTime.ReplaceAllString(position.ReplaceAllString(text, "data-position"), "<time>")
}

// received returns everything that ada receives: responses with their headers, to
// matchRequests and more, and her events.
func (w *world) received(t *testing.T, more ...string) string {
	var out strings.Builder
	for _, who := range []string{"ada", "ada/rw"} {
		for _, r := range append(more, matchRequests...) {
			res := w.request(who, r)
			fmt.Fprintf(&out, "%s %s %d\n%s\n", who, r, res.status, res.raw)
		}
	}
	srv := httptest.NewServer(w.h)
	defer srv.Close()
	var streams []*stream
	for _, path := range ownStreams {
		streams = append(streams, w.openStream(t, srv.URL, "ada", path+"?lastEventId=0"))
	}
	if res := w.request("ada", `POST /api/chat/conversations/$id:notes/messages {"content":"the end"}`); res.status != 201 {
		t.Fatalf("%d %s", res.status, res.body)
	}
	for _, s := range streams {
		for ev := "-"; ev != "" && !strings.Contains(ev, "the end"); {
			ev = s.next()
			fmt.Fprintln(&out, ev)
		}
		s.close()
	}
	return numbered(out.String())
}

// sampleOf returns the number of rounds of a long test, and the seed of its choices: a new seed
// each day in CI.
func sampleOf(few, all int) (n int, seed uint64) {
	n = storetest.Rounds(few, all)
	if storetest.Long() && os.Getenv("HEARTH_CI") != "" {
		return n, uint64(time.Now().YearDay())
	}
	return n, 6
}

// A match looks the same to a person and their agents, in all that they can fetch
// and receive, whoever is on the other side and whatever they did, wrote or keep.
func TestOtherSideLeavesNoTrace(t *testing.T) {
	t.Parallel()
	pairs, seed := sampleOf(12, 1000)
	base := newWorld(t)
	for _, who := range []string{"ada", "ada/rw", "ben", "cleo", "stranger"} {
		base.token(who)
	}
	base.ids["$id:notes"] = idIn(t, base.request("ada", `POST /api/chat/conversations {"participantIds":["$id:ada"]}`).body)
	db := base.snapshot()
	rng := rand.New(rand.NewPCG(5, seed))
	reference := matchWorld(t, base, db, otherSide{who: "ben", name: "Ben"}).received(t)
	if !strings.Contains(reference, `"status":"pending"`) || !strings.Contains(reference, "match.updated") ||
		!strings.Contains(reference, "Someone offers") {
		t.Fatalf("ada has no match:\n%s", reference)
	}
	for range pairs {
		o := randomSide(rng)
		t.Run("", func(t *testing.T) {
			if got := matchWorld(t, base, db, o).received(t); got != reference {
				t.Errorf("%+v is recognisable: (-reference +got)\n%s", o, cmp.Diff(strings.Split(reference, "\n"), strings.Split(got, "\n")))
			}
		})
	}
}
