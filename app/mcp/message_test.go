package mcp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/browse"
	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/store"
)

// repeated returns an array of about so many bytes.
func repeated(value string, bytes int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(value+",", bytes/(len(value)+1)), ",") + "]"
}

// values are those of which a few bytes take much memory once they are decoded.
var values = []string{`{"":0}`, `{"a":{}}`, `{}`, `[]`, `[0]`, `0`, `""`, `null`, `{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0}`}

// What a message takes is counted before it is decoded, and no less than it takes.
func TestSizeOfMessages(t *testing.T) {
	const size = 12 << 10
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for _, value := range values {
		body := []byte(`{"_meta":{"x":` + repeated(value, size) + `}}`)
		_, counted := measure([]byte(repeated(value, 600)))
		var results [4]mcp.CallToolResult
		before := heap()
		for n := range results {
			if err := results[n].UnmarshalJSON(body); err != nil {
				t.Fatal(err)
			}
		}
		took := float64(heap()-before) / float64(len(results)*size)
		runtime.KeepAlive(results)
		if per := float64(counted) / 600; per < 0.8*took {
			t.Errorf("%s: %.1f bytes are counted for one, it takes %.1f", value, per, took)
		}
	}
}

// A message that would take much is refused before it is decoded, wherever it has it.
func TestMessagesThatBecomeLarge(t *testing.T) {
	for place, body := range map[string]string{
		"id":                       `{"jsonrpc":"2.0","id":X,"method":"ping"}`,
		"another member":           `{"jsonrpc":"2.0","id":1,"method":"ping","error":{"data":X}}`,
		"result":                   `{"jsonrpc":"2.0","id":1,"result":X}`,
		"_meta":                    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":X}}}`,
		"_meta of a call":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","_meta":{"a":X},"arguments":{}}}`,
		"_meta after arguments":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":[],"_meta":{"a":X}}}`,
		"capabilities":             `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"},"capabilities":{"experimental":{"a":X}}}}`,
		"a stream":                 `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"a":X}}}`,
		"arguments of a prompt":    `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"curate_list","arguments":X}}`,
		"params twice":             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":X},"params":{}}`,
		"arguments of another":     `{"jsonrpc":"2.0","id":1,"method":"tools/call","arguments":X,"params":{}}`,
		"arguments within":         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":{"arguments":X}}}`,
		"params as an array":       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["arguments",X]}`,
		"the arguments of a tool":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"a":X}}}`,
		"arguments, named escaped": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","argum\u0065nts":{"a":X}}}`,
	} {
		for _, value := range values {
			if _, err := messageOf([]byte(strings.Replace(body, "X", repeated(value, 240<<10), 1))); !core.IsKind(err, core.TooLarge) {
				t.Errorf("%s: %s: %v", place, value, err)
			}
		}
	}
}

// What clients send is not refused: descriptions of themselves, as many subscriptions as
// a session may have, and the largest calls of tools.
func TestMessagesOfClients(t *testing.T) {
	const client = `{"name":"A client","title":"A client with a title","version":"1.2.3","description":"Says what it is for in a sentence or two.","websiteUrl":"https://client.example","icons":[{"src":"https://client.example/icon.png","mimeType":"image/png","sizes":["48x48","96x96"]},{"src":"https://client.example/icon.svg","mimeType":"image/svg+xml","sizes":["any"]}]}`
	const capabilities = `{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"experimental":{"one":{"enabled":true},"two":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` + client + `,"io.modelcontextprotocol/clientCapabilities":` + capabilities + `,"progressToken":7,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`
	list := `"` + listPrefix + `00000000-0000-4000-8000-00000000dead"`
	item := `{"content":"` + strings.Repeat("x", 1200) + `","url":"https://example.org/","metadata":{` + strings.TrimSuffix(strings.Repeat(`"key":{"of":["words",1,2,3]},`, 10), ",") + `}}`
	for method, params := range map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","clientInfo":` + client + `,"capabilities":` + capabilities + `,"_meta":` + meta + `}`,
		listen:       `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":` + repeated(list, maxSubscriptions*(len(list)+1)) + `},"_meta":` + meta + `}`,
		callTool:     `{"name":"create_item","arguments":{"list_id":"00000000-0000-4000-8000-00000000dead","items":` + repeated(item, 100*(len(item)+1)) + `},"_meta":` + meta + `}`,
	} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"00000000-0000-4000-8000-00000000dead","method":%q,"params":%s}`, method, params)
		if m, err := messageOf([]byte(body)); err != nil || kept[method] && m.Size > middleware.FreeBytes {
			t.Errorf("%s, %d bytes: %d bytes of memory, %v", method, len(body), m.Size, err)
		}
	}
}

// Params of another type than a method has are refused in a few words, which repeat
// nothing of them.
func TestParamsOfAnotherType(t *testing.T) {
	long := strings.Repeat("\\u0001", 20<<10)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":["repeat"]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["repeat"]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"repeat"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["x"],"arguments":{"a":"` + long + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":[],"arguments":{"a":"` + long + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","requestState":7,"arguments":{"a":"` + long + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","inputResponses":{"a":7},"arguments":{"a":"` + long + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7,"name":"x","arguments":{"a":"` + long + `"}}}`,
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 257) + `","method":"ping"}`,
	} {
		_, err := messageOf([]byte(body))
		if !core.IsKind(err, core.Invalid) || len(err.Error()) > 300 || strings.Contains(err.Error(), "repeat") {
			t.Errorf("%.120s: %.300v", body, err)
		}
	}
	for _, params := range []string{`null`, `{}`, `{"name":"x","arguments":7}`, `{"name":"x","_meta":null,"requestState":null}`} {
		if _, err := messageOf([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)); err != nil {
			t.Errorf("%s: %v", params, err)
		}
	}
}

// A message takes its memory until it is answered, however small the answer is.
func TestMessageTakesItsMemory(t *testing.T) {
	stack, err := middleware.New(middleware.Config{Bounds: middleware.Bounds{Bytes: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	during := func(w http.ResponseWriter) (left error) {
		h := func(other http.ResponseWriter, _ *http.Request) { left = middleware.Reserve(other, 700<<10) }
		stack.Handler(http.HandlerFunc(h), nil).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		return left
	}
	stack.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := during(w); err != nil {
			t.Error(err)
		}
		m, err := readMessage(w, r)
		if err != nil {
			t.Fatal(err)
		}
		if during(w) == nil {
			t.Error("nothing is taken for the message")
		}
		if _, err := (&streamWriter{ResponseWriter: w, rc: http.NewResponseController(w), size: m.Size}).Write([]byte("answer")); err != nil {
			t.Fatal(err)
		}
		if during(w) == nil {
			t.Error("nothing is taken for the message while it is answered")
		}
	}), nil).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"a":`+repeated(`{"":0}`, 12<<10)+`}}}`)))
}

// anybody takes every caller for a guest.
type anybody struct{}

func (anybody) Caller(*http.Request) (store.Viewer, error) { return store.Viewer{}, nil }

func (anybody) TokenCaller(context.Context, string) (store.Viewer, error) { return store.Viewer{}, nil }

func (anybody) Used(store.Viewer, string, bool) {}

// A message that asks for nothing takes the memory that the SDK needs for it.
func TestHandlingTakesMemory(t *testing.T) {
	stack, err := middleware.New(middleware.Config{Bounds: middleware.Bounds{Bytes: handlingCost + 1000}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{List: list.Described(), Browse: browse.New(nil, nil, time.Now), BaseURL: "http://localhost", Auth: anybody{}, Stack: stack})
	if err != nil {
		t.Fatal(err)
	}
	ping := func() int {
		r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res := httptest.NewRecorder()
		s.ServeHTTP(res, r)
		return res.Code
	}
	for range 2 {
		if got := ping(); got != 200 {
			t.Errorf("alone: %d", got)
		}
	}
	stack.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := middleware.RecorderOf(w).Occupy(2000); err != nil {
			t.Error(err)
		}
		if got := ping(); got != 503 {
			t.Errorf("beside a request that leaves too little: %d", got)
		}
	}), nil).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// What the SDK answers with an internal error is in the log, under the id that the client
// is told, and not in the response.
func TestInternalErrorsOfTheSDK(t *testing.T) {
	var log bytes.Buffer
	stack, err := middleware.New(middleware.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	res := httptest.NewRecorder()
	stack.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(&streamWriter{ResponseWriter: w, rc: http.NewResponseController(w)}, "failed connection", http.StatusInternalServerError)
	}), nil).ServeHTTP(res, httptest.NewRequest("POST", "/mcp", nil))
	var got struct{ Error, Code, RequestID string }
	if err := json.Unmarshal(res.Body.Bytes(), &got, json.MatchCaseInsensitiveNames(true)); err != nil || res.Code != 500 || got.Code != "internal" || got.RequestID == "" || strings.Contains(got.Error, "failed") {
		t.Errorf("%d %s, %v", res.Code, res.Body, err)
	}
	if !strings.Contains(log.String(), got.RequestID) || !strings.Contains(log.String(), "failed connection") {
		t.Errorf("the log has %s", &log)
	}
}
