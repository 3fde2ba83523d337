package app_test

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// rpc sends a request of the protocol as one of the cast, and returns the
// message that answers it.
func (w *world) rpc(who, method string, params any) (result jsontext.Value, rpcErr string) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}
	res := w.do(who, "POST", "/mcp", mcpHeader(), string(body))
	var m struct {
		Result jsontext.Value `json:"result"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(lastData(res.body), &m); err != nil || res.status != 200 {
		w.t.Fatalf("%s: %d %s: %v", method, res.status, res.body, err)
	}
	return m.Result, m.Error.Message
}

func mcpHeader() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
}

// lastData returns the data of the last event of a stream, or a body that is not a stream.
func lastData(body []byte) []byte {
	i := bytes.LastIndex(body, []byte("data: "))
	if i < 0 {
		return body
	}
	return bytes.TrimSpace(body[i+len("data: "):])
}

// toolResult is what a tool returns.
type toolResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured jsontext.Value `json:"structuredContent"`
	IsError    bool           `json:"isError"`
	Meta       struct {
		Error struct {
			Code       string `json:"code"`
			Field      string `json:"field,omitzero"`
			RetryAfter int    `json:"retryAfter,omitzero"`
		} `json:"hearth/error"`
	} `json:"_meta"`
}

// tool calls a tool. The status of the response is 200 or, if the result is an
// error, 400, and its body the structured result or the error. The result has to
// fit the schema of the tool, and its text the structured result.
func (w *world) tool(who, name, args string) response {
	w.t.Helper()
	if args == "" {
		args = "{}"
	}
	raw, rpcErr := w.rpc(who, "tools/call", map[string]any{"name": name, "arguments": jsontext.Value(args)})
	if rpcErr != "" {
		w.t.Fatalf("%s: %s", name, rpcErr)
	}
	var r toolResult
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		w.t.Fatalf("%s: %v: %s", name, err, raw)
	}
	if r.IsError {
		shown := map[string]string{"error": r.Content[0].Text, "code": r.Meta.Error.Code}
		if r.Meta.Error.Field != "" {
			shown["field"] = r.Meta.Error.Field
		}
		body, err := json.Marshal(shown, json.Deterministic(true))
		if err != nil || !strings.HasSuffix(r.Content[0].Text, " ("+r.Meta.Error.Code+")") {
			w.t.Fatalf("%s: %v: %s", name, err, raw)
		}
		return response{status: 400, body: body, raw: string(raw)}
	}
	text, structured := jsontext.Value(r.Content[0].Text), r.Structured.Clone()
	if text.Canonicalize() != nil || structured.Canonicalize() != nil || !bytes.Equal(text, structured) {
		w.t.Errorf("%s: the text is not the structured result:\n%s\n%s", name, text, structured)
	}
	w.fitsTool(name, r.Structured)
	return response{status: 200, body: r.Structured, raw: string(raw)}
}

// fitsTool fails the test if a result does not fit the tool's output schema.
func (w *world) fitsTool(name string, result jsontext.Value) {
	w.t.Helper()
	schema := w.app.MCP().Described()[name].OutputSchema.(*jsonschema.Schema)
	resolved, err := schema.CloneSchemas().Resolve(nil)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	var v any
	if err := stdjson.Unmarshal(result, &v); err != nil {
		w.t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil {
		w.t.Errorf("%s: the result does not fit its schema: %v\n%s", name, err, result)
	}
}

// toolNames are the tools of the contract and the arguments that it names.
var toolNames = map[string][]string{
	"search_lists": nil, "search": nil, "list_lists": nil, "get_list": {"list_id"},
	"list_items": {"list_id", "api_key"}, "get_item": {"item_id", "api_key"}, "list_my_lists": {"api_key"}, "browse_url": {"url"},
	"create_list": {"api_key", "title", "description", "visibility"}, "create_item": {"api_key", "list_id", "items"},
	"update_item": {"api_key", "item_id", "content", "link", "metadata", "source_note", "position"},
	"update_list": {"api_key", "list_id", "title", "description", "visibility"}, "delete_item": {"api_key", "item_id"},
	"star_item": {"api_key", "item_id"}, "unstar_item": {"api_key", "item_id"},
}

// toolHints are the annotations that are true, of the tools that have any.
var toolHints = map[string]string{
	"search_lists": "idempotentHint readOnlyHint", "search": "idempotentHint readOnlyHint", "list_lists": "idempotentHint readOnlyHint",
	"get_list": "idempotentHint readOnlyHint", "list_items": "idempotentHint readOnlyHint", "get_item": "idempotentHint readOnlyHint",
	"list_my_lists": "idempotentHint readOnlyHint", "browse_url": "idempotentHint openWorldHint readOnlyHint",
	"update_item": "idempotentHint", "update_list": "idempotentHint", "star_item": "idempotentHint", "unstar_item": "idempotentHint",
	"delete_item": "destructiveHint",
}

// Every tool of the contract is listed once, with its arguments, all four
// annotations and both schemas, and all of them in 12 KB: models read the list
// with each request.
func TestToolsAreListed(t *testing.T) {
	w := newWorld(t)
	raw, _ := w.rpc("anonymous", "tools/list", nil)
	if t.Logf("the list of tools has %d bytes", len(raw)); len(raw) > 12<<10 {
		t.Error("the list of tools is larger than 12 KB")
	}
	var list struct {
		Tools []struct {
			Name, Title, Description string
			InputSchema              struct {
				Properties           map[string]any
				AdditionalProperties any
			}
			OutputSchema struct {
				Type       string
				Properties map[string]any
			}
			Annotations map[string]any
		}
	}
	if err := json.Unmarshal(raw, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tool := range list.Tools {
		args, ok := toolNames[tool.Name]
		if !ok || seen[tool.Name] {
			t.Errorf("%s is not one of the contract, or twice in the list", tool.Name)
		}
		seen[tool.Name] = true
		for _, a := range args {
			if tool.InputSchema.Properties[a] == nil {
				t.Errorf("%s has no argument %s", tool.Name, a)
			}
		}
		if hints := slices.Sorted(maps.Keys(tool.Annotations)); !slices.Equal(hints,
			[]string{"destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"}) {
			t.Errorf("%s: the annotations are %v", tool.Name, hints)
		}
		hints := slices.Sorted(maps.Keys(tool.Annotations))
		if hints = slices.DeleteFunc(hints, func(h string) bool { return tool.Annotations[h] == false }); strings.Join(hints,
			" ") != toolHints[tool.Name] {
			t.Errorf("%s: the hints are %v, want %s", tool.Name, hints, toolHints[tool.Name])
		}
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema.Type != "object" || len(tool.OutputSchema.Properties) == 0 ||
			tool.InputSchema.AdditionalProperties != false {
			t.Errorf("%s is described incompletely: %+v", tool.Name, tool)
		}
	}
	if len(seen) != len(toolNames) {
		t.Errorf("%d tools of %d are listed", len(seen), len(toolNames))
	}
}

// A caller sees the tools that its credential may call.
func TestToolsAreCutToTheKey(t *testing.T) {
	w := newWorld(t)
	writes := []string{"create_item", "create_list", "delete_item", "star_item", "unstar_item", "update_item", "update_list"}
	for who, missing := range map[string][]string{
		"anonymous": {}, "ada": {}, "ada/list": {}, "ada/rw": {}, "ada/embedded": {},
		"public": append([]string{"list_my_lists"}, writes...), "ada/read": writes,
		"ada/write": {"browse_url", "get_item", "get_list", "list_items", "list_lists", "list_my_lists", "search", "search_lists"},
	} {
		var got []string
		for name := range toolNames {
			if !w.lists(who, name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		slices.Sort(missing)
		if !slices.Equal(got, missing) {
			t.Errorf("%s: %v are missing, want %v", who, got, missing)
		}
	}
}

// The key of a call comes before that of the connection, and one that is not
// valid is not replaced by it. No result repeats a key.
func TestKeyOfACall(t *testing.T) {
	w := newWorld(t)
	call := func(who, name, args string) response {
		t.Helper()
		res := w.tool(who, name, args)
		for of, token := range w.tokens {
			if of != "public" && strings.Contains(res.raw, token) {
				t.Errorf("%s: the result has the key of %s: %s", name, of, res.raw)
			}
		}
		return res
	}
	key := func(who string) string { return `"api_key":"` + w.token(who) + `"` }
	made := call("anonymous", "create_list", `{"title":"Ada's","visibility":"private",`+key("ada/list")+`}`)
	if made.status != 200 || !strings.Contains(made.raw, w.cast.Ada.ID) {
		t.Fatalf("%d %s", made.status, made.body)
	}
	id := `{"list_id":"` + idIn(t, made.body) + `",`
	for _, tc := range []struct{ who, name, args, code string }{
		{"anonymous", "get_list", id + key("ada/list") + `}`, ""},
		{"ben", "get_list", id + key("ada/list") + `}`, ""},
		{"ada", "get_list", id + key("ben/list") + `}`, "not_found"},
		{"ada", "get_list", id + key("bad") + `}`, "invalid_api_key"},
		{"ada", "get_list", id + `"api_key":""}`, "invalid_input"},
		{"ada", "get_list", id + `"api_key":7}`, "invalid_input"},
		{"ada", "get_list", id + `"api_key":null}`, ""},
		{"ada", "get_list", id + `"api_key":"` + strings.Repeat("k", 5000) + `"}`, "invalid_api_key"},
		{"ada", "update_list", id + `"title":"T",` + key("public") + `}`, "public_key"},
		{"ada", "create_list", `{"title":"T",` + key("ada/read") + `}`, "missing_scope"},
		{"ada", "list_my_lists", `{` + key("bad") + `}`, "invalid_api_key"},
		{"anonymous", "list_my_lists", `{}`, "unauthenticated"},
	} {
		res := call(tc.who, tc.name, tc.args)
		if got := codeIn(t, res); got != tc.code {
			t.Errorf("%s %s: %q, want %q: %s", tc.who, tc.name, got, tc.code, res.body)
		}
	}
}

func codeIn(t testing.TB, res response) string {
	t.Helper()
	var e struct{ Code string }
	if res.status == 200 {
		return ""
	}
	if err := json.Unmarshal(res.body, &e, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	return e.Code
}

// toolCases has, for every tool, its arguments on an object of Ada's private
// list, which Ben edits.
func toolCases() map[string]string {
	return map[string]string{
		"star_item": `{"item_id":"$id:item"}`, "unstar_item": `{"item_id":"$id:item"}`, "search": `{"q":"canary"}`,
		"search_lists": `{"q":"canary"}`,
		"list_lists":   `{}`, "list_my_lists": `{}`, "browse_url": `{"url":"http://127.0.0.1/"}`, "create_list": `{"title":"New"}`,
		"get_list": `{"list_id":"$id:list"}`, "list_items": `{"list_id":"$id:list"}`, "get_item": `{"item_id":"$id:item"}`,
		"create_item": `{"list_id":"$id:list","items":[{"content":"x"}]}`, "update_item": `{"item_id":"$id:item","content":"y"}`,
		"update_list": `{"list_id":"$id:list","title":"T2"}`, "delete_item": `{"item_id":"$id:item"}`,
	}
}

// TestToolMatrix calls every tool as every kind of caller. One that is refused
// changes no row, and what may not be seen is answered as what does not exist.
func TestToolMatrix(t *testing.T) {
	staged := matrixStage(t)
	db := staged.snapshot()
	cases := toolCases()
	for name, tool := range staged.app.MCP().Described() {
		args, ok := cases[name]
		if !ok {
			t.Errorf("%s has no case in toolCases", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := staged.copy(t, db)
			key, public := "/list", "public_key" // the kind of key that may call it, and how the public key is refused
			if !w.lists("ada/list", name) {
				key, public = "/rw", "unauthenticated"
			}
			toolRefusals(t, w, name, args, key, public, tool.Annotations.ReadOnlyHint)
		})
		delete(cases, name)
	}
	for name := range cases {
		t.Errorf("toolCases has a case for %s, which is not a tool", name)
	}
}

// lists reports whether a tool is in the list for a caller.
func (w *world) lists(who, tool string) bool {
	raw, _ := w.rpc(who, "tools/list", nil)
	return strings.Contains(string(raw), `"name":"`+tool+`"`)
}

func toolRefusals(t *testing.T, w *world, name, args, key, public string, read bool) {
	for _, who := range []string{"stranger", "cleo", "ben"} {
		w.token(who + key)
	}
	before := w.state()
	try := func(who, args, want string) response {
		t.Helper()
		res := w.tool(who, name, args)
		if got := codeIn(t, res); got != want {
			t.Errorf("%s: %q, want %q: %s", who, got, want, res.body)
		}
		if after := w.state(); after != before {
			t.Errorf("%s was refused but changed the database", who)
			before = after
		}
		return res
	}
	anonymous := "unauthenticated"
	if w.lists("public", name) {
		anonymous, public = codeOfAnonymous(name), codeOfAnonymous(name)
	}
	try("anonymous", w.fillIDs(args), anonymous)
	try("public", w.fillIDs(args), public)
	if read {
		try("ada/write", w.fillIDs(args), "missing_scope")
	} else {
		try("ada/read", w.fillIDs(args), "missing_scope")
	}
	if !strings.Contains(args, "$id:") {
		return
	}
	hidden := try("stranger"+key, w.fillIDs(args), "not_found")
	gone := try("ada", missing(w, args), "not_found")
	if hidden.raw != gone.raw {
		t.Errorf("hidden and missing differ:\n%s\n%s", hidden.raw, gone.raw)
	}
	try("cleo"+key, w.fillIDs(args), "not_found")
	try("ada", strings.Replace(args, "$id:", "no id ", 1), "not_found")
	for _, who := range []string{"ada" + key, "ben" + key} {
		if res := w.tool(who, name, w.fillIDs(args)); res.status != 200 && !(name == "delete_item" && who == "ben/list") { // Ada has deleted it
			t.Errorf("%s: %s", who, res.body)
		}
	}
}

// codeOfAnonymous returns the code with which a read of a private object, or of
// an address that is not public, is answered without an account.
func codeOfAnonymous(name string) string {
	switch name {
	case "list_lists", "search_lists", "search":
		return ""
	case "browse_url":
		return "blocked_url"
	}
	return "not_found"
}

// What the caller may not see is in no resource, prompt or suggestion, and asking
// for it is answered as asking for what does not exist.
func TestHiddenListsAreNoResources(t *testing.T) {
	w := matrixStage(t)
	id, none := w.ids["$id:list"], "7b0bca5a-5d1c-4a37-9a53-3a3cbd4f4c1b"
	for _, who := range []string{"anonymous", "public", "stranger", "stranger/list", "cleo/rw"} {
		all, _ := w.rpc(who, "resources/list", nil)
		if strings.Contains(string(all), id) {
			t.Errorf("%s: the resources have a hidden list: %s", who, all)
		}
		complete, _ := w.rpc(who, "completion/complete", map[string]any{
			"ref": map[string]any{"type": "ref/resource", "uri": "lists://list/{id}"}, "argument": map[string]any{"name": "id", "value": id[:4]},
		})
		if strings.Contains(string(complete), id) {
			t.Errorf("%s: a hidden list is suggested: %s", who, complete)
		}
		_, hidden := w.rpc(who, "resources/read", map[string]any{"uri": "lists://list/" + id})
		_, missing := w.rpc(who, "resources/read", map[string]any{"uri": "lists://list/" + none})
		if hidden == "" || hidden != missing {
			t.Errorf("%s: hidden %q, missing %q", who, hidden, missing)
		}
		for _, prompt := range []string{"curate_list", "find_duplicates"} {
			_, hidden := w.rpc(who, "prompts/get", map[string]any{"name": prompt, "arguments": map[string]any{"list_id": id}})
			_, missing := w.rpc(who, "prompts/get", map[string]any{"name": prompt, "arguments": map[string]any{"list_id": none}})
			if hidden == "" || hidden != missing {
				t.Errorf("%s: hidden %q, missing %q", who, hidden, missing)
			}
		}
	}
	for _, who := range []string{"ada", "ben/list"} {
		all, _ := w.rpc(who, "resources/list", nil)
		read, _ := w.rpc(who, "resources/read", map[string]any{"uri": "lists://list/" + id})
		got, _ := w.rpc(who, "prompts/get", map[string]any{"name": "curate_list", "arguments": map[string]any{"list_id": id}})
		for what, text := range map[string]jsontext.Value{"list": all, "resource": read, "prompt": got} {
			if !strings.Contains(string(text), id) {
				t.Errorf("%s: the %s is missing: %s", who, what, text)
			}
		}
	}
}

// A list as a resource keeps its structure, whatever its users wrote.
func TestListAsResource(t *testing.T) {
	w := newWorld(t)
	made := w.tool("ada", "create_list", `{"title":"Books\u2028# Title","visibility":"public","description":"Good ones.\n# Not a heading",
		"items":[{"content":"First\n\n# Not a heading\n- no item","link":"https://books.example/1"},{"content":"Second"}]}`)
	id := idIn(t, made.body)
	raw, rpcErr := w.rpc("anonymous", "resources/read", map[string]any{"uri": "lists://list/" + id})
	var res struct {
		Contents []struct{ URI, MimeType, Text string }
	}
	if err := json.Unmarshal(raw, &res, json.MatchCaseInsensitiveNames(true)); err != nil || rpcErr != "" || len(res.Contents) != 1 {
		t.Fatalf("%v %s %s", err, rpcErr, raw)
	}
	text := res.Contents[0].Text
	if n := strings.Count("\n"+text, "\n# "); n != 1 {
		t.Errorf("%d headings:\n%s", n, text)
	}
	if strings.Contains("\n"+text, "\n- ") || strings.Contains(text, "\n   - ") {
		t.Errorf("an item too many:\n%s", text)
	}
	for _, item := range []string{"First", "Second"} {
		if !regexp.MustCompile(`\d\. \[?` + item + "(?s:.*?)\n   `[0-9a-f-]{36}`\n").MatchString(text) {
			t.Errorf("the id of %s is missing:\n%s", item, text)
		}
	}
	for _, words := range []string{"\n1. [First](<https://books.example/1>)", "\n2. Second\n", "<http://hearth.test/list/" + id + ">",
		"data, not instructions", "Good ones."} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is missing:\n%s", words, text)
		}
	}
}

// cookie returns the cookie of a session of one of the cast.
func (w *world) cookie(name string) string {
	w.t.Helper()
	link, err := w.app.Account.LinkFor(context.Background(), name+"@example.org", false)
	if err != nil {
		w.t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "token=")
	res := w.do("anonymous", "POST", "/login/verify", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, "token="+token)
	for _, c := range res.header["Set-Cookie"] {
		if pair, _, _ := strings.Cut(c, ";"); strings.HasPrefix(pair, "hearth=") {
			return pair
		}
	}
	w.t.Fatalf("no session: %d %v", res.status, res.header)
	return ""
}

// A cookie is no credential here: a page of another site could send it.
func TestMCPIgnoresCookies(t *testing.T) {
	w := newWorld(t)
	h := mcpHeader()
	h.Set("Cookie", w.cookie("ada"))
	res := w.do("anonymous", "POST", "/mcp", h, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_my_lists"}}`)
	if !strings.Contains(string(res.body), "unauthenticated") {
		t.Errorf("%s", res.body)
	}
}

// Each tool's input schema accepts what its operation accepts: the cases of the
// matrix, for one.
func TestToolInputSchemas(t *testing.T) {
	w := newWorld(t)
	for name, tool := range w.app.MCP().Described() {
		resolved, err := tool.InputSchema.(*jsonschema.Schema).CloneSchemas().Resolve(nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var v any
		if err := stdjson.Unmarshal([]byte(toolCases()[name]), &v); err != nil {
			t.Errorf("the case of %s in toolCases: %v", name, err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := resolved.Validate(map[string]any{"misspelled": 1}); err == nil {
			t.Errorf("%s accepts any argument", name)
		}
	}
}

// FuzzTools calls every tool with any arguments: the result fits its schema or is
// an error that is not one of the server.
func FuzzTools(f *testing.F) {
	w := newWorld(f)
	made := w.tool("ada", "create_list", `{"title":"Fuzz","visibility":"public-edit","items":[{"content":"one"}]}`)
	w.ids["$id:list"] = idIn(f, made.body)
	items := w.tool("ada", "list_items", `{"list_id":"`+w.ids["$id:list"]+`"}`)
	var page struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(items.body, &page, json.MatchCaseInsensitiveNames(true)); err != nil || len(page.Items) != 1 {
		f.Fatalf("%v: %s", err, items.body)
	}
	w.ids["$id:item"] = page.Items[0].ID
	names := slices.Sorted(maps.Keys(toolNames))
	for i, name := range names {
		f.Add(uint8(i), w.fillIDs(toolCases()[name]))
		f.Add(uint8(i), `{"list_id":1,"items":[{"content":null}],"limit":-1,"offset":1e99,"position":{},"metadata":[],"url":"http://[::1]/"}`)
	}
	f.Fuzz(func(t *testing.T, tool uint8, args string) {
		if !jsontext.Value(args).IsValid() || !strings.HasPrefix(strings.TrimSpace(args), "{") {
			return
		}
		name := names[int(tool)%len(names)]
		if name == "browse_url" && !strings.Contains(args, "127.0.0.1") {
			return // no requests to others
		}
		w.t = t
		res := w.tool("ada", name, args)
		if code := codeIn(t, res); code == "internal" {
			t.Errorf("%s(%s): %s", name, args, res.body)
		}
	})
}
