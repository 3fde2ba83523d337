package app_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app"
)

// mcpServer serves a copy of w on a port until the function that it returns is
// called.
func mcpServer(t *testing.T) (w *world, base string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base = "http://" + ln.Addr().String()
	first := newWorld(t)
	w = first.copy(t, first.snapshot(), func(c *app.Config) { c.BaseURL = base })
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.app.Run(ctx, ln) }()
	return w, base, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize",` +
	`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends a message of the older revision.
func post(t *testing.T, base, session, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequest("POST", base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = mcpHeader()
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A client of each revision uses the tools on a real server: the newer one without
// a session, the older one with one. Its stream ends when the server stops, which no
// connection without a request delays.
func TestMCPRevisions(t *testing.T) {
	w, base, stop := mcpServer(t)
	stopped := false
	defer func() {
		if !stopped {
			stop()
		}
	}()
	made := w.json("ada", "POST", "/api/lists", `{"title":"Seen","visibility":"public"}`)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: base + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().ProtocolVersion; got != "2026-07-28" || session.ID() != "" {
		t.Errorf("revision %s, session %q", got, session.ID())
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_list", Arguments: map[string]any{"list_id": idIn(t, made.body)}})
	if err != nil || res.IsError {
		t.Errorf("%v %+v", err, res)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}

	begun := post(t, base, "", initialize)
	id := begun.Header.Get("Mcp-Session-Id")
	if text := bodyOf(t, begun); id == "" || !strings.Contains(text, `"protocolVersion":"2025-11-25"`) {
		t.Fatalf("%q %s", id, text)
	}
	bodyOf(t, post(t, base, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if text := bodyOf(t, post(t, base, id,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_lists","arguments":{"q":"seen"}}}`)); !strings.Contains(text,
		`"Seen"`) {
		t.Errorf("%s", text)
	}
	req, err := http.NewRequest("GET", base+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = mcpHeader()
	req.Header.Set("Mcp-Session-Id", id)
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	stream, err := http.DefaultClient.Do(req)
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("%v %v", err, stream)
	}
	defer stream.Body.Close()
	ended := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		}
		close(ended)
	}()
	silent, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")) // as browsers do in advance
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	start := time.Now()
	stop()
	stopped = true
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the stream did not end with the server")
	}
	t.Logf("stopped after %s", time.Since(start))
	if strings.Contains(w.log.String(), "not answered in time") {
		t.Error("the stream or an unused connection held up the stop of the server")
	}
}

// from sends a message from an address.
func (w *world) from(address, who, body string) *httptest.ResponseRecorder {
	w.t.Helper()
	req := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	req.Header, req.RemoteAddr, req.Host = mcpHeader(), address+":1234", "hearth.test"
	if who != "anonymous" {
		req.Header.Set("Authorization", "Bearer "+w.token(who))
	}
	res := httptest.NewRecorder()
	w.h.ServeHTTP(res, req)
	return res
}

// begin sends what begins a session, from an address, and returns the session's id;
// "" if the client works without one.
func (w *world) begin(who, address string) string {
	w.t.Helper()
	res := w.from(address, who, initialize)
	if res.Code != 200 || !strings.Contains(res.Body.String(), "protocolVersion") {
		w.t.Fatalf("%d %s", res.Code, res.Body)
	}
	return res.Header().Get("Mcp-Session-Id")
}

// A session belongs to the account that began it: others can neither use nor end it, if
// they have its id.
func TestMCPSessionsAreOfAnAccount(t *testing.T) {
	w := newWorld(t)
	h := mcpHeader()
	h.Set("Mcp-Session-Id", w.begin("ada", "203.0.113.1"))
	h.Set("Mcp-Protocol-Version", "2025-11-25")
	ping := func(who string) int {
		return w.do(who, "POST", "/mcp", h.Clone(), `{"jsonrpc":"2.0","id":2,"method":"ping"}`).status
	}
	for _, who := range []string{"ben", "ben/rw", "anonymous", "public"} {
		if status := ping(who); status != 403 {
			t.Errorf("%s uses it: %d", who, status)
		}
		if res := w.do(who, "DELETE", "/mcp", h.Clone(), ""); res.status != 403 {
			t.Errorf("%s ends it: %d", who, res.status)
		}
	}
	for _, who := range []string{"ada", "ada/rw"} {
		if status := ping(who); status != 200 {
			t.Errorf("%s: %d", who, status)
		}
	}
	if res := w.do("ada", "DELETE", "/mcp", h.Clone(), ""); res.status != 204 {
		t.Errorf("its owner ends it: %d", res.status)
	}
}

// A session that began without a key is not used with one: whoever has its id can listen.
func TestMCPSessionWithoutAKey(t *testing.T) {
	w := newWorld(t)
	id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Private"}`, 201, "").body)
	for began, status := range map[string]string{"anonymous": "session user mismatch", "ada": `"result":{}`} {
		h := mcpHeader()
		h.Set("Mcp-Session-Id", w.begin(began, "203.0.113.1"))
		h.Set("Mcp-Protocol-Version", "2025-11-25")
		res := w.do("ada", "POST", "/mcp", h, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"lists://list/`+id+`"}}`)
		if !strings.Contains(string(res.body), status) {
			t.Errorf("begun by %s: %d %s", began, res.status, res.body)
		}
	}
}

// What a key did with tools stands in its activity.
func TestToolsAreInTheActivityOfAKey(t *testing.T) {
	w := newWorld(t)
	w.tool("ada/rw", "create_list", `{"title":"T"}`)
	w.tool("ada/rw", "create_list", `{}`)
	keys := w.json("ada", "GET", "/api/agent-keys", "")
	id := idIn(t, []byte(strings.Trim(strings.TrimSpace(string(keys.body)), "[]")))
	activity := string(w.json("ada", "GET", "/api/agent-keys/"+id+"/activity", "").body)
	if strings.Count(activity, `"operation":"Create a list"`) != 2 || !strings.Contains(activity, `"failed":true`) {
		t.Errorf("%s", activity)
	}
}

// A tool that is called too often says when to call it again.
func TestToolSaysWhenToTryAgain(t *testing.T) {
	w := newWorld(t)
	call := func() response { return w.tool("anonymous", "browse_url", `{"url":"http://127.0.0.1/"}`) }
	for range 30 {
		if res := call(); codeIn(t, res) != "blocked_url" {
			t.Fatalf("%d %s", res.status, res.body)
		}
	}
	if res := call(); codeIn(t, res) != "too_many_requests" || !strings.Contains(res.raw, "Try again in 2 seconds.") ||
		!strings.Contains(res.raw, `"retryAfter":2`) {
		t.Errorf("%d %s", res.status, res.raw)
	}
	// Another network has its own 30, also over MCP.
	res := w.from("198.51.100.1", "anonymous",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browse_url","arguments":{"url":"http://127.0.0.1/"}}}`)
	if !strings.Contains(res.Body.String(), "blocked_url") {
		t.Errorf("from another network: %d %s", res.Code, res.Body)
	}
}
