package app_test

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// maxGrowth is by how many bytes the file may grow for each byte that a call counts as.
const maxGrowth = 4

// TestStoredCounts calls every operation that stores something, with the body of the
// matrix, with each of its texts as long as it may be and of characters that are all
// words, and with as many elements of each list as there may be.
func TestStoredCounts(t *testing.T) {
	staged := matrixStage(t)
	db, cases := staged.snapshot(), matrixCases()
	g := newGrowth(t, staged.copy(t, db, func(c *app.Config) { c.NoRateLimits = false }))
	for _, route := range api.Routes(api.Described()) {
		info := route.Op.Info()
		c, ok := cases[route.Method+" "+route.Path]
		if !ok || !info.Stores && !info.Texts || info.Guard == op.AdminOnly || info.Guard == op.Bridge || strings.HasPrefix(c.body, "file:") {
			continue
		}
		o := &operation{method: route.Method, path: route.Path}
		o.setBase(c, info.Guard, "")
		for _, body := range longestBody(info.Plan, o.base.body) {
			g.call(o.base.who, route.Method, o.base.path, body)
		}
	}
	if g.calls < 60 {
		t.Errorf("only %d calls have stored something", g.calls)
	}
}

// What stores much for few bytes of a request: rows, copies and words.
func TestStoredForLittleText(t *testing.T) {
	staged := newWorld(t)
	w := staged.copy(t, staged.snapshot(), func(c *app.Config) { c.NoRateLimits = false })
	g := newGrowth(t, w)
	list := idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L"}`).body)
	var groups []string
	for range 50 {
		groups = append(groups, `"`+idIn(t, w.json("ada", "POST", "/api/chat/conversations", `{"participantIds":["`+w.cast.Ada.ID+`"],"type":"group"}`).body)+`"`)
	}
	messages := "/api/chat/conversations/" + strings.Trim(groups[0], `"`) + "/messages"
	message := idIn(t, w.json("ada", "POST", messages, `{"content":"`+hanText(4000)+`"}`).body)
	story := `"text":"S","storyExpiresAt":"` + w.clock.Now().AddDate(0, 0, 2).Format(time.RFC3339) + `","audience":{"userIds":[],"conversationIds":[` + strings.Join(groups, ",") + `]}}`
	items := `"items":[` + strings.Repeat(`{"content":"a"},`, 99) + `{"content":"a"}]`
	for _, c := range []struct{ path, body string }{
		{"/api/lists/import?format=md&title=T", "# T\n\n" + strings.Repeat("- a\n", 1000)},
		{"/api/lists/import?format=md&title=T", "# T\n\n" + strings.Repeat("- "+hanText(100)+"\n", 200)},
		{"/api/lists", `{"title":"L",` + items + `}`},
		{"/api/lists/" + list + "/items/batch", `{` + items + `}`},
		{"/api/thoughts", `{"sourceMessageId":"` + message + `"}`},
		{"/api/stories", `{"confirm":false,` + story},
		{messages, `{"content":"` + hanText(20000) + `"}`},
	} {
		if res := g.call("ada", "POST", c.path, c.body); res.status >= 300 {
			t.Errorf("%s: %d %.200s", c.path, res.status, res.body)
		}
	}
	grant := w.grantOf("ada", "/api/stories", `{"confirm":false,`+story)
	if res := g.call("ada", "POST", "/api/stories", `{"confirm":true,"approvalGrant":"`+grant+`",`+story); res.status >= 300 {
		t.Errorf("a Story: %d %.200s", res.status, res.body)
	}
}

// longestBody returns base and bodies that each have one member as large as it may be.
func longestBody(plan *core.Plan, base string) []string {
	bodies := []string{base}
	for _, f := range plan.Fields {
		var body map[string]any
		if f.Place != core.InBody || json.Unmarshal([]byte(cmp.Or(base, "{}")), &body) != nil {
			continue
		}
		switch elements, _ := body[f.Name].([]any); {
		case f.Class == core.Text && len(f.Enum) == 0 && f.Format == "" && f.Max != nil:
			body[f.Name] = hanText(int(*f.Max))
		case f.Class == core.List && len(elements) > 0 && f.Max != nil:
			body[f.Name] = slices.Repeat(elements[:1], int(*f.Max))
		default:
			continue
		}
		b, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		bodies = append(bodies, string(b))
	}
	return bodies
}

// hanText returns n characters without the same two after each other.
func hanText(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(rune(0x4e00 + i*7919%20000))
	}
	return b.String()
}

// growth compares what calls store with what they count as.
type growth struct {
	*world
	db      *sql.DB
	counted int
	calls   int
}

func newGrowth(t *testing.T, w *world) *growth {
	db, err := sql.Open("sqlite", w.app.DB().Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	g := &growth{world: w, db: db}
	w.app.OnCounted(func(bytes int) { g.counted += bytes })
	return g
}

// size returns how many bytes of pages are used.
func (g *growth) size() (n int) {
	if err := g.db.QueryRow(`SELECT sum(pgsize - unused) FROM dbstat`).Scan(&n); err != nil {
		g.t.Fatal(err)
	}
	return n
}

// call makes a call, which may be refused, as some bodies are.
func (g *growth) call(who, method, path, body string) response {
	before := g.size()
	g.counted = 0
	res := g.json(who, method, g.fillIDs(path), g.fillIDs(body))
	g.index()
	if res.status >= 300 || g.counted == 0 { // it sets what has no text
		return res
	}
	g.calls++
	if n := g.size() - before; n > maxGrowth*g.counted {
		g.t.Errorf("%s %s %.60s: the file has grown by %d bytes, and %d are counted", method, path, body, n, g.counted)
	}
	return res
}

// index adds the items to the index that wait for it.
func (g *growth) index() {
	for n := int64(1); n > 0; {
		err := g.app.DB().Write(g.t.Context(), func(tx *store.Tx) (err error) {
			n, err = tx.ReindexLists(200)
			return err
		})
		if err != nil {
			g.t.Fatal(err)
		}
	}
}
