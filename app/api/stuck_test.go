package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
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

// stuckWriter is a client that does not read until release is closed.
type stuckWriter struct {
	*httptest.ResponseRecorder
	reached, release chan struct{}
}

func (w stuckWriter) Write(b []byte) (int, error) {
	close(w.reached)
	<-w.release
	return w.ResponseRecorder.Write(b)
}

// A response that is not read counts as in flight: its bytes are kept until they
// are sent. What is refused beside it does not wait for a file.
func TestUnreadResponseIsInFlight(t *testing.T) {
	take := func(context.Context, store.Viewer, wholeIn) (string, error) { return "", nil }
	y := newToy(t, func(c *toyConfig) {
		c.Bounds.Requests = 1
		c.more = []Route{{"POST", "/api/whole", 200, Whole(op.New(nil, take, op.Spec{Summary: "Take a body", Guard: op.Public}), wholeSize)}}
	})
	w := stuckWriter{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		y.ServeHTTP(w, httptest.NewRequest("GET", "/api/books/"+someID, nil))
	}()
	<-w.reached
	if got := y.do("", "GET", "/api/books/"+someID, ""); got.Code != 503 {
		t.Errorf("beside a response that is not read: %d", got.Code)
	}
	if got := y.do("", "POST", "/api/whole", "words"); got.Code != 503 || got.Header().Get("Connection") != "close" {
		t.Errorf("a file beside it: %d, %q", got.Code, got.Header().Get("Connection"))
	}
	close(w.release)
	<-ended
	if n := y.stack.InFlight(); n != 0 {
		t.Errorf("%d requests in flight at the end", n)
	}
}

// A response that is not read times out.
func TestUnreadResponseTimesOut(t *testing.T) {
	type out struct{ Text string }
	large := func(context.Context, store.Viewer, core.None) (out, error) {
		return out{strings.Repeat("x", 32<<20)}, nil // more than the kernel buffers
	}
	answered := make(chan int, 1)
	stack, err := middleware.New(middleware.Config{SendTime: 20 * time.Millisecond, Bounds: middleware.Bounds{Bytes: 1 << 30}, Observe: func(_ string, status int, _ time.Duration) { answered <- status }})
	if err != nil {
		t.Fatal(err)
	}
	spec := op.Spec{Summary: "Get much", Guard: op.Public, Hints: op.ReadOnly}
	h, err := newHandler(Config{Auth: keyring{}, Stack: stack}, []Route{{"GET", "/x", 200, op.New(nil, large, spec)}})
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

// Who has requested too much is refused whatever they request next, which the document
// says of every operation, except for what must always be answered.
func TestRefusedForVolume(t *testing.T) {
	large := func(context.Context, store.Viewer, core.None) (string, error) {
		return strings.Repeat("x", 2*middleware.FreeBytes), nil
	}
	small := func(context.Context, store.Viewer, core.None) (string, error) { return "x", nil }
	spec := op.Spec{Summary: "Get it", Guard: op.Public, Hints: op.ReadOnly}
	private := spec
	private.Guard = op.Member
	y := newToy(t, func(c *toyConfig) {
		c.Bounds = middleware.Bounds{Volume: 1, VolumePerSecond: 1}
		c.more = []Route{
			{"GET", "/api/v/large", 200, op.New(nil, large, spec)},
			{"GET", "/api/v/small", 200, op.New(nil, small, spec)},
			{"GET", "/api/v/health", 200, Uncounted(op.New(nil, small, spec))},
			{"GET", "/api/v/inbox", 200, Uncounted(op.New(nil, small, private))},
		}
	})
	for _, who := range []string{"", "human"} {
		if got := y.do(who, "GET", "/api/v/large", "").Code; got != 200 {
			t.Fatalf("the first response to %q: %d", who, got)
		}
		for path, want := range map[string]int{"/api/v/small": 429, "/api/v/health": 200, "/api/v/inbox": 429} {
			if got := y.do(who, "GET", path, "").Code; got != want && (who != "" || path != "/api/v/inbox") {
				t.Errorf("%s to %q, who took too much: %d, want %d", path, who, got, want)
			}
		}
	}
	for _, r := range y.Routes() {
		if documented := slices.Contains(r.errorStatuses(), 429); documented == (r.Path == "/api/v/health") {
			t.Errorf("%s %s: 429 is documented: %v", r.Method, r.Path, documented)
		}
	}
}
