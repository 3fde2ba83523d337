package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"hearth/app"
	"hearth/app/account"
	"hearth/store"
)

// User is "hearth user", which administers accounts.
func User(env Env) *Command {
	email := func(name, usage, about, said string, do func(*store.Tx, store.Viewer, store.User) error) *Command {
		return &Command{
			name: name, usage: usage, args: "EMAIL", names: []string{"the EMAIL or the id of the account"}, about: about,
			examples: []string{"hearth user " + name + " ada@example.org"}, options: []*option{dbFlag()},
			do: env.operate(func(c *call, a *app.App, args []string) error {
				if err := a.Account.Act(c.ctx, args[0], do); err != nil {
					return err
				}
				return env.print("%s", strings.ReplaceAll(said, "EMAIL", args[0]))
			}),
		}
	}
	return group("user", "list, promote, suspend and sign in accounts", "Works on the database file.", "hearth user ls",
		userList(env), userLink(env), userErase(env),
		email("promote", "make an account an administrator", "Administrators can use the admin pages.",
			"EMAIL is now an administrator.", account.Promote),
		email("demote", "take the rights of an administrator from an account", "The last administrator stays.",
			"EMAIL is not an administrator.", account.Demote),
		email("suspend", "suspend an account", "Its sessions and live streams end and its keys stop working. Nothing is deleted.",
			"EMAIL is suspended. To lift the suspension:\n   hearth user unsuspend EMAIL", account.Suspend),
		email("unsuspend", "lift the suspension of an account", "Keys work again. The person has to sign in again.",
			"EMAIL can sign in again. A sign-in link for them:\n   hearth user link EMAIL", account.Restore))
}

func userErase(env Env) *Command {
	return &Command{
		name: "erase", usage: "delete an account and everything it wrote", args: "EMAIL", names: []string{"the EMAIL or the id of the account"},
		about: "Its messages stay in their places without words, from “Deleted account”; everything else of it and of\n" +
			"its bots is deleted. This cannot be undone, and is done again when an older backup is restored.",
		examples: []string{"hearth user erase --yes ada@example.org"},
		options:  []*option{dbFlag(), yes("yes", "do not ask for confirmation")},
		do: func(c *call, args []string) error {
			if !c.Bool("yes") && env.app == nil {
				if err := env.confirm(args[0]); err != nil {
					return err
				}
			}
			return env.asOperator(c, func(a *app.App) error {
				if err := a.Account.Erase(c.ctx, args[0]); err != nil {
					return err
				}
				return env.print("The account of %s is deleted.", args[0])
			})
		},
	}
}

func (e Env) confirm(email string) error {
	in, ok := e.In.(*os.File)
	if !ok || !isatty.IsTerminal(in.Fd()) {
		return usagef("add --yes to delete the account without being asked")
	}
	fmt.Fprintf(e.Err, "This deletes the account of %s and everything it wrote. It cannot be undone.\nType the address to confirm: ", email)
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != email {
		return errors.New("nothing was deleted: that is not the address")
	}
	return nil
}

// database finds the server of the database, or opens the file if none runs.
func (e Env) database(c *call) (*app.Database, error) {
	if err := mustExist(c.String("db")); err != nil {
		return nil, err
	}
	return app.OpenDatabase(c.ctx, app.Config{DB: c.String("db"), Version: e.Version, Log: e.logger(), Out: e.Err, Now: e.Now})
}

// operate returns what a command does as the operator of the database: see asOperator.
func (e Env) operate(do func(c *call, a *app.App, args []string) error) func(*call, []string) error {
	return func(c *call, args []string) error {
		return e.asOperator(c, func(a *app.App) error { return do(c, a, args) })
	}
}

// asOperator calls f in the server of the database, or here if none runs.
func (e Env) asOperator(c *call, f func(*app.App) error) error {
	if e.app != nil {
		return f(e.app)
	}
	d, err := e.database(c)
	if err != nil {
		return err
	}
	if d.App != nil {
		return errors.Join(f(d.App), d.Close())
	}
	ran, err := d.Run(c.ctx, app.Command{Args: e.args, DB: c.String("db"), BaseURL: c.String("base-url")})
	if err != nil {
		return err
	}
	fmt.Fprint(e.Out, ran.Out)
	fmt.Fprint(e.Err, ran.Err)
	if ran.Code != 0 {
		return errStatus{code: ran.Code}
	}
	return nil
}

func userLink(env Env) *Command {
	return &Command{
		name: "link", usage: "print a sign-in link", args: "EMAIL", names: []string{"the EMAIL or the id of the account"},
		about:    "The link works once, within 15 minutes, whether or not the server can send mail.",
		examples: []string{"hearth user link ada@example.org", "hearth user link --create new@example.org"},
		options: []*option{
			dbFlag(),
			text("base-url", "", "the beginning of the link (`URL`; default: that of the server's last start)", nil),
			yes("create", "create the account if there is none"),
		},
		do: env.operate(func(c *call, a *app.App, args []string) error {
			link, err := a.LinkFor(c.ctx, args[0], c.Bool("create"), cmp.Or(env.from.BaseURL, c.String("base-url")))
			if err != nil {
				return err
			}
			env.print("%s", link)
			fmt.Fprintf(env.Err, "Give this link only to %s: it signs in to their account. It works once, within 15 minutes.\n", args[0])
			return nil
		}),
	}
}

func userList(env Env) *Command {
	return &Command{
		name: "ls", usage: "list the accounts",
		about:    "One line per account, sorted by address. Accounts without an address have their id in its place.",
		examples: []string{"hearth user ls --db hearth.db"}, options: []*option{dbFlag()},
		do: env.operate(func(c *call, a *app.App, _ []string) error {
			rows, after := [][]string{{"EMAIL OR ID", "NAME", "SINCE", "STATE"}}, ""
			for more := true; more; {
				page, err := a.Account.ListUsers(c.ctx, after, 500)
				if err != nil {
					return err
				}
				for _, u := range page {
					who := u.Email
					if !u.HasAddress() {
						who = u.ID
					}
					rows = append(rows, []string{who, u.Name, u.CreatedAt.Go().Format(time.DateOnly), state(u)})
					after = u.Email
				}
				more = len(page) == 500
			}
			err := env.table(rows)
			if err == nil && len(rows) == 1 {
				err = env.print("No accounts yet. Start the server and open the link it prints, or create one:\n   hearth user link --create EMAIL")
			}
			return err
		}),
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
	case u.VerifiedAt == 0 && u.HasAddress():
		return "unverified"
	}
	return "member"
}
