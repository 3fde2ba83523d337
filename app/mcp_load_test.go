package app_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// largeList makes a public list that is long as a resource, and returns its URI.
func largeList(w *world) string {
	w.t.Helper()
	id := idIn(w.t, w.want("ada", "POST", "/api/lists", `{"title":"Large","visibility":"public"}`, 201, "").body)
	items := strings.TrimSuffix(strings.Repeat(`{"content":"`+strings.Repeat("<", 1900)+`"},`, 100), ",")
	for range 5 {
		w.want("ada", "POST", "/api/lists/"+id+"/items/batch", `{"items":[`+items+`]}`, 201, "")
	}
	return "lists://list/" + id
}

// A stream ends with its client: the server does not go on with it.
func TestMCPStreamEndsWithItsClient(t *testing.T) {
	w, base, stop := mcpServer(t)
	defer stop()
	id := idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Open","visibility":"public"}`, 201, "").body)
	before := runtime.NumGoroutine()
	for range 20 {
		listening(t, base, "", id).Body.Close()
	}
	for left := time.Now().Add(patience); runtime.NumGoroutine() > before+5; time.Sleep(10 * time.Millisecond) {
		if http.DefaultClient.CloseIdleConnections(); time.Now().After(left) {
			t.Fatalf("%d goroutines are left of 20 streams, %d before them", runtime.NumGoroutine(), before)
		}
	}
}

// A resource shows so much of a long list, and says how to read the rest.
func TestMCPLargeLists(t *testing.T) {
	w := newWorld(t)
	uri := largeList(w)
	raw, rpcErr := w.rpc("anonymous", "resources/read", map[string]any{"uri": uri})
	text := string(raw)
	if rpcErr != "" || len(raw) > 3<<20 {
		t.Errorf("%d bytes, %s", len(raw), rpcErr)
	}
	if _, rest, _ := strings.Cut(text, "more items: read them with list_items, offset "); !strings.HasPrefix(rest,
		fmt.Sprintf("%d.", strings.Count(text, "   `"))) {
		t.Errorf("%d items are shown, and the rest from %.10s", strings.Count(text, "   `"), rest)
	}
}

const heldParams = `"params":{"_meta":META,"notifications":{"resourceSubscriptions":["URI"]}}`

// heldBodies are requests to listen as clients might write them.
var heldBodies = map[string]struct{ version, body string }{
	"as it should be": {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",` + heldParams + `}`},
	"name a number": {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",` +
		`"params":{"name":5,"_meta":META,"notifications":{"resourceSubscriptions":["URI"]}}}`},
	"name an object": {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",` +
		`"params":{"name":{},"_meta":META,"notifications":{"resourceSubscriptions":["URI"]}}}`},
	"no UTF-8": {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","x":"` + "\xff" +
		`",` + heldParams + `}`},
	"params twice":   {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":[1],` + heldParams + `}`},
	"method twice":   {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"subscriptions/listen",` + heldParams + `}`},
	"method escaped": {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions\u002flisten",` + heldParams + `}`},
	"Method too":     {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","Method":"ping",` + heldParams + `}`},
}

// However a request to listen is written, it is a stream: a client has at most 30 of
// them, and they end with their key.
func TestMCPStreamsAreHeld(t *testing.T) {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	w, base, stop := mcpServer(t)
	defer stop()
	id := idIn(t, w.want("ben", "POST", "/api/lists", `{"title":"Open","visibility":"public"}`, 201, "").body)
	for name, tc := range heldBodies {
		t.Run(name, func(t *testing.T) {
			var key struct{ ID, Key string }
			w.read(w.want("ben", "POST", "/api/agent-keys", `{"name":"k"}`, 201, ""), 201, &key)
			client := &http.Client{Transport: withToken(key.Key)}
			h := mcpHeader()
			h.Set("Mcp-Protocol-Version", tc.version)
			h.Set("Mcp-Method", "subscriptions/listen")
			ended, open, last := make(chan struct{}, 40), 0, ""
			for n := range 31 {
				body := strings.NewReplacer("META", meta, "URI", "lists://list/"+id, "ID", fmt.Sprint(n+5)).Replace(tc.body)
				res := send(t, client, "POST", base, h, body)
				if last = res.Status; res.StatusCode != 200 {
					res.Body.Close()
					break
				}
				open++
				go func() {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					ended <- struct{}{}
				}()
			}
			if open != 30 || !strings.HasPrefix(last, "429") {
				t.Errorf("%d streams are open, the last: %s", open, last)
			}
			w.want("ben", "DELETE", "/api/agent-keys/"+key.ID, "", 204, "")
			late := time.After(5 * time.Second)
			for n := range open {
				select {
				case <-ended:
				case <-late:
					t.Fatalf("%d of %d streams go on without their key", open-n, open)
				}
			}
		})
	}
}

// The stream of a session ends with the key that opened it.
func TestMCPStreamOfASessionEndsWithItsKey(t *testing.T) {
	w, base, stop := mcpServer(t)
	defer stop()
	var key struct{ ID, Key string }
	w.read(w.want("ben", "POST", "/api/agent-keys", `{"name":"k"}`, 201, ""), 201, &key)
	client := &http.Client{Transport: withToken(key.Key), Timeout: 5 * time.Second}
	h := mcpHeader()
	h.Set("Mcp-Protocol-Version", "2025-11-25")
	h.Set("Mcp-Session-Id", beginsWith(t, client, base))
	res := send(t, client, "GET", base, h, "")
	defer res.Body.Close()
	if res.StatusCode != 200 {
		t.Fatal(res.Status)
	}
	w.want("ben", "DELETE", "/api/agent-keys/"+key.ID, "", 204, "")
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
}

// beginsWith begins a session by a client, and returns its id.
func beginsWith(t *testing.T, client *http.Client, base string) string {
	t.Helper()
	res := send(t, client, "POST", base, mcpHeader(), initialize)
	bodyOf(t, res)
	return res.Header.Get("Mcp-Session-Id")
}

func send(t *testing.T, client *http.Client, method, base string, h http.Header, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h.Clone()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
