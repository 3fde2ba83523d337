package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/demo"
)

// demoLinks is how many of the people get a sign-in link: enough to see a
// conversation from both ends.
const demoLinks = 3

// Demo is "hearth demo".
func Demo(env Env) *cli.Command {
	flags := serverFlags(&cli.StringFlag{Name: "db", Usage: "keep the community in this new `FILE` (default: one that is thrown away at the end)"})
	flags = append(flags, &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`NUMBER` that the made-up community follows from"})
	return &cli.Command{
		Name: "demo", Usage: "look around in a made-up community",
		Description: describe("Makes up a community that has talked and collected for some weeks, serves it, and prints links to\n"+
			"sign in as some of its people. Without --db everything is thrown away at the end.",
			"hearth demo"),
		Flags: flags,
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			cfg, err := env.config(c)
			if err != nil {
				return err
			}
			return env.demo(c, cfg)
		},
	}
}

func (e Env) demo(c *cli.Context, cfg app.Config) error {
	if cfg.DB == "" {
		dir, err := os.MkdirTemp("", "hearth-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		cfg.DB = filepath.Join(dir, "demo.db")
	}
	info, err := demo.Seed(c.Context, cfg.DB, e.Schema, c.Uint64("seed"), e.Now())
	if err != nil {
		return err
	}
	return e.serve(c.Context, cfg, func(a *app.App) error {
		e.say("\nA made-up community: %d people, %d conversations with %d messages, %d lists with %d items.",
			len(info.People), info.Conversations, info.Messages, info.Lists, info.Items)
		return e.demoLinks(c.Context, a, info.People)
	})
}

func (e Env) demoLinks(ctx context.Context, a *app.App, people []demo.Person) error {
	e.say("Sign in as one of them, each link once within 15 minutes; use two browsers to see them talk:")
	for _, p := range people[:min(len(people), demoLinks)] {
		link, err := a.SignInURL(ctx, p.Email)
		if err != nil {
			return fmt.Errorf("a link for %s: %w", p.Email, err)
		}
		e.say("  %-16s %s", p.Name, link)
	}
	e.say("More of these, while it runs:  hearth user link --db %s EMAIL\n", absolute(a.DB().Path()))
	return nil
}
