package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/store"
)

// User is "hearth user": what those who run a server do with accounts. All of
// it works beside a running server, which takes notice at once.
func User(env Env) *cli.Command {
	email := func(name, usage, about string, do func(ctx context.Context, d *app.Desk, email string) error) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "EMAIL",
			Description: describe(about, "hearth user "+name+" ada@example.org"),
			Flags:       []cli.Flag{dbFlag()},
			Action: func(c *cli.Context) error {
				args, err := arguments(c, "the EMAIL of the account")
				if err != nil {
					return err
				}
				return env.atDesk(c, func(d *app.Desk) error { return do(c.Context, d, args[0]) })
			},
		}
	}
	return &cli.Command{
		Name: "user", Usage: "list people, let them in, shut them out",
		Description: describe("Works on the database file, also while it is being served.", "hearth user ls"),
		Subcommands: []*cli.Command{
			userList(env),
			userLink(env),
			email("promote", "make somebody an administrator", "The account may run the server from its pages.",
				func(ctx context.Context, d *app.Desk, email string) error {
					if err := d.Promote(ctx, email); err != nil {
						return err
					}
					env.say("%s is an administrator now.", email)
					return nil
				}),
			email("suspend", "shut somebody out", "Sessions and live streams end at once, keys stop working; nothing is deleted.",
				func(ctx context.Context, d *app.Desk, email string) error {
					if err := d.Suspend(ctx, email); err != nil {
						return err
					}
					env.say("%s is shut out. To let them in again:\n   hearth user unsuspend %s", email, email)
					return nil
				}),
			email("unsuspend", "let somebody in again", "Ends what suspend began. Keys work again; sessions have to be begun anew.",
				func(ctx context.Context, d *app.Desk, email string) error {
					if err := d.Unsuspend(ctx, email); err != nil {
						return err
					}
					env.say("%s may come in again. A sign-in link for them:\n   hearth user link %s", email, email)
					return nil
				}),
		},
	}
}

// atDesk opens the database beside a server that may be running.
func (e Env) atDesk(c *cli.Context, f func(*app.Desk) error) error {
	if err := mustExist(c.String("db")); err != nil {
		return err
	}
	d, err := app.OpenDesk(c.Context, app.Config{DB: c.String("db"), BaseURL: c.String("base-url"), Log: e.logger(), Out: e.Out, Now: e.Now})
	if err != nil {
		return err
	}
	err = f(d)
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

func userLink(env Env) *cli.Command {
	return &cli.Command{
		Name: "link", Usage: "print a sign-in link for somebody", ArgsUsage: "EMAIL",
		Description: describe("The link works once, within 15 minutes, whether or not the server can send mail.",
			"hearth user link ada@example.org",
			"hearth user link --create new@example.org"),
		Flags: []cli.Flag{
			dbFlag(),
			&cli.StringFlag{Name: "base-url", EnvVars: []string{"HEARTH_BASE_URL"}, Usage: "what the link begins with (`URL`; default: what the server had at its last start)"},
			&cli.BoolFlag{Name: "create", Usage: "make the account if there is none"},
		},
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "the EMAIL of the account")
			if err != nil {
				return err
			}
			return env.atDesk(c, func(d *app.Desk) error {
				link, err := d.LinkFor(c.Context, args[0], c.Bool("create"))
				if err != nil {
					return err
				}
				env.say("%s", link)
				fmt.Fprintf(env.Err, "Give this link to %s alone: it signs in whoever opens it, once, within 15 minutes.\n", args[0])
				return nil
			})
		},
	}
}

func userList(env Env) *cli.Command {
	return &cli.Command{
		Name: "ls", Usage: "list the accounts",
		Description: describe("One line an account, in the order of their addresses.", "hearth user ls --db hearth.db"),
		Flags:       []cli.Flag{dbFlag()},
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			return env.atDesk(c, func(d *app.Desk) error {
				w := tabwriter.NewWriter(env.Out, 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "EMAIL\tNAME\tSINCE\tSTATE")
				count, after := 0, ""
				for {
					page, err := d.ListUsers(c.Context, after, 500)
					if err != nil {
						return err
					}
					for _, u := range page {
						fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(u.Email), printable(u.Name), u.CreatedAt.Go().Format("2006-01-02"), state(u))
						after = u.Email
					}
					if count += len(page); len(page) < 500 {
						break
					}
				}
				if err := w.Flush(); err != nil {
					return err
				}
				if count == 0 {
					env.say("Nobody yet. Start the server and open the link it shows, or make an account:\n   hearth user link --create EMAIL")
				}
				return nil
			})
		},
	}
}

func state(u store.User) string {
	switch {
	case u.SuspendedAt != 0:
		return "suspended"
	case u.IsSystem:
		return "system"
	case u.IsAdmin:
		return "admin"
	case u.IsBot:
		return "bot"
	case u.VerifiedAt == 0:
		return "address not proven"
	}
	return "member"
}
