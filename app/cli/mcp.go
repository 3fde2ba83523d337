package cli

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"hearth/app"
	"hearth/app/mcp"
)

const keyVariable = "LISTS_API_KEY"

// MCP is "hearth mcp", which serves tools for agents over stdio.
func MCP(env Env) *Command {
	return &Command{
		name: "mcp", usage: "serve the lists to an agent as tools",
		about: "Speaks the Model Context Protocol over standard input and output, on the database file, also while a server\n" +
			"uses it, or through a server. " + keyVariable + " has the key of calls that name none; without it, public lists can be read.",
		examples: []string{"hearth mcp --db /var/lib/hearth/hearth.db", keyVariable + "=cl_… hearth mcp --url https://lists.example.org"},
		options:  []*option{dbFlag(), urlFlag()},
		do: func(c *call, _ []string) error {
			if c.String("url") != "" {
				return env.mcpThrough(c.ctx, remoteClient(), c.String("url"))
			}
			if err := mustExist(c.String("db")); err != nil {
				return err
			}
			return env.mcpThrough(c.ctx, &http.Client{Transport: onDatabase{env.quietConfig(c)}}, "http://localhost")
		},
	}
}

func urlFlag() *option {
	return text("url", "", "the base `URL` of a server (default: the database file)", nil)
}

func (e Env) mcpThrough(ctx context.Context, client *http.Client, url string) error {
	r, err := mcp.Connect(ctx, client, strings.TrimRight(url, "/"), os.Getenv(keyVariable), e.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Stdio(ctx, e.In, e.Out); ctx.Err() == nil {
		return err
	}
	return nil
}

// quietConfig is the configuration of a command whose output is for programs.
func (e Env) quietConfig(c *call) app.Config {
	return app.Config{DB: c.String("db"), Version: e.Version, Log: slog.New(slog.DiscardHandler), Out: e.Err, Now: e.Now}
}

// onDatabase finds the database again for each request, so that a server can start and stop between them.
type onDatabase struct{ cfg app.Config }

func (t onDatabase) RoundTrip(r *http.Request) (*http.Response, error) {
	d, err := app.OpenDatabase(r.Context(), t.cfg)
	if err != nil {
		return nil, err
	}
	res, err := d.RoundTrip(r)
	return res, errors.Join(err, d.Close())
}
