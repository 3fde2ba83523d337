package app_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/app"
	"hearth/store"
	"hearth/store/engine"
)

// works has the connections of a server to its database.
type works struct {
	mu    sync.Mutex
	conns map[*store.Conn]bool
}

// watch has w record the connections.
func (w *works) watch(c *app.Config) {
	inspect := c.Store.OnPrepare
	w.conns = map[*store.Conn]bool{}
	c.Store.OnPrepare = func(conn *store.Conn, query string) {
		w.mu.Lock()
		w.conns[conn] = true
		w.mu.Unlock()
		inspect(conn, query)
	}
}

// total returns what each statement did on all connections, and how many rows they
// changed together. It reads the counts on the writer, when no request is under way.
func (w *works) total(t testing.TB, db *store.DB) (total map[string]engine.Work, changed int64) {
	t.Helper()
	err := db.Write(t.Context(), func(*store.Tx) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		total, changed = map[string]engine.Work{}, 0
		for c := range w.conns {
			work, n := c.Work()
			changed += n
			for query, d := range work {
				total[query] = engine.Work{Runs: total[query].Runs + d.Runs, Steps: total[query].Steps + d.Steps}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total, changed
}

// ofSignIn matches the statements of a request to sign in, and those that write. What
// the server does beside it is not counted.
var ofSignIn = regexp.MustCompile(`/\* server: sign-in \*/|login_link|quota|INSERT|UPDATE|DELETE`)

// Whether an address has an account cannot be told from the work of a request to sign
// in: the same statements run, as often, with the same instructions, and as many rows
// are written.
func TestSignInsDoTheSameWork(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	for _, signup := range []string{"open", "invite"} {
		w.want("root", "PATCH", "/api/admin/settings", `{"signup":"`+signup+`"}`, 200, "")
		db := w.snapshot()
		for _, request := range []string{
			`POST /api/auth/magic-link {"email":"ADDRESS"}`,
			`POST /api/auth/login {"email":"ADDRESS","password":"wrong wrong wrong"}`,
			`POST /login email=ADDRESS`,
			`POST /api/auth/magic-link/verify {"email":"ADDRESS","code":"123456"}`,
		} {
			work := func(address string) (map[string]engine.Work, int64) {
				var counts works
				c := w.copy(t, db, counts.watch)
				c.canaries = nil
				send := func(address string) {
					method, rest, _ := strings.Cut(strings.ReplaceAll(request, "ADDRESS", address), " ")
					path, body, _ := strings.Cut(rest, " ")
					kind := "application/json"
					if path == "/login" {
						kind = "application/x-www-form-urlencoded"
					}
					if res := c.do("anonymous", method, path, http.Header{"Content-Type": {kind}}, body); res.status >= 500 {
						t.Fatalf("%s: %d %s", request, res.status, res.body)
					}
				}
				send("zzzz@example.org") // prepares the statements
				before, changedBefore := counts.total(t, c.app.DB())
				send(address)
				after, changed := counts.total(t, c.app.DB())
				for query, now := range after { // with what the server does besides, and has not done before
					was := before[query]
					if after[query] = (engine.Work{Runs: now.Runs - was.Runs, Steps: now.Steps - was.Steps}); !ofSignIn.MatchString(query) {
						delete(after, query)
					}
				}
				return after, changed - changedBefore
			}
			known, written := work("ben@example.org")
			for _, unknown := range []string{"aaa@example.org", "bem@example.org", "ben@example.orh"} {
				d := ""
				for range 3 { // a job of the server may write meanwhile
					unknown, n := work(unknown)
					if d = cmp.Diff(unknown, known); d == "" && n == written {
						break
					}
					d = fmt.Sprintf("%d and %d rows are written; without account (-), with one (+)\n%s", n, written, d)
					known, written = work("ben@example.org")
				}
				if d != "" {
					t.Errorf("%s (%s): %s and an address with an account differ: %s", request, signup, unknown, d)
				}
			}
		}
	}
}
