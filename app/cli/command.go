package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Command is a command of the program: it does something, or has commands below it.
type Command struct {
	name, usage string
	args        string   // as the help shows them
	names       []string // of the arguments: see arguments
	about       string
	examples    []string
	options     []*option
	do          func(c *call, args []string) error
	below       []*Command
}

// group returns a command with commands below it.
func group(name, usage, about, example string, below ...*Command) *Command {
	return &Command{name: name, usage: usage, about: about, examples: []string{example}, below: below}
}

// option is an option of a command, as --name VALUE or, of an alternative, --name alone.
type option struct {
	name, usage string
	env         string // the variable that is read without the option; an empty variable counts as not set
	value       string // without both
	yes         bool   // an alternative
	number      bool
	many        bool                         // repeatable, and separated by commas
	check       func(value string) error     // may be nil
	set         func(values ...string) error // is called with what was given; nil if only the command reads it
}

// word returns an option with a value. The value's name is in backquotes in usage.
func word(name, usage string) *option { return &option{name: name, usage: usage} }

// yes returns an option without a value.
func yes(name, usage string) *option { return &option{name: name, usage: usage, yes: true} }

// call is a call of a command with its options.
type call struct {
	ctx   context.Context
	path  string // the command with those above it
	given map[string][]string
	plain map[string]string // the values of options that are not given
}

// IsSet reports whether an option was given, or its variable.
func (c *call) IsSet(name string) bool { return c.given[name] != nil }

// String returns the value of an option.
func (c *call) String(name string) string {
	if given := c.given[name]; given != nil {
		return given[len(given)-1]
	}
	return c.plain[name]
}

// Bool reports whether an option is on.
func (c *call) Bool(name string) bool { return c.String(name) == "true" }

// Int returns the value of an option that is a number.
func (c *call) Int(name string) int {
	n, _ := strconv.Atoi(c.String(name)) // was parsed
	return n
}

// find returns the command that args name, with the commands above it, and the arguments after its name.
func (k *Command) find(path string, args []string) (*Command, string, []string) {
	path = strings.TrimSpace(path + " " + k.name)
	if len(args) > 0 {
		for _, below := range k.below {
			if below.name == args[0] {
				return below.find(path, args[1:])
			}
		}
	}
	return k, path, args
}

// call runs the command that args name, or prints its help.
func (k *Command) call(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 && (args[0] == "help" || args[0] == "h") {
		args = append(slices.Clone(args[1:]), "--help")
	}
	k, path, args := k.find("", args)
	c := &call{ctx: ctx, path: path, given: map[string][]string{}, plain: map[string]string{}}
	words, err := k.parse(c, args)
	switch {
	case errors.Is(err, flag.ErrHelp) || err == nil && k.do == nil && len(words) == 0:
		return k.help(path, out)
	case err != nil:
		return err
	case k.do == nil:
		return usagef("unknown command %q. See: %s --help", path+" "+words[0], path)
	}
	for _, o := range k.options {
		if err := o.use(c); err != nil {
			return err
		}
	}
	if words, err = c.arguments(words, k.names...); err != nil {
		return err
	}
	return k.do(c, words)
}

// parse reads the options that args begin with, and returns what follows.
func (k *Command) parse(c *call, args []string) ([]string, error) {
	set := flag.NewFlagSet(c.path, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, o := range k.options {
		c.plain[o.name] = o.value
		set.Var(taken{o, c}, o.name, o.usage)
	}
	err := set.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = usagef("%w. See: %s --help", err, c.path)
	}
	return set.Args(), err
}

// use reads the variable of an option that is not given, and calls set with what is.
func (o *option) use(c *call) error {
	if v := os.Getenv(o.env); !c.IsSet(o.name) && o.env != "" && v != "" {
		if err := (taken{o, c}).Set(v); err != nil {
			return usagef("could not parse %q as the value of %s: %w", v, o.env, err)
		}
	}
	values := c.given[o.name]
	if values != nil && o.check != nil {
		if err := o.check(c.String(o.name)); err != nil {
			return err
		}
	}
	if values == nil && o.value != "" {
		values = []string{o.value}
	}
	if values != nil && o.set != nil {
		return o.set(values...)
	}
	return nil
}

// taken is the value of an option for package flag.
type taken struct {
	*option
	c *call
}

func (t taken) IsBoolFlag() bool { return t.yes }

func (t taken) String() string { return "" }

func (t taken) Set(s string) error {
	if t.number {
		if _, err := strconv.Atoi(s); err != nil {
			return errors.New("parse error: it must be a number")
		}
	}
	if t.yes {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return errors.New("parse error: it must be true or false")
		}
		s = strconv.FormatBool(on)
	}
	values := []string{s}
	if t.many {
		values = append(t.c.given[t.name], strings.Split(s, ",")...)
	}
	t.c.given[t.name] = values
	return nil
}

// anyWords is the name of any number of arguments.
const anyWords = "WORDS"

// arguments returns the arguments, which have these names; one that begins with [ can be left out.
// Options after an argument are an error: package flag treats them as arguments.
func (c *call) arguments(args []string, names ...string) ([]string, error) {
	if slices.Equal(names, []string{anyWords}) {
		if strings.Join(args, "") == "" {
			return nil, usagef("WORDS are missing. See: %s --help", c.path)
		}
		return args, nil
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") && a != "-" {
			return nil, usagef("put %s before the arguments. See: %s --help", a, c.path)
		}
	}
	if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
		return nil, usagef("%s is missing. See: %s --help", names[len(args)], c.path)
	}
	if len(args) > len(names) {
		return nil, usagef("unexpected argument %q. See: %s --help", args[len(names)], c.path)
	}
	return args, nil
}

// help prints what the command does, and how it is called.
func (k *Command) help(path string, out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "NAME:\n   %s - %s\n\nUSAGE:\n   %s", path, k.usage, path)
	if k.do == nil {
		fmt.Fprint(t, " COMMAND")
	}
	fmt.Fprintln(t, strings.TrimRight(" [OPTIONS] "+k.args, " "))
	about := k.about + "\n\nExample:\n   " + strings.Join(k.examples, "\n   ")
	fmt.Fprintln(t, "\nDESCRIPTION:\n   "+strings.ReplaceAll(about, "\n", "\n   "))
	if k.below != nil {
		fmt.Fprintln(t, "\nCOMMANDS:")
		for _, below := range k.below {
			fmt.Fprintf(t, "   %s\t%s\n", below.name, below.usage)
		}
	}
	fmt.Fprintln(t, "\nOPTIONS:")
	for _, o := range append(slices.Clip(k.options), yes("help", "show this help")) {
		fmt.Fprintln(t, "   "+o.help())
	}
	return t.Flush()
}

func (o *option) help() string {
	place, usage := flag.UnquoteUsage(&flag.Flag{Usage: o.usage, Value: taken{option: o}})
	if o.value != "" {
		usage += " (default: " + cmp.Or(map[bool]string{true: o.value}[o.number], strconv.Quote(o.value)) + ")"
	}
	if o.env != "" {
		usage += " [$" + o.env + "]"
	}
	if o.yes {
		place = ""
	}
	return strings.TrimSpace("--"+o.name+" "+place) + "\t" + usage
}
