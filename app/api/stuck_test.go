package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// A request that is refused does not wait for its body, even if the path has no
// route.
func TestSlowBodyOfRefusedRequest(t *testing.T) {
	y := newToy(t, func(c *toyConfig) { c.BodyTime = 20 * time.Millisecond })
	s := httptest.NewServer(y)
	defer s.Close()
	for request, want := range map[string]string{
		"POST /api/nothing HTTP/1.1":                             "HTTP/1.1 404 ",
		"PUT /api/books HTTP/1.1":                                "HTTP/1.1 405 ",
		"POST /api/books HTTP/1.1\r\nSec-Fetch-Site: cross-site": "HTTP/1.1 403 ",
	} {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second)) // only reached on failure
		fmt.Fprintf(c, "%s\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", request)
		answer, err := io.ReadAll(c)
		if err != nil || !bytes.HasPrefix(answer, []byte(want)) {
			t.Errorf("%s: got %s, %v", request, answer, err)
		}
	}
}

// A response that is not read times out.
func TestUnreadResponseTimesOut(t *testing.T) {
	type out struct{ Text string }
	large := func(context.Context, store.Viewer, core.None) (out, error) {
		return out{strings.Repeat("x", 32<<20)}, nil // more than the kernel buffers
	}
	answered := make(chan int, 1)
	stack, err := middleware.New(middleware.Config{SendTime: 20 * time.Millisecond,
		Observe: func(_ string, status int, _ time.Duration) { answered <- status }})
	if err != nil {
		t.Fatal(err)
	}
	spec := op.Spec{Summary: "Get much", Guard: op.Public, Hints: op.ReadOnly}
	h, err := newHandler(Config{Auth: keyring{}, Stack: stack}, []Route{{"GET", "/x", 200, op.New(nil, large, spec).Op}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case got := <-answered:
		if got != http.StatusOK {
			t.Errorf("answered %d", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("the response did not time out")
	}
}
