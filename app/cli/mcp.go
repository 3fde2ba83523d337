package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/mcp"
)

const keyVariable = "LISTS_API_KEY"

// MCP is "hearth mcp", which serves tools for agents over stdio.
func MCP(env Env) *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve the lists to an agent as tools",
		Description: describe("Speaks the Model Context Protocol over standard input and output, on the database file, also while a server\n"+
			"uses it, or through a server. "+keyVariable+" has the key of calls that name none; without it, public lists can be read.",
			"hearth mcp --db /var/lib/hearth/hearth.db",
			keyVariable+"=cl_… hearth mcp --url https://lists.example.org"),
		Flags: []cli.Flag{dbFlag(), urlFlag()},
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			if c.String("url") != "" {
				return env.mcpThrough(c.Context, remoteClient(), c.String("url"))
			}
			if err := mustExist(c.String("db")); err != nil {
				return err
			}
			return env.mcpThrough(c.Context, &http.Client{Transport: onDatabase{app.Config{DB: c.String("db"), Version: env.Version,
				Log: quiet(), Out: env.Err, Now: env.Now}}}, "http://localhost")
		},
	}
}

func urlFlag() cli.Flag {
	return &cli.StringFlag{Name: "url", EnvVars: []string{"HEARTH_URL"}, Usage: "the base `URL` of a server (default: the database file)"}
}

func (e Env) mcpThrough(ctx context.Context, client *http.Client, url string) error {
	r, err := mcp.Connect(ctx, client, strings.TrimRight(url, "/"), os.Getenv(keyVariable), e.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	return ended(ctx, r.Stdio(ctx, e.In, e.Out))
}

// onDatabase finds the database anew for each request, so that a server can start and stop between them.
type onDatabase struct{ cfg app.Config }

func (t onDatabase) RoundTrip(r *http.Request) (*http.Response, error) {
	d, err := app.OpenDatabase(r.Context(), t.cfg)
	if err != nil {
		return nil, err
	}
	res, err := d.RoundTrip(r)
	return res, errors.Join(err, d.Close())
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
