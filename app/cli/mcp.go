package cli

import (
	"context"
	"os"
	"strings"
	"sync"

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
				return env.mcpThrough(c.Context, c.String("url"))
			}
			return env.mcpOn(c)
		},
	}
}

func urlFlag() cli.Flag {
	return &cli.StringFlag{Name: "url", EnvVars: []string{"HEARTH_URL"}, Usage: "the base `URL` of a server (default: the database file)"}
}

// Standard output carries the protocol alone.
func (e Env) mcpOn(c *cli.Context) error {
	if err := mustExist(c.String("db")); err != nil {
		return err
	}
	l, err := app.OpenLocal(c.Context, app.Config{DB: c.String("db"), Version: e.Version, Log: e.logger(), Out: e.Err, Now: e.Now})
	if err != nil {
		return err
	}
	s, err := l.MCP(os.Getenv(keyVariable))
	if err == nil {
		ctx, stop := context.WithCancel(c.Context)
		var keeping sync.WaitGroup
		keeping.Go(func() { l.KeepIndex(ctx) })
		err = ended(c.Context, s.Stdio(c.Context, e.In, e.Out))
		stop()
		keeping.Wait()
	}
	if closing := l.Close(c.Context); err == nil {
		err = closing
	}
	return err
}

func (e Env) mcpThrough(ctx context.Context, url string) error {
	r, err := mcp.Connect(ctx, remoteClient(), strings.TrimRight(url, "/"), os.Getenv(keyVariable), e.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	return ended(ctx, r.Stdio(ctx, e.In, e.Out))
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
