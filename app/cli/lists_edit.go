package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/urfave/cli/v2"

	"hearth/app/list"
)

func visibilityFlag(usage string) cli.Flag {
	return choice[list.CreateListIn](&cli.StringFlag{Name: "visibility", Usage: "`WHO` sees it: public, public-edit, unlisted or private" +
		usage}, "visibility")
}

func checkableFlag(usage string) cli.Flag {
	return &cli.BoolFlag{Name: "checkable", Usage: "items can be checked off" + usage}
}

func removeFlag(usage string) []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "remove", Usage: usage}}
}

func listChanges(env Env) []*cli.Command {
	return []*cli.Command{
		env.overLists(command{
			name: "export", usage: "write a list to a file", args: "LIST", names: []string{theList},
			about:    "JSON can be imported again without a difference.",
			examples: []string{exampleURL + "--out bakeries.json " + exampleList},
			flags: []cli.Flag{
				choice[list.ExportIn](&cli.StringFlag{Name: "format", Value: "json", Usage: "`FORMAT`: json, md or csv"}, "format"),
				&cli.StringFlag{Name: "out", Usage: "write to a new `FILE` (default: the output)"},
			},
		}, func(a *asking) error {
			res, err := a.send(a.c.Context, "GET", listPath(a.args)+"/export?format="+url.QueryEscape(a.c.String("format")), "", nil)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			return a.save(a.c.String("out"), res.Body)
		}),
		env.overLists(command{
			name: "create", usage: "create a list", args: "TITLE", names: []string{"the TITLE"}, about: "Prints the id of the new list.",
			examples: []string{exampleURL + "--visibility public \"Good bakeries\""},
			flags: []cli.Flag{&cli.StringFlag{Name: "description", Usage: "what it is for (`TEXT`)"}, visibilityFlag(" (default: private)"),
				checkableFlag("")},
		}, func(a *asking) error {
			body, err := given(a.c, "description", "visibility", "checkable")
			if err != nil {
				return err
			}
			body["title"] = a.args[0]
			return ask(a, "POST", "/api/lists", body, func(made changed) { a.print("%s", made.List.ID) })
		}),
		env.overLists(command{
			name: "add", usage: "add an item to a list", args: "LIST TEXT", names: []string{theList, "the TEXT"},
			about:    "Prints the id of the new item. TEXT is - to read it from the input.",
			examples: []string{exampleURL + "--link https://mill.example/ " + exampleList + " \"Mill Street\""},
			flags: []cli.Flag{
				&cli.StringFlag{Name: "link", Usage: "where it can be found (`URL`)"},
				&cli.StringFlag{Name: "metadata", Usage: "anything else, as a `JSON` object"},
				&cli.StringFlag{Name: "reporter", Usage: "with the public agent key: the `NAME` of who found it"},
			},
		}, addItem),
		env.overLists(command{
			name: "edit", usage: "change a list or an item, or move an item", args: "LIST [ITEM]", names: []string{theList, "[ITEM]"},
			about:    "Only what is named changes.",
			examples: []string{exampleURL + "--title \"Bakeries\" " + exampleList, "--position 0 LIST ITEM"},
			flags: []cli.Flag{
				&cli.StringFlag{Name: "title", Usage: "of a list (`TEXT`)"}, &cli.StringFlag{Name: "description", Usage: "of a list (`TEXT`)"},
				visibilityFlag(", of a list"),
				checkableFlag(", in a list; --checkable=false ends it"),
				&cli.StringFlag{Name: "content", Usage: "of an item (`TEXT`)"},
				&cli.StringFlag{Name: "link", Usage: "of an item (`URL`); \"\" removes it"},
				&cli.StringFlag{Name: "note", Usage: "where an item comes from (`TEXT`)"},
				&cli.StringFlag{Name: "metadata", Usage: "of an item, a `JSON` object or null"},
				number[list.UpdateItemIn](&cli.IntFlag{Name: "position", Usage: "moves an item to `N`, 0 is the top"}, "position"),
			},
		}, edit),
	}
}

func itemChanges(env Env) []*cli.Command {
	return []*cli.Command{
		env.overLists(command{
			name: "check", usage: "check off an item of a checkable list", args: "LIST ITEM", names: []string{theList, theItem},
			about:    "Prints the item with its box. \"edit --checkable LIST\" makes a list checkable.",
			examples: []string{exampleURL + "LIST ITEM"}, flags: removeFlag("it is not done after all"),
		}, func(a *asking) error {
			return ask(a, "PATCH", listPath(a.args), map[string]any{"checked": !a.c.Bool("remove")}, func(now changed) {
				a.print("%s%s", now.Item.box(), line(now.Item.Content, 100))
			})
		}),
		env.overLists(command{
			name: "star", usage: "star an item", args: "LIST ITEM", names: []string{theList, theItem},
			about:    "Prints how many stars it has, if the account or the key may read.",
			examples: []string{exampleURL + "LIST ITEM"}, flags: removeFlag("take your star back"),
		}, starItem),
		env.overLists(command{
			name: "rm", usage: "delete an item, or with --yes a list", args: "LIST [ITEM]", names: []string{theList, "[ITEM]"},
			about: "This cannot be undone.", examples: []string{exampleURL + "LIST ITEM"},
			flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "delete a whole list"}},
		}, func(a *asking) error {
			if len(a.args) == 1 && !a.c.Bool("yes") {
				return usagef("add --yes to delete the list with all its items")
			}
			if _, err := a.call(a.c.Context, "DELETE", listPath(a.args), nil, nil); err != nil {
				return err
			}
			return a.show(a.c, []byte(`{"deleted":true}`), func() { a.print("Deleted.") })
		}),
		env.overLists(command{
			name: "import", usage: "create a list from a file", args: "FILE", names: []string{"the FILE"},
			about:    "FILE is an export, or the bookmarks of a browser. Prints the id of the new list.",
			examples: []string{exampleURL + "--visibility public bakeries.json"},
			flags: []cli.Flag{
				choice[list.ImportIn](&cli.StringFlag{Name: "format",
					Usage: "`FORMAT`: json, md, csv or bookmarks (default: from the name of the file)"}, "format"),
				&cli.StringFlag{Name: "title", Usage: "instead of that in the file (`TEXT`)"}, visibilityFlag(" (default: private)"),
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
		return usagef("nothing to change is named. See: %s --help", a.c.Command.HelpName)
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
	e.print("%s: %d bytes", path, n)
	return nil
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
	res, err := a.send(a.c.Context, "POST", "/api/lists/import?"+q.Encode(), kind, bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var made changed
	if err := json.Unmarshal(raw, &made); err != nil {
		return err
	}
	return a.show(a.c, raw, func() {
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
