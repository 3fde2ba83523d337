package app_test

import (
	"bufio"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/app"
	"hearth/store/storetest"
)

// Many readers of a list with a client of others, the EventSource of npm, whose
// streams are cut at random while the server is restarted twice, receive every
// change exactly once and in order.
func TestListStreamsResumeOfEventSource(t *testing.T) {
	module := eventSourceModule(t)
	readers, changes := storetest.Rounds(40, 1000), storetest.Rounds(300, 10_000)
	s := newCutServer(t)
	c := newChanges(s)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	const each = 200 // bytes of an event, about
	cmd := exec.CommandContext(ctx, "node", "../testdata/eventsources.mjs", module, s.base()+"/api/lists/"+c.list+"/events",
		strconv.Itoa(readers), strconv.Itoa(changes/4*each))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	out := bufio.NewScanner(stdout)
	out.Buffer(nil, 1<<20)
	if !out.Scan() || out.Text() != "ready" {
		t.Fatalf("the readers write %q, want ready (%v)", out.Text(), out.Err())
	}
	begin := time.Now()
	c.makeAll(changes)
	t.Logf("%d changes took %s", changes, time.Since(begin).Round(time.Millisecond))

	var events []string // id and data
	cuts, seen := 0, 0
	for out.Scan() {
		switch kind, rest, _ := strings.Cut(out.Text(), " "); kind {
		case "event":
			events = append(events, rest)
		case "reader":
			if seen == 0 {
				c.wantEvents(events)
			}
			n, got, _ := strings.Cut(rest, " ")
			cut, err := strconv.Atoi(n)
			if want := fmt.Sprintf("0-%d", len(c.want)-1); got != want || err != nil {
				t.Errorf("reader %d, cut %d times, received the changes %s, want %s (%v)", seen, cut, got, want, err)
			}
			seen, cuts = seen+1, cuts+cut
		default:
			t.Fatalf("the readers write %q", out.Text())
		}
	}
	if out.Err() != nil || seen != readers || cuts < 2*readers {
		t.Errorf("%d of %d readers, cut %d times (%v)", seen, readers, cuts, out.Err())
	}
	t.Logf("%d readers, cut %d times, received %d changes each within %s", seen, cuts, len(events), time.Since(begin).Round(time.Millisecond))
}

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
// times, which are as many changes.
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

// wantEvents checks that the events, each with an id, are the changes.
func (c *changes) wantEvents(events []string) {
	c.s.t.Helper()
	var ids, got []string
	for _, e := range events {
		id, data, _ := strings.Cut(e, " ")
		ids, got = append(ids, id), append(got, data)
	}
	if !slices.Equal(got, c.want) {
		n := firstDifference(got, c.want)
		c.s.t.Errorf("%d events were received, want %d; the first that differs is %d", len(got), len(c.want), n)
	}
	slices.Sort(ids)
	if n := len(ids); len(slices.Compact(ids)) != n {
		c.s.t.Error("two events have one id")
	}
}
