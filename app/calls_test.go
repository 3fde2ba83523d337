package app_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/account"
	"hearth/app/api"
	"hearth/app/op"
)

// TestCalls calls every operation of the server's own OpenAPI document, and every
// tool, with wrong, missing, huge, odd and other people's values as every kind of
// caller. HEARTH_CALLS is how many calls it makes, HEARTH_SEED makes it repeat a
// run. A round alone is repeated with -run 'TestCalls/round_7$'.
//
// The first round makes one valid call of each operation. In every other round
// those who have no part in what the cast shares act alone, so that nothing of it
// may reach them; in the rest everybody acts. Every tenth server is full, and every
// tenth limits how often an account writes.
func TestCalls(t *testing.T) {
	n, seed := number(t, "HEARTH_CALLS", 500), number(t, "HEARTH_SEED", 1)
	t.Logf("HEARTH_CALLS=%d HEARTH_SEED=%d", n, seed)
	site := newOtherSite(t)
	staged := callStage(t)
	db := staged.snapshot()
	operations := readOperations(t, staged, site.URL)
	seen := newCallTable(operations)
	var before, after runtime.MemStats
	for round := range (int(n) + len(operations) - 1) / len(operations) {
		t.Run(fmt.Sprintf("round %d", round), func(t *testing.T) {
			w := staged.copy(t, db, func(c *app.Config) {
				c.AllowNet = []string{"127.0.0.1/32"}
				c.NoRateLimits = round%10 != 9
				if round%10 == 8 {
					c.QuotaServer = 1
				}
			})
			newRound(w, uint64(seed), round, operations, seen).run()
		})
		if round == 0 {
			callAlone(t, staged, db, operations, seen)
			readHeap(&before)
		}
	}
	if readHeap(&after); before.HeapAlloc > 0 && after.HeapAlloc > before.HeapAlloc+64<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
	seen.report(t)
}

// callAlone makes the valid calls that did not succeed, because an earlier one had
// ended what they need, with a stage of their own.
func callAlone(t *testing.T, staged *world, db []byte, operations []*operation, seen *callTable) {
	for _, o := range operations {
		if seen.calls == 0 || !o.success || seen.succeeded(o) {
			continue
		}
		t.Run("alone "+o.name(), func(t *testing.T) {
			w := staged.copy(t, db, func(c *app.Config) { c.AllowNet = []string{"127.0.0.1/32"} })
			newRound(w, 1, 0, []*operation{o}, seen).run()
		})
	}
}

// readHeap reads the statistics of memory after everything unused was freed.
func readHeap(m *runtime.MemStats) {
	runtime.GC()
	runtime.GC() // a sync.Pool is empty after two
	runtime.ReadMemStats(m)
}

// number returns the number in an environment variable, or otherwise.
func number(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a number of at least 1", name, text)
	}
	return n
}

// outsiders are callers who share nothing with the cast of the stage: emil is
// suspended, cleo has left. insiders are the others.
var (
	outsiders = []string{"anonymous", "bad", "public", "bridge", "stranger", "stranger", "stranger", "stranger/read", "stranger/write",
		"stranger/rw", "stranger/embedded", "stranger/list", "stranger/bot", "cleo", "cleo", "cleo/rw", "emil"}
	insiders = []string{"ada", "ada/read", "ada/write", "ada/rw", "ada/embedded", "ada/list", "ada/bot", "ben", "ben/rw", "root"}
)

// callStage is the stage of the matrix with the credentials of all callers, and an
// account with a password.
func callStage(t *testing.T) *world {
	w := matrixStage(t)
	for _, who := range slices.Concat(outsiders, insiders) {
		if who != "anonymous" {
			w.token(who)
		}
	}
	w.want("anonymous", "POST", "/api/register-agent", `{"email":"robot@example.net","password":"long enough for this"}`, 201, "")
	w.want("stranger", "POST", "/api/chat/conversations", `{"participantIds":["$id:cleo"],"type":"group"}`, 201, "")
	if err := w.app.Account.Act(context.Background(), "emil@example.org", account.Suspend); err != nil {
		t.Fatal(err)
	}
	for word := range w.canaries {
		if strings.HasPrefix(word, "canaryheadline") || strings.HasPrefix(word, "canarystatus") || strings.HasPrefix(word, "canaryterms") {
			delete(w.canaries, word) // everybody may read it, or who publishes an intent that matches
		}
	}
	return w
}

// operation is one that the document describes, or a tool, and a valid call of it.
type operation struct {
	method, path string // TOOL and the name of a tool
	params       openapi3.Parameters
	body         *openapi3.Schema // of JSON
	base         attempt
	success      bool // whether the base succeeds
	never        bool // it succeeds for nobody
	public       bool // everybody may call it
	ends         int  // what endsWhat returns
	statuses     []string
}

func (o *operation) name() string { return o.method + " " + o.path }

// readOperations reads the operations from the document and the list of tools.
func readOperations(t *testing.T, w *world, site string) (all []*operation) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(w.json("anonymous", "GET", "/api/openapi.json", "").body)
	if err != nil {
		t.Fatal(err)
	}
	cases, routes := matrixCases(), map[string]api.Route{}
	for _, r := range api.Described() {
		routes[r.Method+" "+r.Path] = r
	}
	for _, path := range doc.Paths.InMatchingOrder() {
		for method, described := range doc.Paths.Find(path).Operations() {
			o := &operation{method: method, path: path, ends: endsWhat(routes[method+" "+path]), params: described.Parameters,
				statuses: slices.Sorted(maps.Keys(described.Responses.Map()))}
			if described.RequestBody != nil {
				if media := described.RequestBody.Value.Content.Get("application/json"); media != nil {
					o.body = media.Schema.Value
				}
			}
			c, ok := cases[o.name()]
			if !ok && strings.HasSuffix(path, "/events") {
				c, ok = matrixCase{path: strings.NewReplacer("conversations/{id}", "conversations/$id:group", "{id}", "$id:list").Replace(path),
					own: 200}, true
			}
			if !ok {
				t.Fatalf("%s has no case in matrixCases", o.name())
			}
			guard := routes[o.name()].Op.Info().Guard
			o.public = guard == op.Public
			o.setBase(c, guard, site)
			all = append(all, o)
		}
	}
	for name, tool := range w.app.MCP().Described() {
		o := &operation{method: "TOOL", path: name, body: new(openapi3.Schema), success: true,
			base: attempt{who: "ada/rw", method: "TOOL", path: name, body: toolCases()[name], kind: "application/json"}}
		if name == "browse_url" { // which reads nothing on this machine, whatever else may
			o.success, o.never, o.base.body = false, true, `{"url":"`+site+`/plain"}`
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err == nil {
			err = o.body.UnmarshalJSON(schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *operation) int { return strings.Compare(a.name(), b.name()) })
	return all
}

// setBase sets the valid call: that of the matrix, by who may make it.
func (o *operation) setBase(c matrixCase, guard op.Guard, site string) {
	who := map[op.Guard]string{op.AdminOnly: "root", op.Bridge: "bridge"}[guard]
	if who == "" {
		who = "ada"
	}
	ok := c.own
	for other, status := range c.but {
		if c.own >= 400 && status < 300 {
			who, ok = other, status
		}
	}
	if c.own >= 400 && c.member != 0 && c.member < 300 {
		who, ok = "ben", c.member
	}
	if strings.HasSuffix(o.path, "/respond") && strings.Contains(o.path, "context-agent") {
		who, ok = "ada/rw", 200
	}
	o.base = attempt{who: who, method: o.method, path: c.path, body: c.body}
	if o.body != nil {
		o.base.kind = "application/json"
	}
	special := map[string]attempt{
		"POST /api/auth/login":             {path: c.path, body: `{"email":"robot@example.net","password":"long enough for this"}`},
		"POST /api/auth/magic-link/verify": {path: c.path, body: `{"token":"$text:link"}`},
		"POST /api/register-agent":         {path: c.path, body: `{"email":"another@example.net","password":"long enough for this"}`},
		"GET /api/link-preview":            {path: "/api/link-preview?url=" + site + "/plain"},
	}
	if s, ok := special[o.name()]; ok {
		o.base.path, o.base.body, c.own = s.path, s.body, 200
		o.success = true
		return
	}
	o.success = ok < 300
}

// round is one call of each operation against a fresh copy of the stage.
type round struct {
	*world
	values
	n          int
	operations []*operation
	seen       *callTable
	inside     bool // insiders act as well
	worst      attempt
	took       time.Duration
}

func newRound(w *world, seed uint64, n int, operations []*operation, seen *callTable) *round {
	r := &round{world: w, n: n, operations: slices.Clone(operations), seen: seen, inside: n%2 == 0}
	r.values = values{Rand: rand.New(rand.NewPCG(seed, uint64(n))), ids: map[string]string{}}
	for name, id := range w.ids {
		if strings.HasPrefix(name, "$id:") {
			r.values.ids[name] = id
		}
	}
	if r.inside {
		// Insiders may share what they see, but not what is theirs alone.
		maps.DeleteFunc(w.canaries, func(word string, may []string) bool {
			return len(may) > 1 && !strings.Contains(word, "@")
		})
	}
	link, err := w.app.Account.LinkFor(context.Background(), "dora@example.org", false)
	if err != nil {
		w.t.Fatal(err)
	}
	_, w.ids["$text:link"], _ = strings.Cut(link, "token=")
	return r
}

// run makes the calls: those that end what others need come late.
func (r *round) run() {
	r.Shuffle(len(r.operations), func(i, j int) { r.operations[i], r.operations[j] = r.operations[j], r.operations[i] })
	if r.n == 0 || r.chance(50) {
		slices.SortStableFunc(r.operations, func(a, b *operation) int { return a.ends - b.ends })
	}
	var before, after runtime.MemStats
	readHeap(&before)
	for _, o := range r.operations {
		c := r.base(o)
		if r.n > 0 {
			c = r.vary(o, c)
			r.clock.Advance(time.Duration(r.IntN(3000)) * time.Millisecond)
		}
		r.try(o, c)
	}
	if readHeap(&after); after.HeapAlloc > before.HeapAlloc+64<<20 {
		r.t.Errorf("the heap has grown from %d to %d bytes in one round", before.HeapAlloc, after.HeapAlloc)
	}
	r.checkWorst()
}

// base returns the valid call of o.
func (r *round) base(o *operation) attempt {
	c := o.base
	c.path, c.body, c.header = r.fillIDs(c.path), r.fillIDs(c.body), http.Header{}
	if strings.HasPrefix(c.body, "file:") {
		c.body, c.kind = formOf(r.t, c.body)
	}
	return c
}

// What TestCalls has found: responses that the document did not describe, and an
// error without a body for programs.
func TestCallsThatFailed(t *testing.T) {
	w := matrixStage(t)
	for _, c := range []struct {
		who, method, path, header, value, body string
		status                                 int
		code                                   string
	}{
		{"anonymous", "GET", "/api/community?x=%zz", "Accept", "*/*", "", 200, ""},
		{"ada", "POST", "/api/chat/conversations/$id:group/join?%", "Accept", "*/*", "", 200, ""},
		{"anonymous", "GET", "/AGENTS.md", "If-None-Match", "*", "", 304, ""},
		{"anonymous", "GET", "/api/openapi.json", "If-None-Match", "*", "", 304, ""},
		{"anonymous", "GET", "/api/pictures/$id:picture", "If-Match", `"x"`, "", 412, ""},
		{"ada", "POST", "/api/chat/conversations/$id:group/typing", "Idempotency-Key", strings.Repeat("k", 256), "", 400, "bad_idempotency_key"},
		{"ada", "TRACE", "/api/auth/me", "Accept", "*/*", "", 405, "method_not_allowed"},
		{"ada", "POST", "/mcp", "Content-Type", "application/json", `{"jsonrpc":"2.0","params":[,]}`, 400, "bad_json"},
	} {
		res := w.do(c.who, c.method, w.fillIDs(c.path), http.Header{c.header: {c.value}}, c.body)
		if res.status != c.status || c.code != "" && !strings.Contains(string(res.body), `"code":"`+c.code+`"`) {
			t.Errorf("%s %s: got %d %s, want %d %s", c.method, c.path, res.status, res.body, c.status, c.code)
		}
	}
}
