package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/middleware"
)

// recorded handles a request with a Recorder as middleware does.
func recorded(t *testing.T, b middleware.Bounds, h func(w http.ResponseWriter, r *http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	stack, err := middleware.New(middleware.Config{Bounds: b})
	if err != nil {
		t.Fatal(err)
	}
	res := httptest.NewRecorder()
	stack.Handler(http.HandlerFunc(h), func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) }).
		ServeHTTP(res, httptest.NewRequest("POST", "/mcp", strings.NewReader("{}")))
	return res
}

type testKey struct{}

// A message has the values of its own request first, whatever connection it came over, and
// ends with that request, with the message, and no sooner.
func TestContextOfAMessage(t *testing.T) {
	s := &Server{}
	recorded(t, middleware.Bounds{}, func(w http.ResponseWriter, r *http.Request) {
		client, leave := context.WithCancel(context.WithValue(r.Context(), testKey{}, "own"))
		given, end := s.exchange(middleware.RecorderOf(w), r.WithContext(client), message{})
		connection, cancel := context.WithCancel(context.WithValue(t.Context(), testKey{}, "of the first request"))
		defer cancel()
		extra := &mcp.RequestExtra{Header: given.Header}
		ctx, x, done := s.own(connection, extra)
		canceled, _, _ := s.own(connection, extra)
		if ctx.Value(testKey{}) != "own" || ctx.Err() != nil || x.ctx != client {
			t.Errorf("%v %v", ctx.Value(testKey{}), ctx.Err())
		}
		leave()
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
			t.Error("it goes on without its client")
		}
		if given.Context().Err() != nil {
			t.Error("the SDK does not wait for the message")
		}
		done()
		cancel()
		if canceled.Err() == nil {
			t.Error("it goes on though it was canceled")
		}
		end()
		if _, x, _ := s.own(connection, extra); x != nil {
			t.Error("its exchange is left")
		}
	})
}

// A message for which there is no memory is not sent.
func TestMemoryOfAMessage(t *testing.T) {
	for size, status := range map[int]int{1000: 200, 1 << 20: 503} {
		res := recorded(t, middleware.Bounds{Bytes: 1 << 20}, func(w http.ResponseWriter, _ *http.Request) {
			_, err := (&streamWriter{ResponseWriter: w, rc: http.NewResponseController(w)}).Write(make([]byte, size))
			if (err == nil) != (status == 200) {
				t.Error(err)
			}
		})
		if res.Code != status {
			t.Errorf("%d bytes: %d %.200s", size, res.Code, res.Body)
		}
	}
}

// Who made a change whose result cannot be sent is told that it was made, and not to try
// again.
func TestUnsentResults(t *testing.T) {
	for readOnly, want := range map[bool]string{true: "busy", false: "Do not call it again"} {
		s := &Server{tools: map[string]*tool{"work": {Tool: Tool{Name: "work"}, schema: &mcp.Tool{Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}}}}}
		recorded(t, middleware.Bounds{Bytes: 1 << 20}, func(w http.ResponseWriter, r *http.Request) {
			given, end := s.exchange(middleware.RecorderOf(w), r, message{})
			defer end()
			large := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", 1<<20)}}}
			h := s.receive(func(context.Context, string, mcp.Request) (mcp.Result, error) { return large, nil })
			res, err := h(r.Context(), "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "work"}, Extra: &mcp.RequestExtra{Header: given.Header}})
			if err != nil {
				t.Fatal(err)
			}
			got := res.(*mcp.CallToolResult)
			if text := got.Content[0].(*mcp.TextContent).Text; !got.IsError || !strings.Contains(text, want) || !readOnly && strings.Contains(text, "Try again") {
				t.Errorf("read-only %v: %.200s", readOnly, text)
			}
		})
	}
}

// A call that failed is told so when its client is gone, and not that it was done.
func TestErrorsOfClientsThatAreGone(t *testing.T) {
	s := &Server{tools: map[string]*tool{"work": {Tool: Tool{Name: "work"}, schema: &mcp.Tool{Annotations: &mcp.ToolAnnotations{}}}}}
	recorded(t, middleware.Bounds{}, func(w http.ResponseWriter, r *http.Request) {
		client, leave := context.WithCancel(r.Context())
		given, end := s.exchange(middleware.RecorderOf(w), r.WithContext(client), message{})
		defer end()
		h := s.receive(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
			leave()
			return s.failed(ctx, s.tools["work"], client.Err()), nil
		})
		res, err := h(r.Context(), "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "work"}, Extra: &mcp.RequestExtra{Header: given.Header}})
		if err != nil {
			t.Fatal(err)
		}
		got := res.(*mcp.CallToolResult)
		if text := got.Content[0].(*mcp.TextContent).Text; !got.IsError || !strings.Contains(text, "(canceled)") {
			t.Errorf("%.200s", text)
		}
	})
}
