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
	"hearth/app/op"
	"hearth/store"
)

// maxRows is how many rows one write changes at most, the index of words and the log
// of events included: a message has up to 10 reactions of 1,000 members, of which 6 are
// staged. What else there may be thousands of, such as friends of an account that is
// deleted and stars of an item, is written in parts.
const maxRows = 7_500

// No write changes more rows than a bound, however large what it is about has become:
// every operation is called on a group of 1,000, a message with reactions of all of
// them, a list with 1,000 comments and stars on an item, and an account with 5,000
// friends.
func TestRowsOfWrites(t *testing.T) {
	staged := matrixStage(t)
	stageLarge(staged)
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
	cases, routes := matrixCases(), api.Routes(api.Described())
	slices.SortStableFunc(routes, func(a, b api.Route) int { return endsWhat(a) - endsWhat(b) })
	type result struct {
		rows    int64
		request string
	}
	var results []result
	for _, r := range routes {
		key := r.Method + " " + r.Path
		if r.Method == http.MethodGet || strings.HasSuffix(r.Path, "/events") {
			continue
		}
		if endsWhat(r) >= signsOut {
			delete(w.tokens, "ada") // and sign in again
			w.token("ada")
		}
		who := map[op.Guard]string{op.AdminOnly: "root", op.Bridge: "bridge"}[r.Op.Info().Guard]
		if who == "" {
			who = "ada"
		}
		most.Store(0)
		res := w.json(who, r.Method, w.fillIDs(cases[key].path), w.fillIDs(cases[key].body))
		results = append(results, result{most.Load(), fmt.Sprintf("%s: %d", key, res.status)})
	}
	slices.SortFunc(results, func(a, b result) int { return int(b.rows - a.rows) })
	for _, r := range results[:12] {
		t.Logf("%6d rows: %s", r.rows, r.request)
	}
	if results[0].rows > maxRows {
		t.Errorf("one write changed %d rows (%s), want at most %d", results[0].rows, results[0].request, maxRows)
	}
	if results[0].rows < 5000 || results[1].rows < 1000 {
		t.Error("the world is not large")
	}
}

// stageLarge makes what the cases of the matrix are about as large as it can become, or
// would become in a large community.
func stageLarge(w *world) {
	w.t.Helper()
	people := w.others(5900)
	group, message, item, list, ada := w.ids["$id:group"], w.ids["$id:message"], w.ids["$id:item"], w.ids["$id:list"], w.cast.Ada.ID
	each := func(people []string, f func(tx *store.Tx, id string) error) {
		w.t.Helper()
		err := w.app.DB().Write(w.t.Context(), func(tx *store.Tx) error {
			for _, id := range people {
				if err := f(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	each(people[:990], func(tx *store.Tx, id string) error { return tx.AddMember(group, id, "member") })
	each(people[:5000], func(tx *store.Tx, id string) error { return tx.PutFriends(ada, id, "friends", "friends") })
	each(people[5000:], func(tx *store.Tx, id string) error { _, err := tx.InsertBlock(ada, id); return err })
	each(people[:1000], func(tx *store.Tx, id string) error {
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
	each(people[:990], func(tx *store.Tx, id string) error {
		m, err := tx.Message(by, message)
		for _, emoji := range []string{"👍", "❤️", "😂", "😮", "😢", "🙏"} {
			if err == nil {
				_, err = tx.React(&m, store.Reaction{UserID: id, Emoji: emoji})
			}
		}
		return err
	})
}
