package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Requests of other sites' pages, with other names of the server, too large or
// with a credential that is not valid are refused before they are read. Whatever is not an
// answer of the protocol has the form of all errors.
func TestMCPRefusals(t *testing.T) {
	w := newWorld(t)
	list, unknown := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/\"none\""}`
	for name, tc := range map[string]struct {
		method, who, body string
		header            map[string]string
		want              int
	}{
		"fine":         {"POST", "anonymous", list, nil, 200},
		"same origin":  {"POST", "anonymous", list, map[string]string{"Origin": "http://hearth.test"}, 200},
		"other origin": {"POST", "ada", list, map[string]string{"Origin": "https://evil.example"}, 403},
		"bad origin":   {"POST", "anonymous", list, map[string]string{"Origin": "null"}, 403},
		"bad key":      {"POST", "bad", list, nil, 401},
		"no json":      {"POST", "anonymous", "hello", nil, 400},
		"empty":        {"POST", "anonymous", "", nil, 400},
		"form":         {"POST", "anonymous", list, map[string]string{"Content-Type": "text/plain"}, 415},
		"too large":    {"POST", "anonymous", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 300<<10) + `"}`, nil, 413},
		"batch":        {"POST", "anonymous", "[" + list + "," + list + "]", nil, 400},
		"old batch":    {"POST", "anonymous", " [" + list + "]", map[string]string{"Mcp-Protocol-Version": "2025-03-26"}, 400},
		"put":          {"PUT", "anonymous", list, nil, 405},
		"no session":   {"GET", "anonymous", "", nil, 400},
		"end none":     {"DELETE", "anonymous", "", nil, 400},
		"old session":  {"POST", "anonymous", list, map[string]string{"Mcp-Session-Id": "gone"}, 404},
		"method":       {"POST", "anonymous", unknown, nil, 400},
		"a call":       {"POST", "anonymous", `{"jsonrpc":"2.0","method":"tools/list"}`, nil, 400},
		"old listen":   {"POST", "anonymous", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`, nil, 400},
		"accept":       {"POST", "anonymous", list, map[string]string{"Accept": "text/plain"}, 400},
		"revision":     {"POST", "anonymous", list, map[string]string{"Mcp-Protocol-Version": "2020-01-01"}, 400},
		"two keys":     {"POST", "ada", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_list","name":"x"}}`, nil, 200},
	} {
		h := mcpHeader()
		for k, v := range tc.header {
			h.Set(k, v)
		}
		res := w.do(tc.who, tc.method, "/mcp", h, tc.body)
		if res.status != tc.want {
			t.Errorf("%s: %d, want %d: %s", name, res.status, tc.want, res.body)
		}
		var e struct{ Error, Code string }
		ours := slices.Contains([]int{401, 403, 413}, tc.want)
		if err := json.Unmarshal(res.body, &e, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true)); ours &&
			(err != nil || e.Code == "" || !strings.HasSuffix(e.Error, ".") || res.header.Get("Content-Type") != "application/json") {
			t.Errorf("%s: %v, %s: %s", name, err, res.header.Get("Content-Type"), res.body)
		}
	}
	newer := mcpHeader()
	newer.Set("Mcp-Protocol-Version", "2026-07-28")
	newer.Set("Mcp-Method", "tools/none")
	if res := w.do("anonymous", "POST", "/mcp", newer, strings.ReplaceAll(unknown, `\"`, "")); res.status != 404 ||
		!strings.Contains(string(res.body), `"jsonrpc":"2.0"`) {
		t.Errorf("an error of the protocol: %d %s", res.status, res.body)
	}
}
