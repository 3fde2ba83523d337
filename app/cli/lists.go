package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app"
	"hearth/app/fetch"
	"hearth/app/list"
)

// Lists is "hearth lists", which reads and edits lists on a server or in the database file.
func Lists(env Env) *Command {
	return &Command{
		name: "lists", usage: "read and edit lists, on a server or in the database file",
		about: "With --url it uses a server: " + keyVariable +
			" is sent with reads, and edits need the session of \"hearth login\" or an\n" +
			"agent key (oc_) in " + keyVariable + ". Without, it works on the database of --db; --as names the account.\n" +
			"Exit status: 0 done, 1 failed, 2 wrong command line, 3 not allowed, 4 not found, 5 try again later.",
		examples: []string{"hearth lists ls --url https://lists.example.org",
			"hearth lists show --db hearth.db 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43",
			"hearth lists ls --json --mine --as ada@example.org"},
		below: slices.Concat(listReads(env), listChanges(env), itemChanges(env)),
	}
}

// asking is a call of a command over the API of lists.
type asking struct {
	Env
	*listsClient
	c    *call
	args []string
}

const (
	theList     = "the id of the LIST"
	theItem     = "the id of the ITEM"
	exampleList = "2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43"
	exampleURL  = "--url https://lists.example.org "
)

// overLists returns a command over the API of lists.
func (e Env) overLists(k *Command, do func(a *asking) error) *Command {
	for i, example := range k.examples {
		k.examples[i] = "hearth lists " + k.name + " " + example
	}
	k.options = append([]*option{urlFlag(), dbFlag(), word("as", "the `EMAIL` of the account, with the database file"),
		jsonFlag()}, k.options...)
	k.do = func(c *call, args []string) error {
		client, err := e.listsClient(c)
		if err != nil {
			return err
		}
		return errors.Join(do(&asking{e, client, c, args}), client.close())
	}
	return k
}

// ask sends a request and shows the answer, or prints it as JSON.
func ask[T any](a *asking, method, path string, body any, show func(T)) error {
	var out T
	raw, err := a.call(a.c.ctx, method, path, body, &out)
	if err != nil {
		return err
	}
	return a.show(a.c, raw, func() { show(out) })
}

// changed is the answer to a change of a list or an item.
type changed struct {
	List shownList `json:"list"`
	Item shownItem `json:"item"`
}

func (e Env) listsClient(c *call) (*listsClient, error) {
	key := os.Getenv(keyVariable)
	if base := c.String("url"); base != "" {
		if c.String("as") != "" {
			return nil, usagef("--as is for the database file. With --url, sign in with: hearth login --url %s EMAIL", base)
		}
		base, err := checkBase(base)
		if err != nil {
			return nil, err
		}
		return &listsClient{base: base, http: remoteClient(), key: key, session: savedToken(base, e.Now()),
			close: func() error { return nil }}, nil
	}
	if err := mustExist(c.String("db")); err != nil {
		return nil, err
	}
	d, err := app.OpenDatabase(c.ctx, e.quietConfig(c))
	if err != nil {
		return nil, err
	}
	if c.String("as") != "" {
		key = ""
	}
	return &listsClient{base: "http://localhost", http: &http.Client{Transport: d}, key: key, as: c.String("as"), local: true,
		close: d.Close}, nil
}

func checkBase(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || !fetch.IsWeb(u) {
		return "", usagef("--url must be the address of a server, such as https://lists.example.org, not %q", base)
	}
	return strings.TrimRight(base, "/"), nil
}

// listPath returns the path of a list, or of an item if there are two ids.
func listPath(ids []string) string {
	path := "/api/lists/" + url.PathEscape(ids[0])
	if len(ids) > 1 {
		path += "/items/" + url.PathEscape(ids[1])
	}
	return path
}

func listReads(env Env) []*Command {
	return []*Command{
		env.overLists(&Command{
			name: "ls", usage: "list the public lists, or your own", about: "One line per list, the newest change first.",
			examples: []string{"--url https://lists.example.org"},
			options: []*option{
				yes("mine", "your own lists and those shared with you"),
				number[list.ListsIn]("limit", "50", "at most `N` lists, up to 100", "limit"),
				number[list.ListsIn]("offset", "0", "after the first `N`", "offset"),
			},
		}, func(a *asking) error {
			which := "public"
			if a.c.Bool("mine") {
				which = "mine"
			}
			q := url.Values{which: {"true"}, "limit": {fmt.Sprint(a.c.Int("limit"))}, "offset": {fmt.Sprint(a.c.Int("offset"))}}
			return ask(a, "GET", "/api/lists?"+q.Encode(), nil, a.listTable)
		}),
		env.overLists(&Command{
			name: "show", usage: "show a list with its items", args: "LIST", names: []string{theList}, about: "LIST is the id of a list.",
			examples: []string{exampleURL + exampleList},
		}, showList),
		env.overLists(&Command{
			name: "search", usage: "search lists and items", args: "WORDS", names: []string{anyWords},
			about:    "All words must be there, also as the beginning of longer ones; \"quoted words\" in their order.",
			examples: []string{exampleURL + "sourdough bread"},
			options: []*option{
				number[list.SearchIn]("limit", "20", "at most `N` lists and items, up to 100", "limit"),
				word("cursor", "continue after a page, with its `CURSOR`"),
			},
		}, func(a *asking) error {
			q := url.Values{"q": {strings.Join(a.args, " ")}, "limit": {fmt.Sprint(a.c.Int("limit"))}}
			if cursor := a.c.String("cursor"); cursor != "" {
				q.Set("cursor", cursor)
			}
			return ask(a, "GET", "/api/search?"+q.Encode(), nil, a.foundTable)
		}),
		env.overLists(&Command{
			name: "watch", usage: "print changes of a list as they happen", args: "LIST", names: []string{theList},
			about:    "One line per change, until it is interrupted. After a break it continues where it was. Needs --url.",
			examples: []string{exampleURL + exampleList},
		}, func(a *asking) error {
			if a.local {
				return usagef("watch needs a running server: name it with --url")
			}
			return a.watch(a.c.ctx, listPath(a.args), func(e change) { a.printChange(a.c.Bool("json"), e) })
		}),
	}
}

func showList(a *asking) error {
	type page struct {
		List  shownList   `json:"list"`
		Items []shownItem `json:"items"`
	}
	var shown page
	if _, err := a.call(a.c.ctx, "GET", listPath(a.args), nil, &shown); err != nil {
		return err
	}
	shown.Items = []shownItem{}
	for more := true; more; {
		var next page
		path := fmt.Sprintf("%s/items?limit=100&offset=%d", listPath(a.args), len(shown.Items))
		if _, err := a.call(a.c.ctx, "GET", path, nil, &next); err != nil {
			return err
		}
		shown.Items = append(shown.Items, next.Items...)
		more = len(next.Items) == 100
	}
	if a.c.Bool("json") {
		return a.printJSON(map[string]any{"list": shown.List, "items": shown.Items})
	}
	a.listPage(shown.List, shown.Items)
	return nil
}

// given returns the flags that are set, as members of a request.
func given(c *call, flags ...string) (map[string]any, error) {
	body := map[string]any{}
	for _, flag := range flags {
		switch {
		case !c.IsSet(flag):
		case flag == "note":
			body["source_note"] = c.String(flag)
		case flag == "metadata" && c.String(flag) == "":
			body[flag] = nil
		case flag == "metadata":
			v := jsontext.Value(c.String(flag))
			if !v.IsValid() || v.Kind() != '{' && v.Kind() != 'n' {
				return nil, usagef("--%s must be a JSON object such as {\"key\": \"value\"}, or null", flag)
			}
			body[flag] = v
		case flag == "checkable":
			body[flag] = c.Bool(flag)
		case flag == "position":
			body[flag] = c.Int(flag)
		default:
			body[flag] = c.String(flag)
		}
	}
	return body, nil
}

func visibilityFlag(usage string) *option {
	return choice[list.CreateListIn](word("visibility", "`WHO` sees it: public, public-edit, unlisted or private"+usage), "visibility")
}

func checkableFlag(usage string) *option {
	return yes("checkable", "items can be checked off"+usage)
}

func removeFlag(usage string) []*option {
	return []*option{yes("remove", usage)}
}

func listChanges(env Env) []*Command {
	return []*Command{
		env.overLists(&Command{
			name: "export", usage: "write a list to a file", args: "LIST", names: []string{theList},
			about:    "JSON can be imported again without a difference.",
			examples: []string{exampleURL + "--out bakeries.json " + exampleList},
			options: []*option{
				choice[list.ExportIn](&option{name: "format", value: "json", usage: "`FORMAT`: json, md or csv"}, "format"),
				word("out", "write to a new `FILE` (default: the output)"),
			},
		}, func(a *asking) error {
			res, err := a.send(a.c.ctx, "GET", listPath(a.args)+"/export?format="+url.QueryEscape(a.c.String("format")), document{})
			if err != nil {
				return err
			}
			defer res.Body.Close()
			return a.save(a.c.String("out"), res.Body)
		}),
		env.overLists(&Command{
			name: "create", usage: "create a list", args: "TITLE", names: []string{"the TITLE"}, about: "Prints the id of the new list.",
			examples: []string{exampleURL + "--visibility public \"Good bakeries\""},
			options: []*option{word("description", "what it is for (`TEXT`)"), visibilityFlag(" (default: private)"),
				checkableFlag("")},
		}, func(a *asking) error {
			body, err := given(a.c, "description", "visibility", "checkable")
			if err != nil {
				return err
			}
			body["title"] = a.args[0]
			return ask(a, "POST", "/api/lists", body, func(made changed) { a.print("%s", made.List.ID) })
		}),
		env.overLists(&Command{
			name: "add", usage: "add an item to a list", args: "LIST TEXT", names: []string{theList, "the TEXT"},
			about:    "Prints the id of the new item. TEXT is - to read it from the input.",
			examples: []string{exampleURL + "--link https://mill.example/ " + exampleList + " \"Mill Street\""},
			options: []*option{
				word("link", "where it can be found (`URL`)"),
				word("metadata", "anything else, as a `JSON` object"),
				word("reporter", "with the public agent key: the `NAME` of who found it"),
			},
		}, addItem),
		env.overLists(&Command{
			name: "edit", usage: "change a list or an item, or move an item", args: "LIST [ITEM]", names: []string{theList, "[ITEM]"},
			about:    "Only what is named changes.",
			examples: []string{exampleURL + "--title \"Bakeries\" " + exampleList, "--position 0 LIST ITEM"},
			options: []*option{
				word("title", "of a list (`TEXT`)"), word("description", "of a list (`TEXT`)"),
				visibilityFlag(", of a list"),
				checkableFlag(", in a list; --checkable=false ends it"),
				word("content", "of an item (`TEXT`)"),
				word("link", "of an item (`URL`); \"\" removes it"),
				word("note", "where an item comes from (`TEXT`)"),
				word("metadata", "of an item, a `JSON` object or null"),
				number[list.UpdateItemIn]("position", "", "moves an item to `N`, 0 is the top", "position"),
			},
		}, edit),
	}
}

func itemChanges(env Env) []*Command {
	return []*Command{
		env.overLists(&Command{
			name: "check", usage: "check off an item of a checkable list", args: "LIST ITEM", names: []string{theList, theItem},
			about:    "Prints the item with its box. \"edit --checkable LIST\" makes a list checkable.",
			examples: []string{exampleURL + "LIST ITEM"}, options: removeFlag("it is not done after all"),
		}, func(a *asking) error {
			return ask(a, "PATCH", listPath(a.args), map[string]any{"checked": !a.c.Bool("remove")}, func(now changed) {
				a.print("%s%s", now.Item.box(), line(now.Item.Content, 100))
			})
		}),
		env.overLists(&Command{
			name: "star", usage: "star an item", args: "LIST ITEM", names: []string{theList, theItem},
			about:    "Prints how many stars it has, if the account or the key may read.",
			examples: []string{exampleURL + "LIST ITEM"}, options: removeFlag("take your star back"),
		}, starItem),
		env.overLists(&Command{
			name: "rm", usage: "delete an item, or with --yes a list", args: "LIST [ITEM]", names: []string{theList, "[ITEM]"},
			about: "This cannot be undone.", examples: []string{exampleURL + "LIST ITEM"},
			options: []*option{yes("yes", "delete a whole list")},
		}, func(a *asking) error {
			if len(a.args) == 1 && !a.c.Bool("yes") {
				return usagef("add --yes to delete the list with all its items")
			}
			if _, err := a.call(a.c.ctx, "DELETE", listPath(a.args), nil, nil); err != nil {
				return err
			}
			return a.show(a.c, []byte(`{"deleted":true}`), func() { a.print("Deleted.") })
		}),
		env.overLists(&Command{
			name: "import", usage: "create a list from a file", args: "FILE", names: []string{"the FILE"},
			about:    "FILE is an export, or the bookmarks of a browser. Prints the id of the new list.",
			examples: []string{exampleURL + "--visibility public bakeries.json"},
			options: []*option{
				choice[list.ImportIn](word("format", "`FORMAT`: json, md, csv or bookmarks (default: from the name of the file)"), "format"),
				word("title", "instead of that in the file (`TEXT`)"), visibilityFlag(" (default: private)"),
			},
		}, importList),
	}
}

func edit(a *asking) error {
	flags := []string{"title", "description", "visibility", "checkable"}
	if len(a.args) == 2 {
		flags = []string{"content", "link", "note", "metadata", "position"}
	}
	body, err := given(a.c, flags...)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return usagef("nothing to change is named. See: %s --help", a.c.path)
	}
	return ask(a, "PATCH", listPath(a.args), body, func(changed) { a.print("Changed.") })
}

func addItem(a *asking) error {
	if a.args[1] == "-" {
		b, err := io.ReadAll(io.LimitReader(a.In, 64<<10))
		if err != nil {
			return err
		}
		a.args[1] = string(b)
	}
	body, err := given(a.c, "link", "metadata", "reporter")
	if err != nil {
		return err
	}
	body["content"] = a.args[1]
	return ask(a, "POST", listPath(a.args[:1])+"/items", body, func(made changed) { a.print("%s", made.Item.ID) })
}

func starItem(a *asking) error {
	method := "PUT"
	if a.c.Bool("remove") {
		method = "DELETE"
	}
	return ask(a, method, listPath(a.args)+"/star", nil, func(now changed) {
		switch {
		case now.Item.told():
			a.print("★ %d", now.Item.StarCount)
		case a.c.Bool("remove"):
			a.print("No longer starred.")
		default:
			a.print("Starred.")
		}
	})
}

// save writes to a new file, which it removes if it is incomplete, or to the output if path is "".
func (e Env) save(path string, r io.Reader) error {
	if path == "" {
		_, err := io.Copy(e.Out, r)
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, r)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(path)
		return err
	}
	return e.print("%s: %d bytes", path, n)
}

func importList(a *asking) error {
	b, err := os.ReadFile(a.args[0])
	if err != nil {
		return err
	}
	format, kind, err := importType(a.c.String("format"), a.args[0])
	if err != nil {
		return err
	}
	q := url.Values{"format": {format}}
	for _, name := range []string{"title", "visibility"} {
		if v := a.c.String(name); v != "" {
			q.Set(name, v)
		}
	}
	return ask(a, "POST", "/api/lists/import?"+q.Encode(), document{kind, b}, func(made changed) {
		a.print("%s", made.List.ID)
		if !made.List.told() {
			fmt.Fprintln(a.Err, "Imported.")
			return
		}
		fmt.Fprintf(a.Err, "%s imported.\n", count(made.List.ItemCount, "item"))
	})
}

func importType(format, path string) (name, contentType string, err error) {
	for ext, t := range map[string][2]string{
		".json": {"json", "application/json"}, ".md": {"md", "text/markdown"}, ".csv": {"csv", "text/csv"}, ".html": {"bookmarks", "text/html"},
	} {
		if format == t[0] || format == "" && strings.EqualFold(filepath.Ext(path), ext) {
			return t[0], t[1], nil
		}
	}
	return "", "", usagef("--format must be json, md, csv or bookmarks, because the name of the file does not say it")
}
