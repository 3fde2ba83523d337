package app_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/op"
	"hearth/store"
)

// uncounted is by how many bytes the file may grow beside what a call counts as. nothingNew
// is what a write that protects somebody may count as when it is called again, and repeated
// the same of those that do so each time: another link, another message.
const (
	uncounted  = 256
	nothingNew = 32
	repeated   = 128
)

// protecting are the bodies of operations that protect somebody with some values only; ""
// for one that never does.
var protecting = map[string]string{
	"RespondMatch":         `{"decision":"decline"}`,
	"UpdateStory":          `{"status":"paused"}`,
	"UpdatePreferences":    `{"networkPaused":true}`,
	"UpdateSecretary":      `{"enabled":false}`,
	"SetContextPreference": `{"keyId":"$id:rw","enabled":false}`,
	"UpdateIntention":      `{"expectedRevision":1,"lifecycleState":"withdrawn"}`,
	"UpdateList":           `{"visibility":"private"}`,
	"UpdateConversation":   `{"open":false}`,
	"UpdateParticipant":    `{"role":"member"}`,
	"UpdateWebhook":        `{"enabled":false}`,
	"UpdateCard":           `{"enabled":false}`,
	"UpdateMe":             `{"discoveryMode":"hidden","groupAdds":"nobody"}`,
	"SetStatus":            `{"presenceStatus":"invisible"}`,
	"UpdateDraft":          `{"state":"dismissed"}`,
	"RespondRequest":       `{"decline":true}`,
	"HandOver":             "",
}

// What a write stores is counted, whether or not it has text, and a write that is never
// refused for that stores little when it is called again.
func TestEveryWriteCounts(t *testing.T) {
	staged := matrixStage(t)
	db, cases := staged.snapshot(), matrixCases()
	writes := 0
	for _, route := range api.Routes(api.Described()) {
		info := route.Op.Info()
		c, ok := cases[route.Method+" "+route.Path]
		if !ok || info.Hints.Has(op.ReadOnly) {
			continue
		}
		_, mixed := reflect.New(info.In).Interface().(op.Protective)
		if info.Stores && !mixed {
			continue // TestStoredCounts
		}
		body, listed := protecting[info.Name]
		if mixed != listed || body != "" && !protects(t, info, body) {
			t.Errorf("%s protects with some values: %v; the table has %q", info.Name, mixed, body)
		}
		g := newGrowth(t, staged.copy(t, db, func(c *app.Config) { c.NoRateLimits = false }))
		o := &operation{method: route.Method, path: route.Path}
		o.setBase(c, info.Guard, "")
		if body == "" {
			body = o.base.body
		}
		for call := range 2 {
			status, grown := g.write(o.base.who, route.Method, o.base.path, body)
			if most := maxGrowth*g.counted + uncounted; grown > most {
				t.Errorf("%s, call %d: the file has grown by %d bytes, and %d are counted", info.Name, call, grown, g.counted)
			}
			if call == 0 && g.counted > 0 {
				writes++
			}
			most := repeated
			if mixed {
				most = nothingNew
			}
			never := info.Protects || info.Hints.Has(op.Destructive) || info.Guard == op.AdminOnly
			if call > 0 && g.counted > most && (mixed || never) {
				t.Errorf("%s is not refused, and counts as %d when it is called again: %d", info.Name, g.counted, status)
			}
		}
	}
	if writes < 40 {
		t.Errorf("only %d writes are counted", writes)
	}
}

// protects reports whether a call with the body is made however much its caller has stored.
func protects(t *testing.T, info *op.Info, body string) bool {
	in := reflect.New(info.In)
	if err := json.Unmarshal([]byte(body), in.Interface()); err != nil {
		t.Fatal(info.Name, err)
	}
	return in.Interface().(op.Protective).Protects()
}

// write makes a call and returns its status, and by how many bytes of pages the file has
// grown.
func (g *growth) write(who, method, path, body string) (status, grown int) {
	before := g.size()
	g.counted = 0
	res := g.json(who, method, g.fillIDs(path), g.fillIDs(body))
	g.index()
	return res.status, g.size() - before
}

// A person who changes a lot without any text is refused once what that has stored is
// more than they may store, until the day brings more. What protects them is not refused.
func TestWritesWithoutTextAreBounded(t *testing.T) {
	w := newLimitedWorld(t)
	for _, who := range []string{"ada", "ben", "cleo"} {
		w.token(who)
	}
	w.addBots(t, w.cast.Ben.ID, 100)
	const block = "/api/chat/users/$id:ben/block"
	w.ids["$id:draft"] = w.made(`POST /api/intent-drafts {"goal":"A band"}`, "draft")
	w.ids["$id:list"] = idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"L","visibility":"public"}`, 201, "").body)
	w.ids["$id:other"] = idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"M","visibility":"public"}`, 201, "").body)
	w.ids["$id:group"] = idIn(t, w.want("cleo", "POST", "/api/chat/conversations", `{"participantIds":["$id:ada"],"type":"group"}`, 201, "").body)
	if err := w.app.TakeText(t.Context(), store.Viewer{Kind: store.Human, UserID: w.cast.Ada.ID}, op.TextBurst-100_000); err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for ; rounds < 40; rounds++ {
		w.want("ada", "POST", block, "", 200, "")
		if res := w.request("ada", "DELETE "+block); res.status != 204 {
			break
		}
	}
	if rounds < 3 || rounds == 40 {
		t.Fatalf("after %d rounds", rounds)
	}
	refused := func(request string) {
		t.Helper()
		w.limitReached("ada", request, 429, "too_many_changes")
	}
	refused("DELETE " + block)
	refused(`PATCH /api/lists/$id:list {"checkable":true,"visibility":"private"}`)
	refused("PATCH /api/chat/conversations/$id:group/read")
	w.limitReached("ada", `POST /api/lists {"title":"N"}`, 429, "too_much_text")
	w.want("ada", "GET", "/api/lists/$id:list", "", 200, "")
	w.want("ben", "POST", "/api/chat/users/$id:cleo/block", "", 200, "")

	w.want("ada", "POST", "/api/chat/users/$id:cleo/block", "", 200, "")
	w.want("ada", "POST", "/api/chat/reports", `{"targetType":"user","targetId":"$id:ben","reason":"spam"}`, 201, "")
	w.want("ada", "PATCH", "/api/lists/$id:list", `{"visibility":"private"}`, 200, "")
	w.want("ada", "DELETE", "/api/lists/$id:other", "", 204, "")
	w.want("ada", "PATCH", "/api/intent-drafts/$id:draft", `{"state":"dismissed"}`, 200, "")
	w.want("ada", "PATCH", "/api/auth/me", `{"discoveryMode":"hidden"}`, 200, "")
	w.want("ada", "DELETE", "/api/chat/conversations/$id:group/participants/$id:ada", "", 204, "")

	w.clock.Advance(time.Hour)
	w.want("ada", "DELETE", block, "", 204, "")
	w.want("ada", "DELETE", "/api/auth/sessions", "", 204, "")
}

// addBots adds n bots of an account.
func (w *world) addBots(t *testing.T, owner string, n int) {
	t.Helper()
	err := w.app.DB().Write(t.Context(), func(tx *store.Tx) error {
		for i := range n {
			if _, err := tx.InsertUser(store.User{Name: fmt.Sprint("Bot ", i), IsBot: true, BotOwnerID: owner, Email: fmt.Sprintf("bot%d@example.net", i), SignupProvider: "agent"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
