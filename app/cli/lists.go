package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/fetch"
	"hearth/app/list"
)

// Lists is "hearth lists", which reads and edits lists on a server or in the database file.
func Lists(env Env) *cli.Command {
	return &cli.Command{
		Name: "lists", Usage: "read and edit lists, on a server or in the database file",
		Description: describe("With --url it uses a server: "+keyVariable+
			" is sent with reads, and edits need the session of \"hearth login\" or an\n"+
			"agent key (oc_) in "+keyVariable+". Without, it works on the database of --db; --as names the account.\n"+
			"Exit status: 0 done, 1 failed, 2 wrong command line, 3 not allowed, 4 not found, 5 try again later.",
			"hearth lists ls --url https://lists.example.org",
			"hearth lists show --db hearth.db 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43",
			"hearth lists ls --json --mine --as ada@example.org"),
		Subcommands: []*cli.Command{
			listsLs(env), listsShow(env), listsSearch(env), listsWatch(env), listsExport(env),
			listsCreate(env), listsAdd(env), listsEdit(env), listsCheck(env), listsStar(env), listsRm(env), listsImport(env),
		},
	}
}

func listsFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		urlFlag(), dbFlag(),
		&cli.StringFlag{Name: "as", Usage: "the `EMAIL` of the account, with the database file"},
		jsonFlag(),
	}, more...)
}

func listsCommand(env Env, name, usage, args, about string, flags []cli.Flag, do func(c *cli.Context, client *listsClient) error,
	examples ...string) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: args, Description: describe(about, examples...), Flags: listsFlags(flags...),
		Action: func(c *cli.Context) error {
			client, err := env.listsClient(c)
			if err != nil {
				return err
			}
			return errors.Join(do(c, client), client.close())
		},
	}
}

func (e Env) listsClient(c *cli.Context) (*listsClient, error) {
	key := os.Getenv(keyVariable)
	if base := c.String("url"); base != "" {
		if c.String("as") != "" {
			return nil, usagef("--as is for the database file. With --url, sign in with: hearth login --url %s EMAIL", base)
		}
		base, err := checkBase(base)
		if err != nil {
			return nil, err
		}
		return &listsClient{base: base, http: remoteClient(), key: key, session: func() string { return savedToken(base, e.Now()) },
			close: func() error { return nil }}, nil
	}
	if err := mustExist(c.String("db")); err != nil {
		return nil, err
	}
	d, err := app.OpenDatabase(c.Context, app.Config{DB: c.String("db"), Version: e.Version, Log: quiet(), Out: e.Err, Now: e.Now})
	if err != nil {
		return nil, err
	}
	if c.String("as") != "" {
		key = ""
	}
	return &listsClient{base: "http://localhost", http: &http.Client{Transport: d}, key: key, as: c.String("as"),
		session: func() string { return "" }, local: true, close: d.Close}, nil
}

func checkBase(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || !fetch.IsWeb(u) {
		return "", usagef("--url must be the address of a server, such as https://lists.example.org, not %q", base)
	}
	return strings.TrimRight(base, "/"), nil
}

func listsLs(env Env) *cli.Command {
	flags := []cli.Flag{
		&cli.BoolFlag{Name: "mine", Usage: "your own lists and those shared with you"},
		number[list.ListsIn](&cli.IntFlag{Name: "limit", Value: 50, Usage: "at most `N` lists, up to 100"}, "limit"),
		number[list.ListsIn](&cli.IntFlag{Name: "offset", Usage: "after the first `N`"}, "offset"),
	}
	return listsCommand(env, "ls", "list the public lists, or your own", "", "One line per list, the newest change first.", flags,
		func(c *cli.Context, client *listsClient) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			which := "public"
			if c.Bool("mine") {
				which = "mine"
			}
			q := url.Values{which: {"true"}, "limit": {fmt.Sprint(c.Int("limit"))}, "offset": {fmt.Sprint(c.Int("offset"))}}
			var out listsPage
			raw, err := client.call(c.Context, "GET", "/api/lists?"+q.Encode(), nil, &out)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() { env.listTable(out) })
		}, "hearth lists ls --url https://lists.example.org")
}

func listsShow(env Env) *cli.Command {
	return listsCommand(env, "show", "show a list with its items", "LIST", "LIST is the id of a list.", nil,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the id of the LIST")
			if err != nil {
				return err
			}
			var l struct {
				List shownList `json:"list"`
			}
			if _, err := client.call(c.Context, "GET", listPath(args[0]), nil, &l); err != nil {
				return err
			}
			items, err := client.items(c.Context, args[0])
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return env.printJSON(map[string]any{"list": l.List, "items": items})
			}
			env.listPage(l.List, items)
			return nil
		}, "hearth lists show --url https://lists.example.org 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43")
}

func listsSearch(env Env) *cli.Command {
	flags := []cli.Flag{
		number[list.SearchIn](&cli.IntFlag{Name: "limit", Value: 20, Usage: "at most `N` lists and items, up to 100"}, "limit"),
		&cli.StringFlag{Name: "cursor", Usage: "continue after a page, with its `CURSOR`"},
	}
	return listsCommand(env, "search", "search lists and items", "WORDS",
		"All words must be there, also as the beginning of longer ones; \"quoted words\" in their order.", flags,
		func(c *cli.Context, client *listsClient) error {
			words := strings.Join(c.Args().Slice(), " ")
			if words == "" {
				return usagef("WORDS are missing. See: %s --help", c.Command.HelpName)
			}
			q := url.Values{"q": {words}, "limit": {fmt.Sprint(c.Int("limit"))}}
			if cursor := c.String("cursor"); cursor != "" {
				q.Set("cursor", cursor)
			}
			var out foundPage
			raw, err := client.call(c.Context, "GET", "/api/search?"+q.Encode(), nil, &out)
			if err != nil {
				return err
			}
			return env.show(c, raw, func() { env.foundTable(out) })
		}, "hearth lists search --url https://lists.example.org sourdough bread")
}

func listsWatch(env Env) *cli.Command {
	return listsCommand(env, "watch", "print changes of a list as they happen", "LIST",
		"One line per change, until it is interrupted. After a break it continues where it was. Needs --url.", nil,
		func(c *cli.Context, client *listsClient) error {
			args, err := arguments(c, "the id of the LIST")
			if err != nil {
				return err
			}
			if client.local {
				return usagef("watch needs a running server: name it with --url")
			}
			return client.watch(c.Context, args[0], func(e change) { env.printChange(c.Bool("json"), e) })
		}, "hearth lists watch --url https://lists.example.org 2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43")
}

func listPath(id string, items ...string) string {
	path := "/api/lists/" + url.PathEscape(id)
	for _, i := range items {
		path += "/items/" + url.PathEscape(i)
	}
	return path
}

const maxItems = 20_000

func (c *listsClient) items(ctx context.Context, id string) (all []shownItem, err error) {
	all = []shownItem{}
	for {
		var page struct {
			Items []shownItem `json:"items"`
		}
		if _, err := c.call(ctx, "GET", fmt.Sprintf("%s/items?limit=100&offset=%d", listPath(id), len(all)), nil, &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); len(page.Items) < 100 {
			return all, nil
		}
		if len(all) > maxItems {
			return nil, fmt.Errorf("%s has more than %d items in one list, and is perhaps no hearth server", c.base, maxItems)
		}
	}
}
