package app_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"testing"

	"hearth/app"
)

// newCutServer returns a server whose clients have the addresses that they say.
func newCutServer(t *testing.T) *browserServer {
	return newBrowserServer(t, func(c *app.Config) {
		c.NoRateLimits, c.TrustedProxy = true, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
}

// changes are made to one list, and noted.
type changes struct {
	s     *browserServer
	list  string
	items []string // those that are left
	want  []string // table, operation and item of each change
}

func newChanges(s *browserServer) *changes {
	return &changes{s: s, list: s.post("ada", "/api/lists", `{"title":"Watched","visibility":"public"}`)}
}

// makeAll makes so many changes of items, and the last one of the list. At a third
// and at two thirds the server restarts; some changes happen while it is away.
func (c *changes) makeAll(n int) {
	for i := range n - 1 {
		switch i {
		case n / 3, 2 * n / 3:
			c.s.reopen()
		case n/3 + 5, 2*n/3 + 5:
			c.s.listen()
		}
		c.make(i)
	}
	c.call("PATCH", "", `{"title":"Seen"}`)
	c.note("lists", "update", "null")
}

// make makes change i: the same item is edited, starred and commented on several
// times, and each time is a change.
func (c *changes) make(i int) {
	last := len(c.items) - 1
	switch i % 10 {
	case 0, 1, 2, 3:
		id := c.s.post("ada", "/api/lists/"+c.list+"/items", `{"content":"change"}`)
		c.items = append(c.items, id)
		c.note("items", "insert", id)
	case 4, 5:
		c.call("PATCH", "/items/"+c.items[last], fmt.Sprintf(`{"content":"edit %d"}`, i))
		c.note("items", "update", c.items[last])
	case 6:
		c.call("PUT", "/items/"+c.items[last]+"/star", "")
		c.note("stars", "insert", c.items[last])
	case 7:
		c.call("DELETE", "/items/"+c.items[last]+"/star", "")
		c.note("stars", "delete", c.items[last])
	case 8:
		c.s.post("ada", "/api/lists/"+c.list+"/items/"+c.items[last]+"/comments", `{"content":"so it is"}`)
		c.note("comments", "insert", c.items[last])
	case 9:
		c.call("DELETE", "/items/"+c.items[last], "")
		c.note("items", "delete", c.items[last])
		c.items = c.items[:last]
	}
}

func (c *changes) call(method, path, body string) {
	c.s.t.Helper()
	if res := c.s.json("ada", method, "/api/lists/"+c.list+path, body); res.status >= 300 {
		c.s.t.Fatalf("%s %s: %d %s", method, path, res.status, res.body)
	}
}

func (c *changes) note(table, op, item string) {
	if item != "null" {
		item = strconv.Quote(item)
	}
	c.want = append(c.want, fmt.Sprintf(`{"table":%q,"op":%q,"listId":%q,"itemId":%s}`, table, op, c.list, item))
}
