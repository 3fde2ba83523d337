package app_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"hearth/store/storetest"
)

// A client of others, the EventSource of npm, receives each change of a list once
// and in order, those made while the server was away included. Its stream ends when
// the list is closed to it, and it does not come back.
func TestListStreamOfEventSource(t *testing.T) {
	module := eventSourceModule(t)
	s := newBrowserServer(t)
	id := s.post("ada", "/api/lists", `{"title":"Watched","visibility":"public"}`)
	c := startEventSource(t, module, s.base()+"/api/lists/"+id+"/events")
	c.want("open")
	add := func() {
		item := s.post("ada", "/api/lists/"+id+"/items", `{"content":"new"}`)
		c.changes = append(c.changes, fmt.Sprintf(`{"table":"items","op":"insert","listId":"%s","itemId":"%s"}`, id, item))
	}
	for range 10 {
		add()
	}
	c.wantChanges()
	s.reopen() // whoever watched is gone, and changes go on
	for range 10 {
		add()
	}
	s.listen()
	c.want("open")
	c.wantChanges()
	add()
	c.wantChanges()
	if res := s.json("ada", "PATCH", "/api/lists/"+id, `{"visibility":"private"}`); res.status != 200 {
		t.Fatalf("closing: %s", res.body)
	}
	c.want("closed")
}

// eventSourceModule returns the file of the package, or skips the test without it.
func eventSourceModule(t *testing.T) string {
	t.Helper()
	module := os.Getenv("HEARTH_EVENTSOURCE")
	if _, err := exec.LookPath("node"); err != nil || module == "" {
		storetest.Without(t, "HEARTH_EVENTSOURCE must name the file dist/index.js of the npm package eventsource, and node must be installed")
	}
	return module
}

// eventSource is a running testdata/eventsource.mjs.
type eventSource struct {
	t       *testing.T
	out     *bufio.Scanner
	ids     map[string]bool // of the events that were received
	changes []string        // the data of those that it is to receive next
}

func startEventSource(t *testing.T, module, address string) *eventSource {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	cmd := exec.CommandContext(ctx, "node", "../testdata/eventsource.mjs", module, address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() }) // which was killed
	return &eventSource{t: t, out: bufio.NewScanner(out), ids: map[string]bool{}}
}

// want reads a line.
func (c *eventSource) want(line string) {
	c.t.Helper()
	if !c.out.Scan() || c.out.Text() != line {
		c.t.Fatalf("the client writes %q, want %q (%v)", c.out.Text(), line, c.out.Err())
	}
}

// wantChanges reads the changes that are to come, each with an id of its own.
func (c *eventSource) wantChanges() {
	c.t.Helper()
	for n, data := range c.changes {
		if !c.out.Scan() {
			c.t.Fatalf("the client ends before change %d (%v)", n, c.out.Err())
		}
		name, rest, _ := strings.Cut(c.out.Text(), " ")
		id, got, _ := strings.Cut(rest, " ")
		if name != "change" || got != data || c.ids[id] {
			c.t.Fatalf("the client writes %q, want a new change %s", c.out.Text(), data)
		}
		c.ids[id] = true
	}
	c.changes = nil
}
