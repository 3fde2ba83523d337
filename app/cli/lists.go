package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
		Subcommands: slices.Concat(listReads(env), listChanges(env), itemChanges(env)),
	}
}

// asking is a call of a command over the API of lists.
type asking struct {
	Env
	*listsClient
	c    *cli.Context
	args []string
}

const (
	theList     = "the id of the LIST"
	theItem     = "the id of the ITEM"
	exampleList = "2d1f7a86-93f1-4c8f-a3e5-0f6b7a0b7f43"
	exampleURL  = "--url https://lists.example.org "
)

// overLists returns a command over the API of lists.
func (e Env) overLists(k command, do func(a *asking) error) *cli.Command {
	for i, example := range k.examples {
		k.examples[i] = "hearth lists " + k.name + " " + example
	}
	k.flags = append([]cli.Flag{urlFlag(), dbFlag(), &cli.StringFlag{Name: "as", Usage: "the `EMAIL` of the account, with the database file"},
		jsonFlag()}, k.flags...)
	k.do = func(c *cli.Context, args []string) error {
		client, err := e.listsClient(c)
		if err != nil {
			return err
		}
		return errors.Join(do(&asking{e, client, c, args}), client.close())
	}
	return k.build()
}

// ask sends a request and shows the answer, or prints it as JSON.
func ask[T any](a *asking, method, path string, body any, show func(T)) error {
	var out T
	raw, err := a.call(a.c.Context, method, path, body, &out)
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
		return &listsClient{base: base, http: remoteClient(), key: key, session: savedToken(base, e.Now()),
			close: func() error { return nil }}, nil
	}
	if err := mustExist(c.String("db")); err != nil {
		return nil, err
	}
	d, err := app.OpenDatabase(c.Context, e.quietConfig(c))
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

func listReads(env Env) []*cli.Command {
	return []*cli.Command{
		env.overLists(command{
			name: "ls", usage: "list the public lists, or your own", about: "One line per list, the newest change first.",
			examples: []string{"--url https://lists.example.org"},
			flags: []cli.Flag{
				&cli.BoolFlag{Name: "mine", Usage: "your own lists and those shared with you"},
				number[list.ListsIn](&cli.IntFlag{Name: "limit", Value: 50, Usage: "at most `N` lists, up to 100"}, "limit"),
				number[list.ListsIn](&cli.IntFlag{Name: "offset", Usage: "after the first `N`"}, "offset"),
			},
		}, func(a *asking) error {
			which := "public"
			if a.c.Bool("mine") {
				which = "mine"
			}
			q := url.Values{which: {"true"}, "limit": {fmt.Sprint(a.c.Int("limit"))}, "offset": {fmt.Sprint(a.c.Int("offset"))}}
			return ask(a, "GET", "/api/lists?"+q.Encode(), nil, a.listTable)
		}),
		env.overLists(command{
			name: "show", usage: "show a list with its items", args: "LIST", names: []string{theList}, about: "LIST is the id of a list.",
			examples: []string{exampleURL + exampleList},
		}, showList),
		env.overLists(command{
			name: "search", usage: "search lists and items", args: "WORDS", names: []string{anyWords},
			about:    "All words must be there, also as the beginning of longer ones; \"quoted words\" in their order.",
			examples: []string{exampleURL + "sourdough bread"},
			flags: []cli.Flag{
				number[list.SearchIn](&cli.IntFlag{Name: "limit", Value: 20, Usage: "at most `N` lists and items, up to 100"}, "limit"),
				&cli.StringFlag{Name: "cursor", Usage: "continue after a page, with its `CURSOR`"},
			},
		}, func(a *asking) error {
			q := url.Values{"q": {strings.Join(a.args, " ")}, "limit": {fmt.Sprint(a.c.Int("limit"))}}
			if cursor := a.c.String("cursor"); cursor != "" {
				q.Set("cursor", cursor)
			}
			return ask(a, "GET", "/api/search?"+q.Encode(), nil, a.foundTable)
		}),
		env.overLists(command{
			name: "watch", usage: "print changes of a list as they happen", args: "LIST", names: []string{theList},
			about:    "One line per change, until it is interrupted. After a break it continues where it was. Needs --url.",
			examples: []string{exampleURL + exampleList},
		}, func(a *asking) error {
			if a.local {
				return usagef("watch needs a running server: name it with --url")
			}
			return a.watch(a.c.Context, listPath(a.args), func(e change) { a.printChange(a.c.Bool("json"), e) })
		}),
	}
}

func showList(a *asking) error {
	type page struct {
		List  shownList   `json:"list"`
		Items []shownItem `json:"items"`
	}
	var shown page
	if _, err := a.call(a.c.Context, "GET", listPath(a.args), nil, &shown); err != nil {
		return err
	}
	shown.Items = []shownItem{}
	for more := true; more; {
		var next page
		path := fmt.Sprintf("%s/items?limit=100&offset=%d", listPath(a.args), len(shown.Items))
		if _, err := a.call(a.c.Context, "GET", path, nil, &next); err != nil {
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
func given(c *cli.Context, flags ...string) (map[string]any, error) {
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
		default:
			body[flag] = c.Value(flag)
		}
	}
	return body, nil
}
