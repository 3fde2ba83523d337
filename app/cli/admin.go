package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/admin"
	"hearth/app/core"
	"hearth/store"
)

var operator = store.Viewer{Kind: store.Operator}

// admin returns what a command does that works as the operator of the database.
func (e Env) admin(do func(c *cli.Context, o *admin.Service, args []string) error) func(*cli.Context, []string) error {
	return func(c *cli.Context, args []string) error {
		return e.asOperator(c, func(a *app.App) error { return do(c, a.Admin(), args) })
	}
}

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON, as the API answers"} }

func limitFlag() cli.Flag {
	return number[admin.PageIn](&cli.IntFlag{Name: "limit", Value: 50, Usage: "how `MANY` to show, at most 100"}, "limit")
}

func (e Env) printJSON(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		e.printValue(b)
	}
	return err
}

func (e Env) table(rows [][]string) error {
	w := tabwriter.NewWriter(e.Out, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = printable(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

func entries[In, Out any](e Env, c *cli.Context, call func(context.Context, store.Viewer, In) (core.Page[Out], error), in In, none string,
	heading []string, row func(Out) []string) error {
	page, err := call(c.Context, operator, in)
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return e.printJSON(page)
	case len(page.Items) == 0:
		fmt.Fprintln(e.Err, none)
		return nil
	}
	rows := [][]string{heading}
	for _, item := range page.Items {
		rows = append(rows, row(item))
	}
	if err := e.table(rows); err != nil {
		return err
	}
	if page.Next != nil {
		fmt.Fprintln(e.Err, "There are more. Show up to 100 with --limit, or all on the admin pages.")
	}
	return nil
}

func unknown(err error, what, listing string) error {
	if core.IsKind(err, core.NotFound) {
		return fmt.Errorf("no %s has this ID. List them with: %s", what, listing)
	}
	return err
}

func pageIn(c *cli.Context) admin.PageIn { return admin.PageIn{Limit: c.Int("limit")} }

func minute(t store.Time) string { return t.Go().Format("2006-01-02 15:04") }

func nameOf(r *admin.Ref) string {
	if r == nil {
		return "-"
	}
	return r.Name
}

func shorten(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		r = append(r[:n-1], '…')
	}
	return string(r)
}

// Feedback is "hearth feedback", which shows feedback.
func Feedback(env Env) *cli.Command {
	return group("feedback", "show what people wrote to the administrators", "Works on the database file.", "hearth feedback ls",
		command{
			name: "ls", usage: "list the feedback", about: "Lists the feedback that is not done, the newest first.",
			examples: []string{"hearth feedback ls", "hearth feedback ls --done --json"},
			flags:    []cli.Flag{dbFlag(), jsonFlag(), limitFlag(), &cli.BoolFlag{Name: "done", Usage: "list that which is done"}},
			do: env.admin(func(c *cli.Context, o *admin.Service, _ []string) error {
				in := admin.ListFeedbackIn{PageIn: pageIn(c)}
				if c.Bool("done") {
					in.State = "done"
				}
				return entries(env, c, o.ListFeedback.Call, in, "No feedback.", []string{"ID", "WHEN", "FROM", "MESSAGE"},
					func(f admin.Feedback) []string {
						return []string{f.ID, minute(f.CreatedAt), nameOf(f.From), shorten(f.Message, 80)}
					})
			}),
		}.build(),
		command{
			name: "done", usage: "mark feedback as done", args: "ID", names: []string{"the ID of the feedback"},
			about: "It is then listed with --done.", flags: []cli.Flag{dbFlag()},
			examples: []string{"hearth feedback done 3f0c2a54-9d1b-4e0e-8f6a-2b7c1d5e9a10"},
			do: env.admin(func(c *cli.Context, o *admin.Service, args []string) error {
				_, err := o.FinishFeedback.Call(c.Context, operator, core.ByID{ID: args[0]})
				if err != nil {
					return unknown(err, "feedback", "hearth feedback ls")
				}
				env.print("Marked as done.")
				return nil
			}),
		}.build())
}

// Audit is "hearth audit", which shows the audit log.
func Audit(env Env) *cli.Command {
	return command{
		name: "audit", usage: "show what administrators and commands did",
		about:    "Lists the log of what administrators, and commands on the server, did, the newest first.",
		examples: []string{"hearth audit", "hearth audit --limit 5 --json"}, flags: []cli.Flag{dbFlag(), jsonFlag(), limitFlag()},
		do: env.admin(func(c *cli.Context, o *admin.Service, _ []string) error {
			return entries(env, c, o.ListAudit.Call, admin.ListAuditIn{PageIn: pageIn(c)}, "Nothing was done yet.",
				[]string{"WHEN", "WHO", "ACTION", "TO", "DETAIL"}, func(e admin.AuditEntry) []string {
					who := nameOf(e.Actor)
					if e.ByCommand {
						who = "(command)"
					}
					return []string{minute(e.At), who, e.Action, cmp.Or(core.OrZero(e.TargetName), core.OrZero(e.TargetID), "-"), e.Detail}
				})
		}),
	}.build()
}

// Storage is "hearth storage", which shows the use of storage.
func Storage(env Env) *cli.Command {
	return command{
		name: "storage", usage: "show what the database holds",
		about: "Shows the sizes of the database, of what it holds, and of the files of the accounts with the most. It reads the whole " +
			"database.",
		examples: []string{"hearth storage", "hearth storage --json"}, flags: []cli.Flag{dbFlag(), jsonFlag()},
		do: env.admin(func(c *cli.Context, o *admin.Service, _ []string) error {
			s, err := o.GetStorage.Call(c.Context, operator, core.None{})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return env.printJSON(s)
			}
			rows := [][]string{{"database", core.Size(s.DatabaseBytes)}, {"write-ahead log", core.Size(s.LogBytes)},
				{"free in the file", core.Size(s.FreeBytes)}, {""}}
			for _, k := range s.Kinds {
				rows = append(rows, []string{k.Kind, core.Size(k.Bytes)})
			}
			if len(s.Accounts) > 0 {
				rows = append(rows, []string{""}, []string{"FILES OF", ""})
			}
			for _, a := range s.Accounts {
				rows = append(rows, []string{a.Name, core.Size(a.Bytes)})
			}
			return env.table(rows)
		}),
	}.build()
}

// Settings is "hearth settings", which shows and changes settings.
func Settings(env Env) *cli.Command {
	return group("settings", "show and change what administrators set while the server runs",
		"Works on the database. What is set where the server is started is known here only while it runs.", "hearth settings get",
		command{
			name: "get", usage: "show the settings", about: "Shows the community and who may join.",
			examples: []string{"hearth settings get", "hearth settings get --json"}, flags: []cli.Flag{dbFlag(), jsonFlag()},
			do: env.admin(func(c *cli.Context, o *admin.Service, _ []string) error {
				s, err := o.GetSettings.Call(c.Context, operator, core.None{})
				if err != nil {
					return err
				}
				if c.Bool("json") {
					return env.printJSON(s)
				}
				return env.printSettings(s)
			}),
		}.build(),
		command{
			name: "set", usage: "change settings",
			about:    "Changes the settings that are named. A running server uses them at once, unless --signup is set where it was started.",
			examples: []string{`hearth settings set --community-name "Mill Lane" --signup invite`},
			flags: []cli.Flag{
				dbFlag(),
				&cli.StringFlag{Name: "community-name", Usage: "the `NAME` on pages and in mails; empty is hearth"},
				&cli.StringFlag{Name: "accent", Usage: "the `COLOR` of links and buttons, such as #a33b12; empty is that of hearth"},
				&cli.StringFlag{Name: "welcome", Usage: "the `TEXT` that newcomers read"},
				choice[admin.UpdateSettingsIn](&cli.StringFlag{Name: "date-language",
					Usage: "the `LANGUAGE` of dates on pages, such as de, or auto for the reader's"}, "dateLanguage"),
				&cli.StringFlag{Name: "security-contact",
					Usage: "an e-mail `ADDRESS`, or the https address of a page, where people report security problems"},
				&cli.StringFlag{Name: "member-invites", Usage: "`yes` or no: whether members may invite people, too"},
				choice[admin.UpdateSettingsIn](&cli.StringFlag{Name: "signup",
					Usage: "`WHO` can join: open for everybody, invite for invited people only"}, "signup"),
			},
			do: env.admin(func(c *cli.Context, o *admin.Service, _ []string) error {
				if v := c.String("member-invites"); v != "" && v != "yes" && v != "no" {
					return usagef("--member-invites must be yes or no, not %q", v)
				}
				in, set := settingsOf(c)
				if !set {
					return usagef("name a setting to change. See: hearth settings set --help")
				}
				s, err := o.UpdateSettings.Call(c.Context, operator, in)
				if err != nil {
					return err
				}
				return env.printSettings(s)
			}),
		}.build())
}

func settingsOf(c *cli.Context) (in admin.UpdateSettingsIn, set bool) {
	for name, to := range map[string]*core.Opt[string]{"community-name": &in.CommunityName, "accent": &in.Accent, "welcome": &in.Welcome,
		"security-contact": &in.SecurityContact} {
		if c.IsSet(name) {
			*to, set = core.Some(c.String(name)), true
		}
	}
	for name, to := range map[string]*core.Opt[string]{"date-language": &in.DateLanguage, "signup": &in.Signup} {
		if c.String(name) != "" {
			*to, set = core.Some(c.String(name)), true
		}
	}
	if v := c.String("member-invites"); v != "" {
		in.MemberInvites, set = core.Some(v == "yes"), true
	}
	return in, set
}

func (e Env) printSettings(s admin.Settings) error {
	return e.table([][]string{{"community name", s.CommunityName}, {"signup", s.Signup}, {"accent", core.OrZero(s.Accent)},
		{"welcome", s.Welcome},
		{"date language", s.DateLanguage}, {"member invites", yesNo(s.MemberInvites)}, {"security contact", s.SecurityContact}})
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
