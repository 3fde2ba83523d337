// Package cli implements the commands of the program.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/core"
)

// Env is the environment of a command.
type Env struct {
	Schema  string    // schema.sql
	Version string    // of the program
	In      io.Reader // standard input; may be nil
	Out     io.Writer
	Err     io.Writer // errors, the log, progress
	Now     func() time.Time

	args []string
	app  *app.App    // within a server, which runs the command for an operator
	from app.Command // there: what the operator's flags and environment say
}

// Commands is a list of commands, in the order of the help.
type Commands []func(Env) *cli.Command

// All returns every command of the program.
func All() Commands {
	return Commands{
		Serve, Demo, User, Reports, Feedback, Audit, Storage, Settings, Backup, Vacuum, Restore, Verify, Match,
		Lists, Login, Logout, MCP, OpenAPI, Version,
	}
}

// errStatus is an error with its exit status.
type errStatus struct {
	error // nil if what went wrong is printed
	code  int
}

const (
	exitUsage     = 2
	exitForbidden = 3
	exitNotFound  = 4
	exitLater     = 5
)

func usagef(format string, args ...any) error {
	return errStatus{fmt.Errorf(format, args...), exitUsage}
}

// command is a command without others below it.
type command struct {
	name, usage string
	args        string   // as the help shows them
	names       []string // of the arguments: see arguments
	about       string
	examples    []string
	flags       []cli.Flag
	do          func(c *cli.Context, args []string) error
}

func (k command) build() *cli.Command {
	return &cli.Command{
		Name: k.name, Usage: k.usage, ArgsUsage: k.args, Description: describe(k.about, k.examples...), Flags: k.flags,
		Action: func(c *cli.Context) error {
			args, err := arguments(c, k.names...)
			if err != nil {
				return err
			}
			return k.do(c, args)
		},
	}
}

// group returns a command with commands below it.
func group(name, usage, about, example string, below ...*cli.Command) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, Description: describe(about, example), Subcommands: below}
}

// Run runs the command of args, where args[0] is the program. It returns the exit status: 0 for success, 1 for
// failure, 2 for a wrong command line, or the status of an errStatus. Canceling ctx shuts the command down
// gracefully.
func Run(ctx context.Context, args []string, env Env, commands Commands) int {
	env.args = args
	program := &cli.App{
		Name: "hearth", HelpName: "hearth", Usage: "chat and lists for one community and its agents",
		UsageText: "hearth serve                 start the server\n" +
			"hearth demo                  try it with sample data\n" +
			"hearth help <command>        show help for a command, with an example",
		Version: env.Version, HideVersion: true, HideHelpCommand: false,
		Writer: env.Out, ErrWriter: env.Err,
		Action:       noCommand,
		OnUsageError: badUsage,
		// Errors are printed below. By default the library exits.
		ExitErrHandler: func(*cli.Context, error) {},
	}
	for _, c := range commands {
		program.Commands = append(program.Commands, strict(c(env)))
	}
	err := program.RunContext(ctx, helpAsFlag(args))
	status := errStatus{err, 1}
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status) && status.error == nil:
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(env.Err, "hearth: stopped")
	default:
		fmt.Fprintln(env.Err, "hearth:", visible(err.Error()))
	}
	return status.code
}

// "help user link" becomes "user link --help": the library's help command does not support subcommands.
func helpAsFlag(args []string) []string {
	if len(args) < 3 || args[1] != "help" && args[1] != "h" {
		return args
	}
	return append(append([]string{args[0]}, args[2:]...), "--help")
}

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

func noCommand(c *cli.Context) error {
	name := strings.TrimSpace(c.Command.HelpName)
	if name == "" {
		name = "hearth"
	}
	if c.NArg() > 0 {
		return usagef("unknown command %q. See: %s --help", name+" "+c.Args().First(), name)
	}
	if name == "hearth" {
		return cli.ShowAppHelp(c)
	}
	return cli.ShowSubcommandHelp(c)
}

// anyWords is the name of any number of arguments.
const anyWords = "WORDS"

// arguments returns the arguments, which have these names; one that begins with [ can be left out.
// Flags after an argument are an error: the library treats them as arguments.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	args := c.Args().Slice()
	if slices.Equal(names, []string{anyWords}) {
		if strings.Join(args, "") == "" {
			return nil, usagef("WORDS are missing. See: %s --help", c.Command.HelpName)
		}
		return args, nil
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") && a != "-" {
			return nil, usagef("put %s before the arguments. See: %s --help", a, c.Command.HelpName)
		}
	}
	if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
		return nil, usagef("%s is missing. See: %s --help", names[len(args)], c.Command.HelpName)
	}
	if len(args) > len(names) {
		return nil, usagef("unexpected argument %q. See: %s --help", args[len(names)], c.Command.HelpName)
	}
	return args, nil
}

func describe(text string, examples ...string) string {
	return text + "\n\nExample:\n   " + strings.Join(examples, "\n   ")
}

func (e Env) logger() *slog.Logger { return slog.New(slog.NewTextHandler(e.Err, nil)) }

func (e Env) print(format string, args ...any) error {
	_, err := fmt.Fprintln(e.Out, visible(fmt.Sprintf(format, args...)))
	return err
}

func dbFlag() cli.Flag {
	return &cli.StringFlag{Name: "db", EnvVars: []string{"HEARTH_DB"}, Value: "hearth.db", Usage: "the database `FILE`"}
}

// Only the server creates a database.
func mustExist(path string) error {
	if fi, err := os.Stat(path); err != nil || fi.IsDir() {
		return fmt.Errorf("there is no database %s; name one with --db, or create it with: hearth serve", path)
	}
	return nil
}

// choice returns f with the check of a member of In. The command line then accepts the same values as the operation.
func choice[In any](f *cli.StringFlag, member string) *cli.StringFlag {
	f.Action = func(_ *cli.Context, v string) error {
		if v == "" && len(f.EnvVars) > 0 { // an empty variable counts as not set
			return nil
		}
		return acceptable(reflect.TypeFor[In](), f.Name, member, v)
	}
	return f
}

func number[In any](f *cli.IntFlag, member string) *cli.IntFlag {
	f.Action = func(_ *cli.Context, v int) error {
		return acceptable(reflect.TypeFor[In](), f.Name, member, fmt.Sprint(v))
	}
	return f
}

func acceptable(in reflect.Type, flag, member, value string) error {
	plan, err := core.PlanOf(in)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(plan.Fields, func(f *core.Field) bool { return f.Name == member })
	if i < 0 {
		return fmt.Errorf("%s has no member %s for --%s", plan.Type, member, flag)
	}
	if f := plan.Fields[i]; f.Accepts(value) != nil {
		return usagef("--%s must be %s, not %q", flag, f.Expects(), value)
	}
	return nil
}

// BuildVersion returns the version of the program: a release, or a commit and whether the source was changed.
func BuildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return strings.Trim(info.Main.Version, "()")
}

// Version is "hearth version".
func Version(env Env) *cli.Command {
	return command{
		name: "version", usage: "print the version", about: "Prints the versions of hearth and Go, and the platform.",
		examples: []string{"hearth version"},
		do: func(*cli.Context, []string) error {
			return env.print("hearth %s (%s %s/%s)", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}.build()
}

// OpenAPI is "hearth openapi".
func OpenAPI(env Env) *cli.Command {
	return command{
		name: "openapi", usage: "print the OpenAPI document",
		about:    "Prints the OpenAPI 3.1 document that a server serves at /api/openapi.json.",
		examples: []string{"hearth openapi > openapi.json"},
		flags: []cli.Flag{&cli.StringFlag{Name: "base-url", EnvVars: []string{"HEARTH_BASE_URL"}, Value: "http://127.0.0.1:8080",
			Usage: "the server's `URL` in the document"}},
		do: func(c *cli.Context, _ []string) error {
			doc, err := api.OpenAPI(api.Described(), c.String("base-url"))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Out, "%s\n", doc)
			return err
		},
	}.build()
}
