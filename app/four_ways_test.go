package app_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/app/cli"
)

// listAct is something that a person or an agent does to lists. Lists and items are
// counted in the order in which they were made.
type listAct struct {
	what string // list, add, edit list, edit item, move, star, unstar, delete,
	// checkable, not checkable, check, uncheck
	list, item int
	a, b, c    string // title, description and visibility; or content, link and note
	to         int
}

// listActs are made of every kind of act.
func listActs() (acts []listAct) {
	for n, visibility := range []string{"private", "public", "public-edit", "unlisted"} {
		acts = append(acts, listAct{what: "list", a: fmt.Sprintf("List %d", n), b: "First line\nsecond", c: visibility})
	}
	for n := range 16 {
		a := listAct{what: "add", list: n % 4, a: fmt.Sprintf("Item %d: “ä” & <b> 🥖", n)}
		if n%3 == 0 {
			a.b = fmt.Sprintf("https://e.example/%d?a=b&c=%%20", n)
		}
		acts = append(acts, a)
	}
	for n := range 6 {
		acts = append(acts, listAct{what: "edit item", list: n % 4, item: n, a: fmt.Sprintf("Changed %d\nin two lines", n),
			b: "https://new.example/", c: "from Ben"})
		acts = append(acts, listAct{what: "move", list: n % 4, item: n, to: 3 - n%4})
	}
	return append(acts,
		listAct{what: "edit list", list: 0, a: "New title", b: "", c: "public"},
		listAct{what: "edit list", list: 3, a: "Another", b: "About it.", c: "private"},
		listAct{what: "star", list: 1, item: 1}, listAct{what: "star", list: 2, item: 2}, listAct{what: "star", list: 1, item: 1},
		listAct{what: "unstar", list: 2, item: 2}, listAct{what: "delete", list: 3, item: 3}, listAct{what: "delete", list: 0, item: 8},
		listAct{what: "checkable", list: 1}, listAct{what: "check", list: 1, item: 1}, listAct{what: "check", list: 1, item: 5},
		listAct{what: "uncheck", list: 1, item: 5},
		listAct{what: "checkable", list: 2}, listAct{what: "not checkable", list: 2})
}

// player plays acts in one way.
type player struct {
	*world
	lists, items []string
	do           func(p *player, a listAct)
}

func (p *player) list(a listAct) string { return p.lists[a.list] }
func (p *player) item(a listAct) string { return p.items[a.item] }

// play does the acts, and notes the ids of what they make.
func (p *player) play(acts []listAct) {
	for _, a := range acts {
		p.do(p, a)
		p.clock.Advance(1e9)
		switch a.what {
		case "list":
			p.lists = append(p.lists, p.newest("/api/lists?mine=true&limit=1"))
		case "add":
			p.items = append(p.items, p.newest(fmt.Sprintf("/api/lists/%s/items?limit=1&offset=%d", p.list(a), p.count(a)-1)))
		}
	}
}

func (p *player) newest(path string) string {
	p.t.Helper()
	var page struct{ Lists, Items []struct{ ID string } }
	if err := json.Unmarshal(p.json("ada", "GET", path, "").body, &page, json.MatchCaseInsensitiveNames(true)); err != nil ||
		len(page.Lists)+len(page.Items) != 1 {
		p.t.Fatalf("%s: %v %+v", path, err, page)
	}
	return append(page.Lists, page.Items...)[0].ID
}

func (p *player) count(a listAct) (n int) {
	var page struct{ Total int }
	if err := json.Unmarshal(p.json("ada", "GET", "/api/lists/"+p.list(a)+"/items", "").body, &page,
		json.MatchCaseInsensitiveNames(true)); err != nil {
		p.t.Fatal(err)
	}
	return page.Total
}

// dump returns the rows of lists, items, stars and events, with names in place of
// ids and times.
func (p *player) dump() (rows []string) {
	names := []string{p.cast.Ada.ID, "Ada"}
	for n, id := range p.lists {
		names = append(names, id, fmt.Sprintf("list%d", n))
	}
	for n, id := range p.items {
		names = append(names, id, fmt.Sprintf("item%d", n))
	}
	name := strings.NewReplacer(names...)
	var events []string
	p.rows(func(table string, row []any) {
		var text []string
		for _, v := range row {
			if n, ok := v.(int64); ok && (n > 1e15 || table == "event") {
				continue // a time, or the number of an event
			}
			text = append(text, name.Replace(fmt.Sprint(v)))
		}
		line := table + ": " + strings.Join(text, " | ")
		switch {
		case table == "event" && strings.Contains(line, "list"):
			events = append(events, line)
		case table == "list" || table == "item" || table == "item_star":
			rows = append(rows, line)
		}
	})
	slices.Sort(rows)
	return append(rows, events...)
}

func (p *player) must(res response, want int) {
	p.t.Helper()
	if res.status != want {
		p.t.Fatalf("%d, want %d: %s %s", res.status, want, res.header.Get("Location"), res.body)
	}
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (p *player) rest(method, path string, body map[string]any, want int) {
	p.t.Helper()
	text := ""
	if body != nil {
		text = jsonOf(p.t, body)
	}
	p.must(p.json("ada", method, path, text), want)
}

func byREST(p *player, a listAct) {
	switch a.what {
	case "list":
		p.rest("POST", "/api/lists", map[string]any{"title": a.a, "description": a.b, "visibility": a.c}, 201)
		return
	case "add":
		p.rest("POST", "/api/lists/"+p.list(a)+"/items", map[string]any{"content": a.a, "link": a.b}, 201)
		return
	case "edit list":
		p.rest("PATCH", "/api/lists/"+p.list(a), map[string]any{"title": a.a, "description": a.b, "visibility": a.c}, 200)
		return
	case "checkable", "not checkable":
		p.rest("PATCH", "/api/lists/"+p.list(a), map[string]any{"checkable": a.what == "checkable"}, 200)
		return
	}
	path := "/api/lists/" + p.list(a) + "/items/" + p.item(a)
	switch a.what {
	case "edit item":
		p.rest("PATCH", path, map[string]any{"content": a.a, "link": a.b, "source_note": a.c}, 200)
	case "move":
		p.rest("PATCH", path, map[string]any{"position": a.to}, 200)
	case "check", "uncheck":
		p.rest("PATCH", path, map[string]any{"checked": a.what == "check"}, 200)
	case "star":
		p.rest("PUT", path+"/star", nil, 200)
	case "unstar":
		p.rest("DELETE", path+"/star", nil, 200)
	case "delete":
		p.rest("DELETE", path, nil, 204)
	}
}

func byTool(p *player, a listAct) {
	use := func(name string, args map[string]any) {
		p.t.Helper()
		p.must(p.tool("ada/list", name, jsonOf(p.t, args)), 200)
	}
	switch a.what {
	case "list":
		use("create_list", map[string]any{"title": a.a, "description": a.b, "visibility": a.c})
	case "add":
		use("create_item", map[string]any{"list_id": p.list(a), "items": []any{map[string]any{"content": a.a, "link": a.b}}})
	case "edit list":
		use("update_list", map[string]any{"list_id": p.list(a), "title": a.a, "description": a.b, "visibility": a.c})
	case "edit item":
		use("update_item", map[string]any{"item_id": p.item(a), "content": a.a, "link": a.b, "source_note": a.c})
	case "move":
		use("update_item", map[string]any{"item_id": p.item(a), "position": a.to})
	case "checkable", "not checkable":
		use("update_list", map[string]any{"list_id": p.list(a), "checkable": a.what == "checkable"})
	case "check", "uncheck":
		use("update_item", map[string]any{"item_id": p.item(a), "checked": a.what == "check"})
	case "star", "unstar", "delete":
		use(a.what+"_item", map[string]any{"item_id": p.item(a)})
	}
}

// byForm returns a player of the forms of the pages, with a session.
func byForm(cookie string) func(p *player, a listAct) {
	return func(p *player, a listAct) {
		send := func(path string, fields ...string) {
			p.t.Helper()
			form := url.Values{}
			for i := 0; i < len(fields); i += 2 {
				form.Set(fields[i], fields[i+1])
			}
			h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Cookie": {cookie}}
			p.must(p.world.do("anonymous", "POST", path, h, form.Encode()), 303)
		}
		switch a.what {
		case "list":
			send("/list/new", "title", a.a, "description", a.b, "visibility", a.c)
			return
		case "add":
			send("/list/"+p.list(a), "content", a.a, "link", a.b)
			return
		case "edit list":
			send("/list/"+p.list(a)+"/edit", "title", a.a, "description", a.b, "visibility", a.c)
			return
		case "checkable", "not checkable":
			var l struct {
				List struct{ Title, Description string }
			}
			p.read(p.json("ada", "GET", "/api/lists/"+p.list(a), ""), 200, &l)
			send("/list/"+p.list(a)+"/edit", "title", l.List.Title, "description", l.List.Description, "checkable",
				map[string]string{"checkable": "yes"}[a.what])
			return
		}
		path := "/list/" + p.list(a) + "/item/" + p.item(a)
		switch a.what {
		case "edit item":
			send(path, "content", a.a, "link", a.b, "source_note", a.c)
		case "move":
			send(path+"/move", "position", fmt.Sprint(a.to+1))
		case "check":
			send(path+"/check", "checked", "yes")
		case "uncheck":
			send(path+"/check", "checked", "no")
		case "star":
			send(path+"/star", "star", "yes")
		case "unstar":
			send(path+"/star", "star", "no")
		case "delete":
			send(path+"/delete", "sure", "yes")
		}
	}
}

// byCommand returns a player of the commands, on a server.
func byCommand(base string) func(p *player, a listAct) {
	return func(p *player, a listAct) {
		run := func(args ...string) {
			p.t.Helper()
			var out, errs bytes.Buffer
			env := cli.Env{Version: "test", In: strings.NewReader(""), Out: &out, Err: &errs, Now: p.clock.Now}
			line := append([]string{"hearth", "lists", args[0], "--url", base}, args[1:]...)
			if code := cli.Run(context.Background(), line, env, cli.Commands{cli.Lists}); code != 0 {
				p.t.Fatalf("%q: %d %s", line, code, errs.String())
			}
		}
		switch a.what {
		case "list":
			run("create", "--description", a.b, "--visibility", a.c, a.a)
		case "add":
			run("add", "--link", a.b, p.list(a), a.a)
		case "edit list":
			run("edit", "--title", a.a, "--description", a.b, "--visibility", a.c, p.list(a))
		case "edit item":
			run("edit", "--content", a.a, "--link", a.b, "--note", a.c, p.list(a), p.item(a))
		case "move":
			run("edit", "--position", fmt.Sprint(a.to), p.list(a), p.item(a))
		case "checkable":
			run("edit", "--checkable", p.list(a))
		case "not checkable":
			run("edit", "--checkable=false", p.list(a))
		case "check":
			run("check", p.list(a), p.item(a))
		case "uncheck":
			run("check", "--remove", p.list(a), p.item(a))
		case "star":
			run("star", p.list(a), p.item(a))
		case "unstar":
			run("star", "--remove", p.list(a), p.item(a))
		case "delete":
			run("rm", p.list(a), p.item(a))
		}
	}
}

// The same acts leave the same rows, whether they are done with the forms of the
// pages, the JSON API, the tools for agents or the commands.
func TestFourWaysHaveOneResult(t *testing.T) {
	acts := listActs()
	if len(acts) != 46 {
		t.Fatalf("%d acts", len(acts))
	}
	staged := newWorld(t)
	for _, who := range []string{"ada", "ada/list", "ada/rw"} {
		staged.token(who)
	}
	cookie := staged.cookie("ada")
	db := staged.snapshot()
	var want []string
	for _, way := range []string{"rest", "form", "tool", "command"} {
		p := &player{world: staged.copy(t, db)}
		switch way {
		case "rest":
			p.do = byREST
		case "form":
			p.do = byForm(cookie)
		case "tool":
			p.do = byTool
		case "command":
			srv := httptest.NewServer(p.h)
			defer srv.Close()
			t.Setenv("LISTS_API_KEY", p.token("ada/rw"))
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			p.do = byCommand(srv.URL)
		}
		p.play(acts)
		got := p.dump()
		if want == nil {
			if want = got; len(want) < 50 {
				t.Fatalf("the dump has %d rows:\n%s", len(want), strings.Join(want, "\n"))
			}
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (+) differs from rest (-):\n%s", way, d)
		}
	}
}
