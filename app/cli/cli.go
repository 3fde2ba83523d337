// Package cli is the command line: what each command takes, does and says.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"
)

// Env is what commands work with besides their arguments.
type Env struct {
	Schema  string // schema.sql
	Version string // of the program
	Out     io.Writer
	Err     io.Writer // errors, the log, progress
	Now     func() time.Time
}

// Commands is the list of commands, in the order of the help.
type Commands []func(Env) *cli.Command

// errUsage marks errors of the one who typed, which end with status 2.
type errUsage struct{ error }

func usagef(format string, args ...any) error { return errUsage{fmt.Errorf(format, args...)} }

// Run runs the command that args name (args[0] is the program) and returns
// the exit status: 0 done, 1 failed, 2 not understood. It ends early, in
// good order, when ctx does.
func Run(ctx context.Context, args []string, env Env, commands Commands) int {
	app := &cli.App{
		Name: "hearth", HelpName: "hearth", Usage: "a place to talk and to keep lists, for people and their agents",
		UsageText: "hearth serve                 start the server\n" +
			"hearth demo                  look around in a made-up community\n" +
			"hearth help <command>        say more about a command, with an example",
		Version: env.Version, HideVersion: true, HideHelpCommand: false,
		Writer: env.Out, ErrWriter: env.Err,
		Action:       noCommand,
		OnUsageError: badUsage,
		// Errors are printed below; the library would end the process.
		ExitErrHandler: func(*cli.Context, error) {},
	}
	for _, c := range commands {
		app.Commands = append(app.Commands, strict(c(env)))
	}
	err := app.RunContext(ctx, helpAsFlag(args))
	var usage errUsage
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(env.Err, "hearth: %v\n", err)
		return 2
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(env.Err, "hearth: stopped")
		return 1
	}
	fmt.Fprintf(env.Err, "hearth: %v\n", err)
	return 1
}

// helpAsFlag turns "help user link" into "user link --help": the library's
// own help command does not know what is below a command.
func helpAsFlag(args []string) []string {
	if len(args) < 3 || args[1] != "help" && args[1] != "h" {
		return args
	}
	return append(append([]string{args[0]}, args[2:]...), "--help")
}

// strict makes c, and what is below it, refuse what it does not understand.
func strict(c *cli.Command) *cli.Command {
	c.OnUsageError = badUsage
	c.HideHelpCommand = true
	if len(c.Subcommands) > 0 && c.Action == nil {
		c.Action = noCommand
	}
	for _, s := range c.Subcommands {
		strict(s)
	}
	return c
}

func badUsage(c *cli.Context, err error, _ bool) error {
	name := "hearth"
	if c.Command != nil && c.Command.Name != "" {
		name = strings.TrimSpace(c.Command.HelpName)
	}
	return usagef("%w. See: %s --help", err, name)
}

// noCommand is what runs when no command of a group was named.
func noCommand(c *cli.Context) error {
	name := strings.TrimSpace(c.Command.HelpName)
	if name == "" {
		name = "hearth"
	}
	if c.NArg() > 0 {
		return usagef("there is no command %q. See: %s --help", name+" "+c.Args().First(), name)
	}
	if name == "hearth" {
		return cli.ShowAppHelp(c)
	}
	return cli.ShowSubcommandHelp(c)
}

// arguments returns the arguments of c, one for each name; the library takes
// flags behind them for arguments, which nobody means.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	args := c.Args().Slice()
	for _, a := range args {
		if strings.HasPrefix(a, "-") && a != "-" {
			return nil, usagef("put %s before the arguments. See: %s --help", a, c.Command.HelpName)
		}
	}
	if len(args) < len(names) {
		return nil, usagef("%s is missing. See: %s --help", names[len(args)], c.Command.HelpName)
	}
	if len(args) > len(names) {
		return nil, usagef("%q is one argument too many. See: %s --help", args[len(names)], c.Command.HelpName)
	}
	return args, nil
}

// describe is the long help of a command: what it does, then an example.
func describe(text string, examples ...string) string {
	return text + "\n\nExample:\n   " + strings.Join(examples, "\n   ")
}

func (e Env) logger() *slog.Logger { return slog.New(slog.NewTextHandler(e.Err, nil)) }

func (e Env) say(format string, args ...any) { fmt.Fprintf(e.Out, format+"\n", args...) }

// dbFlag names the database file of commands that are not the server.
func dbFlag() cli.Flag {
	return &cli.StringFlag{Name: "db", EnvVars: []string{"HEARTH_DB"}, Value: "hearth.db", Usage: "the database `FILE`"}
}

// mustExist refuses a database that is not there: only the server makes one.
func mustExist(path string) error {
	if fi, err := os.Stat(path); err != nil || fi.IsDir() {
		return fmt.Errorf("there is no database %s; say which with --db, or make it with: hearth serve", path)
	}
	return nil
}

// printable drops what could do something to a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
