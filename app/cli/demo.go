package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/demo"
)

const demoLinks = 3

// Demo is "hearth demo".
func Demo(env Env) *cli.Command {
	flags := serverFlags(&cli.StringFlag{Name: "db", Usage: "store the sample data in this new `FILE` (default: a temporary file)"})
	flags = append(flags, &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`NUMBER` that seeds the random sample data"})
	return command{
		name: "demo", usage: "run a server with sample data",
		about: "Creates a community with some weeks of conversations and lists, serves it, and prints links to sign\n" +
			"in as some of its members. Two agents answer when they are asked. Without --db everything is deleted when the command ends.",
		examples: []string{"hearth demo"}, flags: flags,
		do: func(c *cli.Context, _ []string) error {
			cfg, err := env.config(c)
			if err != nil {
				return err
			}
			return env.demo(c, cfg)
		},
	}.build()
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
	cfg.ContextLane = true
	ctx, cancel := context.WithCancel(c.Context)
	var agents sync.WaitGroup
	defer agents.Wait()
	defer cancel()
	return e.serve(c.Context, cfg, func(a *app.App) error {
		for _, agent := range info.Agents {
			agents.Go(func() { agent.Run(ctx, a.Lane()) })
		}
		e.print("\nSample data: %d people, %d conversations with %d messages, %d lists with %d items.",
			len(info.People), info.Conversations, info.Messages, info.Lists, info.Items)
		return e.demoLinks(c.Context, a, info.People)
	})
}

func (e Env) demoLinks(ctx context.Context, a *app.App, people []demo.Person) error {
	e.print("Sign in as one of them. Each link works once, within 15 minutes. Use two browsers to chat with yourself:")
	for _, p := range people[:min(len(people), demoLinks)] {
		link, err := a.LinkFor(ctx, p.Email, false, "")
		if err != nil {
			return fmt.Errorf("sign-in link for %s: %w", p.Email, err)
		}
		e.print("  %-16s %s", p.Name, link)
	}
	e.print("More links, while this is running:  hearth user link --db %s EMAIL\n", absolute(a.DB().Path()))
	return nil
}
