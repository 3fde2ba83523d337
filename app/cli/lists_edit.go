package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"hearth/app/list"
)

func objectFlag(c *cli.Context, name string) (any, error) {
	text := c.String(name)
	if text == "" {
		return nil, nil
	}
	v := jsontext.Value(text)
	if !v.IsValid() || v.Kind() != '{' && v.Kind() != 'n' {
		return nil, usagef("--%s must be a JSON object such as {\"key\": \"value\"}, or null", name)
	}
	return v, nil
}

func given(c *cli.Context, members map[string]string) (map[string]any, error) {
	body := map[string]any{}
	for flag, member := range members {
		if !c.IsSet(flag) {
			continue
		}
		body[member] = c.Value(flag)
		if member == "metadata" {
			v, err := objectFlag(c, flag)
			if err != nil {
				return nil, err
			}
			body[member] = v
		}
	}
	return body, nil
}

type oneList struct {
	List shownList `json:"list"`
}

type oneItem struct {
	Item shownItem `json:"item"`
}

func visibilityFlag(usage string) cli.Flag {
	return choice[list.CreateListIn](&cli.StringFlag{Name: "visibility", Usage: "`WHO` sees it: public, public-edit, unlisted or private" +
		usage}, "visibility")
}

func checkableFlag(usage string) cli.Flag {
	return &cli.BoolFlag{Name: "checkable", Usage: "items can be checked off" + usage}
}

func listsCreate(env Env) *cli.Command {
	flags := []cli.Flag{&cli.StringFlag{Name: "description", Usage: "what it is for (`TEXT`)"}, visibilityFlag(" (default: private)"),
		checkableFlag("")}
	return listsCommand(env, "create", "create a list", "TITLE", "Prints the id of the new list.", flags,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the TITLE")
			if err != nil {
				return err
			}
			body, err := given(c, map[string]string{"description": "description", "visibility": "visibility", "checkable": "checkable"})
			if err != nil {
				return err
			}
			body["title"] = args[0]
			var out oneList
			raw, err := client.call(c.Context, "POST", "/api/lists", body, &out)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() { env.print("%s", out.List.ID) })
		}, "hearth lists create --url https://lists.example.org --visibility public \"Good bakeries\"")
}

func listsAdd(env Env) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "link", Usage: "where it can be found (`URL`)"},
		&cli.StringFlag{Name: "metadata", Usage: "anything else, as a `JSON` object"},
		&cli.StringFlag{Name: "reporter", Usage: "with the public agent key: the `NAME` of who found it"},
	}
	return listsCommand(env, "add", "add an item to a list", "LIST TEXT",
		"Prints the id of the new item. TEXT is - to read it from the input.", flags,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the id of the LIST", "the TEXT")
			if err != nil {
				return err
			}
			if args[1] == "-" {
				b, err := io.ReadAll(io.LimitReader(env.In, 64<<10))
				if err != nil {
					return err
				}
				args[1] = string(b)
			}
			body, err := given(c, map[string]string{"link": "link", "metadata": "metadata", "reporter": "reporter"})
			if err != nil {
				return err
			}
			body["content"] = args[1]
			var out oneItem
			raw, err := client.call(c.Context, "POST", listPath(args[0])+"/items", body, &out)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() { env.print("%s", out.Item.ID) })
		}, "hearth lists add --url https://lists.example.org --link https://mill.example/ 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43 \"Mill Street\"")
}

func listsEdit(env Env) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "title", Usage: "of a list (`TEXT`)"}, &cli.StringFlag{Name: "description", Usage: "of a list (`TEXT`)"},
		visibilityFlag(", of a list"),
		checkableFlag(", in a list; --checkable=false ends it"),
		&cli.StringFlag{Name: "content", Usage: "of an item (`TEXT`)"},
		&cli.StringFlag{Name: "link", Usage: "of an item (`URL`); \"\" removes it"},
		&cli.StringFlag{Name: "note", Usage: "where an item comes from (`TEXT`)"},
		&cli.StringFlag{Name: "metadata", Usage: "of an item, a `JSON` object or null"},
		number[list.UpdateItemIn](&cli.IntFlag{Name: "position", Usage: "moves an item to `N`, 0 is the top"}, "position"),
	}
	return listsCommand(env, "edit", "change a list or an item, or move an item", "LIST [ITEM]", "Only what is named changes.", flags,
		func(c *cli.Context, client *listsClient) error {
			members, item := map[string]string{"title": "title", "description": "description", "visibility": "visibility", "checkable": "checkable"},
				c.NArg() == 2
			if item {
				members = map[string]string{"content": "content", "link": "link", "note": "source_note", "metadata": "metadata", "position": "position"}
			}
			path, err := target(c)
			if err != nil {
				return err
			}
			body, err := given(c, members)
			if err != nil {
				return err
			}
			if len(body) == 0 {
				return usagef("nothing to change is named. See: %s --help", c.Command.HelpName)
			}
			raw, err := client.call(c.Context, "PATCH", path, body, nil)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() { env.print("Changed.") })
		}, "hearth lists edit --url https://lists.example.org --title \"Bakeries\" 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43",
		"hearth lists edit --position 0 LIST ITEM")
}

func target(c *cli.Context) (string, error) {
	if c.NArg() == 2 {
		args, err := arguments(c, "the id of the LIST", "the id of the ITEM")
		if err != nil {
			return "", err
		}
		return listPath(args[0], args[1]), nil
	}
	args, err := arguments(c, "the id of the LIST")
	if err != nil {
		return "", err
	}
	return listPath(args[0]), nil
}

func listsCheck(env Env) *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "remove", Usage: "it is not done after all"}}
	return listsCommand(env, "check", "check off an item of a checkable list", "LIST ITEM",
		"Prints the item with its box. \"edit --checkable LIST\" makes a list checkable.", flags,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the id of the LIST", "the id of the ITEM")
			if err != nil {
				return err
			}
			var out oneItem
			raw, err := client.call(c.Context, "PATCH", listPath(args[0], args[1]), map[string]any{"checked": !c.Bool("remove")}, &out)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() { env.print("%s%s", out.Item.box(), line(out.Item.Content, 100)) })
		}, "hearth lists check --url https://lists.example.org LIST ITEM")
}

func listsStar(env Env) *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "remove", Usage: "take your star back"}}
	return listsCommand(env, "star", "star an item", "LIST ITEM", "Prints how many stars it has, if the account or the key may read.", flags,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the id of the LIST", "the id of the ITEM")
			if err != nil {
				return err
			}
			method := "PUT"
			if c.Bool("remove") {
				method = "DELETE"
			}
			var out oneItem
			raw, err := client.call(c.Context, method, listPath(args[0], args[1])+"/star", nil, &out)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() {
				switch {
				case out.Item.told():
					env.print("★ %d", out.Item.StarCount)
				case c.Bool("remove"):
					env.print("No longer starred.")
				default:
					env.print("Starred.")
				}
			})
		}, "hearth lists star --url https://lists.example.org LIST ITEM")
}

func listsRm(env Env) *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "delete a whole list"}}
	return listsCommand(env, "rm", "delete an item, or with --yes a list", "LIST [ITEM]", "This cannot be undone.", flags,
		func(c *cli.Context, client *listsClient) error {
			path, err := target(c)
			if err != nil {
				return err
			}
			if c.NArg() == 1 && !c.Bool("yes") {
				return usagef("add --yes to delete the list with all its items")
			}
			if _, err := client.call(c.Context, "DELETE", path, nil, nil); err != nil {
				return err
			}
			return env.show(c, []byte(`{"deleted":true}`), func() { env.print("Deleted.") })
		}, "hearth lists rm --url https://lists.example.org LIST ITEM")
}

func listsExport(env Env) *cli.Command {
	flags := []cli.Flag{
		choice[list.ExportIn](&cli.StringFlag{Name: "format", Value: "json", Usage: "`FORMAT`: json, md or csv"}, "format"),
		&cli.StringFlag{Name: "out", Usage: "write to a new `FILE` (default: the output)"},
	}
	return listsCommand(env, "export", "write a list to a file", "LIST", "JSON can be imported again without a difference.", flags,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the id of the LIST")
			if err != nil {
				return err
			}
			res, err := client.send(c.Context, "GET", listPath(args[0])+"/export?format="+url.QueryEscape(c.String("format")), "", nil)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			return env.save(c.String("out"), res.Body)
		}, "hearth lists export --url https://lists.example.org --out bakeries.json 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43")
}

// save removes an incomplete file. The output is used if path is "".
func (e Env) save(path string, r io.Reader) (err error) {
	out := e.Out
	if path != "" {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		defer func() {
			if closing := f.Close(); err == nil {
				err = closing
			}
			if err != nil {
				os.Remove(path)
			}
		}()
		out = f
	}
	show, done := progress(e.Err)
	defer done()
	n, err := io.Copy(out, &counted{r: r, total: 0, doing: "exporting", show: show})
	if err == nil && path != "" {
		done()
		e.print("%s: %d bytes", path, n)
	}
	return err
}

type counted struct {
	r         io.Reader
	at, total int64
	doing     string
	show      func(doing string, at, total int64) // nil without a terminal
}

func (r *counted) Read(b []byte) (n int, err error) {
	n, err = r.r.Read(b)
	if r.at += int64(n); r.show != nil {
		r.show(r.doing, r.at, r.total)
	}
	return n, err
}

func importTypes() map[string][2]string {
	return map[string][2]string{
		".json": {"json", "application/json"}, ".md": {"md", "text/markdown"}, ".csv": {"csv", "text/csv"}, ".html": {"bookmarks", "text/html"},
	}
}

func listsImport(env Env) *cli.Command {
	flags := []cli.Flag{
		choice[list.ImportIn](&cli.StringFlag{Name: "format", Usage: "`FORMAT`: json, md, csv or bookmarks (default: from the name of the file)"},
			"format"),
		&cli.StringFlag{Name: "title", Usage: "instead of that in the file (`TEXT`)"}, visibilityFlag(" (default: private)"),
	}
	return listsCommand(env, "import", "create a list from a file", "FILE",
		"FILE is an export, or the bookmarks of a browser. Prints the id of the new list.", flags,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the FILE")
			if err != nil {
				return err
			}
			b, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			format, kind, err := importType(c.String("format"), args[0])
			if err != nil {
				return err
			}
			q := url.Values{"format": {format}}
			for _, name := range []string{"title", "visibility"} {
				if v := c.String(name); v != "" {
					q.Set(name, v)
				}
			}
			show, done := progress(env.Err)
			res, err := client.send(c.Context, "POST", "/api/lists/import?"+q.Encode(), kind,
				&counted{r: bytes.NewReader(b), total: int64(len(b)), doing: "importing", show: show})
			done()
			if err != nil {
				return err
			}
			defer res.Body.Close()
			raw, err := client.read(res)
			if err != nil {
				return err
			}
			return env.imported(c, raw)
		}, "hearth lists import --url https://lists.example.org --visibility public bakeries.json")
}

func importType(format, path string) (string, string, error) {
	for ext, t := range importTypes() {
		if format == t[0] || format == "" && strings.EqualFold(filepath.Ext(path), ext) {
			return t[0], t[1], nil
		}
	}
	return "", "", usagef("--format must be json, md, csv or bookmarks, because the name of the file does not say it")
}

func (e Env) imported(c *cli.Context, raw []byte) error {
	var out oneList
	if err := decode(raw, &out); err != nil {
		return err
	}
	return e.show(c, raw, func() {
		e.print("%s", out.List.ID)
		if !out.List.told() {
			fmt.Fprintln(e.Err, "Imported.")
			return
		}
		fmt.Fprintf(e.Err, "%s imported.\n", count(out.List.ItemCount, "item"))
	})
}
