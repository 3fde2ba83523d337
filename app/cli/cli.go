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
type Commands []func(Env) *Command

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

// Run runs the command of args, where args[0] is the program. It returns the exit status: 0 for success, 1 for
// failure, 2 for a wrong command line, or the status of an errStatus. Canceling ctx shuts the command down
// gracefully.
func Run(ctx context.Context, args []string, env Env, commands Commands) int {
	env.args = args
	program := &Command{name: "hearth", usage: "chat and lists for one community and its agents",
		about: "Help for a command: hearth help COMMAND.", examples: []string{"hearth demo", "hearth serve"}}
	for _, c := range commands {
		program.below = append(program.below, c(env))
	}
	err := program.call(ctx, args[1:], env.Out)
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

func (e Env) logger() *slog.Logger { return slog.New(slog.NewTextHandler(e.Err, nil)) }

func (e Env) print(format string, args ...any) error {
	_, err := fmt.Fprintln(e.Out, visible(fmt.Sprintf(format, args...)))
	return err
}

func dbFlag() *option { return text("db", "hearth.db", "the database `FILE`", nil) }

// Only the server creates a database.
func mustExist(path string) error {
	if fi, err := os.Stat(path); err != nil || fi.IsDir() {
		return fmt.Errorf("there is no database %s; name one with --db, or create it with: hearth serve", path)
	}
	return nil
}

// choice returns o with the check of a member of In. The command line then accepts the same values as the operation.
func choice[In any](o *option, member string) *option {
	o.check = func(v string) error {
		if v == "" && o.env != "" { // counts as not set
			return nil
		}
		return acceptable(reflect.TypeFor[In](), o.name, member, v)
	}
	return o
}

// number returns an option with a number, checked as a member of In is.
func number[In any](name, value, usage, member string) *option {
	o := choice[In](word(name, usage), member)
	o.value, o.number = value, true
	return o
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
func Version(env Env) *Command {
	return &Command{
		name: "version", usage: "print the version", about: "Prints the versions of hearth and Go, and the platform.",
		examples: []string{"hearth version"},
		do: func(*call, []string) error {
			return env.print("hearth %s (%s %s/%s)", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

// OpenAPI is "hearth openapi".
func OpenAPI(env Env) *Command {
	return &Command{
		name: "openapi", usage: "print the OpenAPI document",
		about:    "Prints the OpenAPI 3.1 document that a server serves at /api/openapi.json.",
		examples: []string{"hearth openapi > openapi.json"},
		options:  []*option{text("base-url", "http://127.0.0.1:8080", "the server's `URL` in the document", nil)},
		do: func(c *call, _ []string) error {
			doc, err := api.OpenAPI(api.Described(), c.String("base-url"))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Out, "%s\n", doc)
			return err
		},
	}
}
