package live_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

// sse is one event as received by a client.
type sse struct {
	id    string // the last event id at that point
	name  string
	data  string
	retry string // of a block without data
}

// client is an open stream.
type client struct {
	t      testing.TB
	resp   *http.Response
	events chan sse
	cancel context.CancelFunc
	lastID string
}

// connect opens a stream; query is like "user=…&list=…", lastID may be "".
func (w *world) connect(t testing.TB, query, lastID string) *client {
	t.Helper()
	c, status := w.try(t, query, lastID)
	if status != 200 {
		t.Fatalf("connect %s: status %d", query, status)
	}
	return c
}

func (w *world) try(t testing.TB, query, lastID string) (*client, int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", w.srv.URL+"/?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := w.srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, resp: resp, events: make(chan sse, 10000), cancel: cancel, lastID: lastID}
	t.Cleanup(c.close)
	if resp.StatusCode == 200 {
		go c.read()
	} else {
		c.close()
	}
	return c, resp.StatusCode
}

func (c *client) close() {
	c.cancel()
	c.resp.Body.Close()
}

// read parses the stream into events, as the standard defines it.
func (c *client) read() {
	defer close(c.events)
	var e sse
	var data []string
	id := ""
	sc := bufio.NewScanner(c.resp.Body)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		field, value, _ := strings.Cut(sc.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case sc.Text() == "":
			e.id, e.data = id, strings.Join(data, "\n")
			c.events <- e
			e, data = sse{}, nil
		case field == "":
			e.name = "comment"
		case field == "id":
			id = value
		case field == "event":
			e.name = value
		case field == "data":
			data = append(data, value)
		case field == "retry":
			e.retry = value
		}
	}
}

// next returns the next event with data, or a zero sse at the stream's end.
func (c *client) next() sse {
	c.t.Helper()
	for {
		e, ok := c.block()
		if !ok {
			return sse{}
		}
		if e.data != "" {
			c.lastID = e.id
			return e
		}
	}
}

func (c *client) block() (sse, bool) {
	c.t.Helper()
	select {
	case e, ok := <-c.events:
		if ok && e.id != "" {
			c.lastID = e.id
		}
		return e, ok
	case <-time.After(10 * time.Second):
		c.t.Fatal("nothing came within ten seconds")
		panic("unreachable")
	}
}

// expect wants the next event to be name about object.
func (c *client) expect(name, object string) sse {
	c.t.Helper()
	e := c.next()
	if e.name != name || !strings.Contains(e.data, strconv.Quote(object)) {
		c.t.Fatalf("got %+v, want %s about %s", e, name, object)
	}
	return e
}

// skipTo passes over presence to the next event, which must be about object.
func (c *client) skipTo(object string) sse {
	c.t.Helper()
	e := c.next()
	for e.name == "presence" {
		e = c.next()
	}
	if !strings.Contains(e.data, strconv.Quote(object)) {
		c.t.Fatalf("got %+v, want %s", e, object)
	}
	return e
}

// ended wants the stream to be over, with nothing more in it.
func (c *client) ended() {
	c.t.Helper()
	if e := c.next(); e != (sse{}) {
		c.t.Fatalf("got %+v, want the end of the stream", e)
	}
}

func as(u store.User) string { return "user=" + url.QueryEscape(u.ID) }
