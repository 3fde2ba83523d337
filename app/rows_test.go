package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app"
	"hearth/app/api"
	"hearth/store"
)

// maxRows is how many rows one write changes at most, the index of words and the log of
// events included. What there may be thousands of, such as friends of an account that is
// deleted, reactions to a message, stars of an item and items of a list, is written in
// parts.
const maxRows = 2000

// largeCase is a request besides those of the matrix.
type largeCase struct {
	method, path, body string
	status             int // 0 is any success
}

// largeCases are changes of what all items of a list have, in this order. The list that
// is imported is not shared with anybody, so that its items are not in an index of its own.
func largeCases() []largeCase {
	const l, i, imported = "/api/lists/$id:list", "/api/lists/$id:list/items/$id:item", "/api/lists/$id:imported"
	last := fmt.Sprintf(`{"position":%d}`, largeItems-1)
	return []largeCase{
		{"PATCH", i, `{"position":0}`, 200},
		{"PATCH", i, last, 200},
		{"PATCH", i, `{"position":10000}`, 200},
		{"PATCH", l, `{"checkable":true}`, 200},
		{"PATCH", i, `{"checked":true}`, 200},
		{"PATCH", l, `{"checkable":false}`, 200},
		{"PATCH", l, `{"visibility":"public"}`, 200},
		{"PATCH", l, `{"visibility":"private"}`, 200},
		{"POST", l + "/items/batch", `{"items":[` + strings.Repeat(`{"content":"x"},`, 99) + `{"content":"x"}]}`, 201},
		{"POST", "/api/lists/import?format=md&visibility=private", strings.Repeat("- one\n", 20_000), 201},
		{"POST", imported + "/items", `{"content":"x"}`, 400},
		{"PUT", imported + "/members/$id:ben", `{"role":"editor"}`, 200},
		{"PATCH", imported, `{"visibility":"public"}`, 200},
		{"PATCH", imported, `{"visibility":"private"}`, 200},
	}
}

// largeMatrix returns the cases of the matrix, changed so that they succeed one after
// another with what stageLarge has made.
func largeMatrix() map[string]matrixCase {
	cases := matrixCases()
	for key, path := range map[string]string{
		"POST /api/friends/users/{id}/decline":   "/api/friends/users/$id:asks/decline",
		"DELETE /api/lists/{id}/queue/{item_id}": "/api/lists/$id:open/queue/$id:waits",
		"PUT /api/lists/{id}/owner":              "/api/lists/$id:imported/owner",
	} {
		c := cases[key]
		c.path = path
		cases[key] = c
	}
	owner, track := cases["PUT /api/lists/{id}/owner"], cases["POST /api/chat/conversations/{id}/context/{postId}/intention"]
	owner.body = `{"user_id":"$id:ben"}`
	track.body = `{"sourceRevision":2,"clientRequestId":"t"}` // the post has been edited
	cases["PUT /api/lists/{id}/owner"], cases["POST /api/chat/conversations/{id}/context/{postId}/intention"] = owner, track
	return cases
}

// No write changes more rows than a bound, however large what it is about has become:
// every operation is called on a group of 1,000, a message with 10 reactions of all of
// them, a list of almost 20,000 items with 1,000 comments and stars on one, and an account
// with 5,000 friends.
func TestRowsOfWrites(t *testing.T) {
	staged := matrixStage(t)
	var writer atomic.Pointer[store.Conn]
	var before, most atomic.Int64
	w := staged.copy(t, staged.snapshot(), func(c *app.Config) {
		c.Store.RunTwice = false
		inspect := c.Store.OnPrepare
		c.Store.OnPrepare = func(conn *store.Conn, query string) {
			if strings.HasPrefix(query, "UPDATE clock") {
				writer.Store(conn)
			}
			inspect(conn, query)
		}
		c.Store.OnGroup = func(int, time.Duration) { // on the writer, after each transaction
			if conn := writer.Load(); conn != nil {
				now := conn.TotalChanges()
				most.Store(max(most.Load(), now-before.Load()))
				before.Store(now)
			}
		}
	})
	w.canaries = nil
	w.stageLarge()
	type result struct {
		rows    int64
		request string
	}
	var results []result
	call := func(who string, c largeCase) response {
		t.Helper()
		w.write(func(*store.Tx) error { return nil }) // what came before is counted then
		most.Store(0)
		res := w.json(who, c.method, w.fillIDs(c.path), w.fillIDs(c.body))
		w.write(func(*store.Tx) error { return nil })
		results = append(results, result{most.Load(), fmt.Sprintf("%s %s %.60q", c.method, c.path, c.body)})
		if most.Load() > maxRows {
			t.Errorf("%s %s changed %d rows in one write, want at most %d", c.method, c.path, most.Load(), maxRows)
		}
		if c.status == 0 && res.status >= 300 || c.status != 0 && res.status != c.status {
			t.Errorf("%s: %s %s: got %d, want %d: %s", who, c.method, c.path, res.status, c.status, res.body)
		}
		return res
	}
	for _, c := range largeCases() {
		if res := call("ada", c); strings.Contains(c.path, "/import") {
			w.ids["$id:imported"] = idIn(t, res.body)
		}
	}
	cases, routes := largeMatrix(), api.Routes(api.Described())
	slices.SortStableFunc(routes, func(a, b api.Route) int { return rowsOrder(a) - rowsOrder(b) })
	for _, r := range routes {
		if r.Method == http.MethodGet || strings.HasSuffix(r.Path, "/events") {
			continue
		}
		o := operation{method: r.Method, path: r.Path}
		if o.setBase(cases[o.name()], r.Op.Info().Guard, ""); !o.success {
			t.Errorf("%s has no case that succeeds", o.name())
			continue
		}
		if endsWhat(r) >= signsOut {
			delete(w.tokens, "ada") // and sign in again
			w.token("ada")
		}
		call(o.base.who, largeCase{r.Method, o.base.path, o.base.body, 0})
	}
	slices.SortFunc(results, func(a, b result) int { return int(b.rows - a.rows) })
	for _, r := range results[:12] {
		t.Logf("%6d rows: %s", r.rows, r.request)
	}
	if results[1].rows < 1000 {
		t.Error("the world is not large")
	}
}

// rowsOrder is endsWhat with the answers to a Story and to a request first, which others
// of the same order end.
func rowsOrder(r api.Route) int {
	if strings.HasSuffix(r.Path, "/respond") {
		return -1
	}
	return endsWhat(r)
}

// largeItems is how many items the list of stageLarge has: as many as one can have, but
// for those that the cases add.
const largeItems = 20_000 - 200

// write makes a write.
func (w *world) write(f func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.app.DB().Write(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
}

// stageLarge makes what the cases of the matrix are about as large as it can become, or
// would become in a large community.
func (w *world) stageLarge() {
	w.t.Helper()
	people := w.others(5901)
	w.ids["$id:asks"] = people[5900]
	group, message, item, list, ada := w.ids["$id:group"], w.ids["$id:message"], w.ids["$id:item"], w.ids["$id:list"], w.cast.Ada.ID
	each := func(people []string, f func(tx *store.Tx, id string) error) {
		w.t.Helper()
		w.write(func(tx *store.Tx) error {
			for _, id := range people {
				if err := f(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	each(people[:990], func(tx *store.Tx, id string) error { return tx.AddMember(group, id, "member") })
	each(people[:5000], func(tx *store.Tx, id string) error { return tx.PutFriends(ada, id, "friends", "friends") })
	each(people[5900:], func(tx *store.Tx, id string) error { return tx.PutFriends(ada, id, "incoming", "outgoing") })
	each(people[5000:5900], func(tx *store.Tx, id string) error { _, err := tx.InsertBlock(ada, id); return err })
	each(people[:998], func(tx *store.Tx, id string) error { // another one is there, and one is added
		_, err := tx.InsertComment(list, store.Comment{ItemID: item, AuthorID: id, Content: "A comment"}, nil)
		return err
	})
	by := store.Viewer{Kind: store.Human, UserID: ada}
	each(people[:1000], func(tx *store.Tx, id string) error {
		i, err := tx.Item(by, list, item)
		if err == nil {
			_, err = tx.Star(i, id)
		}
		return err
	})
	w.write(func(tx *store.Tx) error {
		m, err := tx.Message(by, message)
		for _, id := range people[:1000] {
			for _, emoji := range []string{"👍", "❤️", "😂", "😮", "😢", "🙏", "🗂️", "📁", "📎", "✅"} {
				if err == nil {
					_, err = tx.React(&m, store.Reaction{UserID: id, Emoji: emoji})
				}
			}
		}
		return err
	})
	w.stageItems(list)
	held := w.want("public", "POST", "/api/lists/$id:open/items", `{"content":"Waits","reporter":"scout"}`, 202, "")
	w.ids["$id:waits"] = idIn(w.t, held.body)
	w.want("anonymous", "POST", "/api/register-agent", `{"email":"robot@example.net","password":"long enough for this"}`, 201, "")
	link, err := w.app.Account().LinkFor(w.t.Context(), "dora@example.org", false)
	if err != nil {
		w.t.Fatal(err)
	}
	_, w.ids["$text:link"], _ = strings.Cut(link, "token=")
}

// stageItems adds items to a list until it has largeItems, and indexes all of them.
func (w *world) stageItems(list string) {
	w.t.Helper()
	w.write(func(tx *store.Tx) error {
		l, err := tx.List(store.Viewer{Kind: store.Human, UserID: w.cast.Ada.ID}, list)
		for range largeItems - l.ItemCount {
			if err == nil {
				_, _, err = tx.InsertItem(store.Item{ListID: list, Content: "x", AuthorID: w.cast.Ada.ID})
			}
		}
		return err
	})
	for range largeItems {
		var indexed int64
		w.write(func(tx *store.Tx) (err error) {
			indexed, err = tx.ReindexLists(largeItems)
			return err
		})
		if indexed == 0 {
			return
		}
	}
	w.t.Fatal("the list still waits for the index")
}
