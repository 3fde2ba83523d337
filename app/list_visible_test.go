package app_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/cli"
	"hearth/app/list"
)

// surface is a way in which a list or a part of it leaves the server. The path
// has {id}, {item} and {word}, a word of the list that is searched for.
type surface struct {
	name, path string
	// GET if ""; TOOL and the path are a call of a tool, RPC and the path a request of its protocol, CLI and the path a command
	method string
	index  bool     // has all lists that the caller may see, instead of one
	page   bool     // keys are no credentials
	shows  []string // what it shows of a list that it has
}

var surfaces = []surface{
	{name: "list", path: "/api/lists/{id}", shows: []string{"title", "about"}},
	{name: "items", path: "/api/lists/{id}/items", shows: []string{"item", "meta"}},
	{name: "item", path: "/api/lists/{id}/items/{item}", shows: []string{"item", "meta"}},
	{name: "comments", path: "/api/lists/{id}/items/{item}/comments", shows: []string{"comment"}},
	{name: "presence", path: "/api/list/{id}/presence"},
	{name: "export", path: "/api/lists/{id}/export", shows: []string{"title", "about", "item", "meta"}},
	{name: "export as Markdown", path: "/api/lists/{id}/export?format=md", shows: []string{"title", "item"}},
	{name: "export as CSV", path: "/api/lists/{id}/export?format=csv", shows: []string{"item", "meta"}},
	{name: "public index", path: "/api/lists?public=true", index: true},
	{name: "search of lists", path: "/api/search?kind=lists&q={word}", index: true, shows: []string{"title", "about"}},
	{name: "search of items", path: "/api/search?kind=items&q={word}item", index: true, shows: []string{"title", "item"}},
	{name: "also on", path: "/api/lists/$id:other/items/$id:otherItem", index: true, shows: []string{"title"}},
	{name: "page", path: "/list/{id}", page: true, shows: []string{"title", "about", "item"}},
	{name: "items of the page", path: "/list/{id}/items", page: true, shows: []string{"item"}},
	{name: "page of the item", path: "/list/{id}/item/{item}", page: true, shows: []string{"title", "item", "meta", "comment"}},
	{name: "Atom", path: "/list/{id}/feed.atom", shows: []string{"title", "about", "item"}},
	{name: "JSON feed", path: "/list/{id}/feed.json", shows: []string{"title", "about", "item"}},
	{name: "Markdown", path: "/list/{id}.md", shows: []string{"title", "about", "item"}},
	{name: "JSON", path: "/list/{id}.json", shows: []string{"title", "about", "item", "meta"}},
	{name: "Atom by its ending", path: "/list/{id}.atom", shows: []string{"title", "item"}},
	{name: "index page", path: "/", index: true, page: true},
	{name: "search page", path: "/list/search?q={word}item", index: true, page: true, shows: []string{"title"}},
	{name: "sitemap", path: "/sitemap.xml", page: true, index: true},
	{name: "guide for agents", path: "/AGENTS.md", index: true},
	{name: "summary for models", path: "/llms.txt", index: true},
	{name: "get_list", method: "TOOL", path: `get_list {"list_id":"{id}"}`, shows: []string{"title", "about"}},
	{name: "list_items", method: "TOOL", path: `list_items {"list_id":"{id}"}`, shows: []string{"item", "meta"}},
	{name: "get_item", method: "TOOL", path: `get_item {"item_id":"{item}"}`, shows: []string{"item", "meta"}},
	{name: "list_lists", method: "TOOL", path: `list_lists {}`, index: true},
	{name: "search_lists", method: "TOOL", path: `search_lists {"q":"{word}"}`, index: true, shows: []string{"title", "about"}},
	{name: "search", method: "TOOL", path: `search {"q":"{word}item"}`, index: true, shows: []string{"item"}},
	{name: "resources", method: "RPC", path: `resources/list {}`, index: true, shows: []string{"title"}},
	{name: "resource", method: "RPC", path: `resources/read {"uri":"lists://list/{id}"}`, shows: []string{"title", "about", "item"}},
	{name: "prompt", method: "RPC", path: `prompts/get {"name":"curate_list","arguments":{"list_id":"{id}"}}`,
		shows: []string{"title", "item"}},
	{name: "hearth lists show", method: "CLI", path: `show {id}`, shows: []string{"title", "about", "item"}},
	{name: "hearth lists show --json", method: "CLI", path: `show --json {id}`, shows: []string{"title", "about", "item", "meta"}},
	{name: "hearth lists export", method: "CLI", path: `export {id}`, shows: []string{"title", "about", "item", "meta"}},
	{name: "hearth lists ls", method: "CLI", path: `ls`, index: true},
	{name: "hearth lists ls --mine", method: "CLI", path: `ls --mine --json`, index: true},
	{name: "hearth lists search", method: "CLI", path: `search {word}item`, index: true, shows: []string{"item"}},
	{name: "suggestions", method: "RPC",
		path:  `completion/complete {"ref":{"type":"ref/resource","uri":"lists://list/\u007bid}"},"argument":{"name":"id","value":"{word}"}}`,
		index: true},
}

// mayRead reports whether a caller sees a list of ada's that is shared with ben to
// view and with cleo to edit.
func mayRead(who, visibility string) bool {
	name, _, _ := strings.Cut(who, "/")
	switch {
	case name == "ada", name == "ben", name == "cleo", visibility == list.Public, visibility == list.PublicEdit:
		return true
	case visibility == list.Unlisted:
		return name == "stranger"
	}
	return false
}

// A word of a list occurs for each kind of caller exactly where they may see the
// list, on every surface: what is hidden looks like what does not exist.
func TestListsAreSeenWhereTheyMayBe(t *testing.T) {
	w := newWorld(t)
	w.ids["$id:other"] = idIn(t, w.want("ada", "POST", "/api/lists",
		`{"title":"Other","visibility":"public","items":[{"content":"o","link":"https://shared.example/page"}]}`, 201, "").body)
	w.ids["$id:otherItem"] = w.firstItem("$id:other")
	visibilities := []string{list.Public, list.PublicEdit, list.Unlisted, list.Private}
	ids, items := map[string]string{}, map[string]string{}
	word := func(visibility string) string { return "zq" + strings.ReplaceAll(visibility, "-", "") + "qz" }
	for _, v := range visibilities {
		c := word(v)
		ids[v] = idIn(t, w.want("ada", "POST", "/api/lists", fmt.Sprintf(`{"title":"%[1]s %[1]stitle",
			"description":"%[1]sabout","visibility":"%[2]s",
			"items":[{"content":"%[1]sitem","link":"https://shared.example/page","metadata":{"k":"%[1]smeta"}}]}`, c, v), 201, "").body)
		w.want("ada", "PUT", "/api/lists/"+ids[v]+"/members/"+w.cast.Ben.ID, `{"role":"viewer"}`, 200, "")
		w.want("ada", "PUT", "/api/lists/"+ids[v]+"/members/"+w.cast.Cleo.ID, `{"role":"editor"}`, 200, "")
		items[v] = w.firstItem(ids[v])
		w.want("ada", "POST", "/api/lists/"+ids[v]+"/items/"+items[v]+"/comments", `{"content":"`+c+`comment"}`, 201, "")
	}
	srv := httptest.NewServer(w.h)
	defer srv.Close()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const missing = "00000000-0000-4000-8000-00000000dead"
	fill := func(path, id, item, word string) string {
		return w.fillIDs(strings.NewReplacer("{id}", id, "{item}", item, "{word}", word).Replace(path))
	}
	for _, who := range []string{"anonymous", "public", "stranger/list", "stranger", "ben", "cleo", "ada", "ada/list", "ada/read"} {
		for _, s := range surfaces {
			as := who
			if name, kind, _ := strings.Cut(who, "/"); s.page && (kind != "" || name == "public") {
				as = "anonymous"
			}
			for _, v := range visibilities {
				res := w.reach(as, s, fill(s.path, ids[v], items[v], word(v)), srv.URL)
				for _, of := range visibilities {
					// What a list that everybody sees says may be anywhere.
					if may := mayRead(as, of); !may && (strings.Contains(res.raw, word(of)) && !echoes(s, res.raw, word(of)) || s.index &&
						strings.Contains(res.raw, ids[of])) {
						t.Errorf("%s sees the %s list in the %s:\n%s", who, of, s.name, res.raw)
					}
				}
				may := mayRead(as, v)
				if !s.index && may != (res.status == http.StatusOK) {
					t.Errorf("%s, %s, %s: status %d", who, s.name, v, res.status)
				}
				if !may && !s.index {
					none := w.reach(as, s, fill(s.path, missing, missing, "x"), srv.URL)
					plain := func(raw string) string {
						return position.ReplaceAllString(strings.NewReplacer(ids[v], missing, items[v], missing).Replace(raw), "")
					}
					if a, b := plain(res.raw), plain(none.raw); a != b {
						t.Errorf("%s, %s: a hidden %s list differs from none:\n%s\n%s", who, s.name, v, a, b)
					}
				}
				for _, part := range s.shows {
					if may && !strings.Contains(string(res.body), word(v)+part) {
						t.Errorf("%s does not see the %s of the %s list in the %s:\n%s", who, part, v, s.name, res.body)
					}
				}
			}
		}
	}
	streams(t, w, visibilities, ids)
}

// reach sends the request of a surface; base is the address of the server.
func (w *world) reach(who string, s surface, path, base string) response {
	w.t.Helper()
	name, args, _ := strings.Cut(path, " ")
	switch s.method {
	case "TOOL":
		return w.tool(who, name, args)
	case "CLI":
		return w.command(who, base, strings.Fields(path))
	case "RPC":
		result, refused := w.rpc(who, name, jsontext.Value(args))
		if refused != "" {
			return response{status: http.StatusBadRequest, raw: refused}
		}
		return response{status: http.StatusOK, body: result, raw: string(result)}
	}
	return w.json(who, "GET", path, "")
}

// command runs a command for lists, with the credential of who. It prints what it
// knows to its two outputs; the status stands for that with which it ends.
func (w *world) command(who, base string, args []string) response {
	w.t.Helper()
	key := ""
	if who != "anonymous" {
		key = w.token(who)
	}
	w.t.Setenv("LISTS_API_KEY", key)
	var out, errs bytes.Buffer
	env := cli.Env{Version: "test", In: strings.NewReader(""), Out: &out, Err: &errs, Now: w.clock.Now}
	code := cli.Run(context.Background(), append([]string{"hearth", "lists", args[0], "--url", base}, args[1:]...), env,
		cli.Commands{cli.Lists})
	res := response{status: http.StatusOK, body: out.Bytes(), raw: out.String() + errs.String()}
	if code != 0 {
		res.status = 400 + code
	}
	w.checkCanaries(who, strings.Join(args, " "), res.raw)
	return res
}

// echoes reports whether a page only repeats the words that were searched for.
func echoes(s surface, raw, word string) bool {
	return strings.Contains(s.path, "{word}") && !strings.Contains(raw, word+"title") && !strings.Contains(raw, word+"about") &&
		!strings.Contains(raw, "<mark>")
}

// streams checks who can open the stream of each list.
func streams(t *testing.T, w *world, visibilities []string, ids map[string]string) {
	srv := httptest.NewServer(w.h)
	defer srv.Close()
	for _, who := range []string{"anonymous", "public", "stranger/list", "stranger", "ben", "cleo", "ada"} {
		for _, v := range visibilities {
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, "GET", srv.URL+"/api/list/"+ids[v]+"/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			if who != "anonymous" {
				req.Header.Set("Authorization", "Bearer "+w.token(who))
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{true: 200, false: 404}[mayRead(who, v)]; res.StatusCode != want {
				t.Errorf("the stream of the %s list for %s: %d", v, who, res.StatusCode)
			}
			cancel()
			res.Body.Close()
		}
	}
}
