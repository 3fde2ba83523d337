package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app"
	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

var operator = store.Viewer{Kind: store.Operator}

// admin returns what a command does with the operations of administrators: see operate.
func (e Env) admin(do func(c *call, o *admin.Service, args []string) error) func(*call, []string) error {
	return e.operate(func(c *call, a *app.App, args []string) error { return do(c, a.Admin, args) })
}

func jsonFlag() *option { return yes("json", "print JSON, as the API answers") }

func limitFlag() *option {
	return number[admin.PageIn]("limit", "50", "how `MANY` to show, at most 100", "limit")
}

func (e Env) printJSON(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		e.printValue(b)
	}
	return err
}

// printable returns s in one line, without what controls a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, s)
}

func (e Env) table(rows [][]string) error {
	w := tabwriter.NewWriter(e.Out, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(core.Map(row, printable), "\t"))
	}
	return w.Flush()
}

// answer calls an operation as the operator, and shows its result, or prints it as JSON.
func answer[In, Out any](e Env, c *call, f *op.Func[In, Out], in In, show func(Out) error) error {
	out, err := f.Call(c.ctx, operator, in)
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return e.printJSON(out)
	}
	return show(out)
}

// entries is answer for a page of a list.
func entries[In, Out any](e Env, c *call, f *op.Func[In, core.Page[Out]], in In, none string, heading []string,
	row func(Out) []string) error {
	return answer(e, c, f, in, func(page core.Page[Out]) error {
		if len(page.Items) == 0 {
			fmt.Fprintln(e.Err, none)
			return nil
		}
		err := e.table(append([][]string{heading}, core.Map(page.Items, row)...))
		if err == nil && page.Next != nil {
			fmt.Fprintln(e.Err, "There are more. Show up to 100 with --limit, or all on the admin pages.")
		}
		return err
	})
}

func unknown(err error, what, listing string) error {
	if core.IsKind(err, core.NotFound) {
		return fmt.Errorf("no %s has this ID. List them with: %s", what, listing)
	}
	return err
}

func pageIn(c *call) admin.PageIn { return admin.PageIn{Limit: c.Int("limit")} }

// stateOf returns the name of a flag if it is set.
func stateOf(c *call, flag string) string {
	if c.Bool(flag) {
		return flag
	}
	return ""
}

func minute(t store.Time) string { return t.Go().Format("2006-01-02 15:04") }

func nameOf(r *admin.Ref) string {
	if r == nil {
		return "-"
	}
	return r.Name
}

// Feedback is "hearth feedback", which shows feedback.
func Feedback(env Env) *Command {
	return group("feedback", "show what people wrote to the administrators", "Works on the database file.", "hearth feedback ls",
		&Command{
			name: "ls", usage: "list the feedback", about: "Lists the feedback that is not done, the newest first.",
			examples: []string{"hearth feedback ls", "hearth feedback ls --done --json"},
			options:  []*option{dbFlag(), jsonFlag(), limitFlag(), yes("done", "list that which is done")},
			do: env.admin(func(c *call, o *admin.Service, _ []string) error {
				return entries(env, c, o.ListFeedback, admin.ListFeedbackIn{PageIn: pageIn(c), State: stateOf(c, "done")}, "No feedback.",
					[]string{"ID", "WHEN", "FROM", "MESSAGE"},
					func(f admin.Feedback) []string {
						return []string{f.ID, minute(f.CreatedAt), nameOf(f.From), shorten(f.Message, 80)}
					})
			}),
		},
		&Command{
			name: "done", usage: "mark feedback as done", args: "ID", names: []string{"the ID of the feedback"},
			about: "It is then listed with --done.", options: []*option{dbFlag()},
			examples: []string{"hearth feedback done 3f0c2a54-9d1b-4e0e-8f6a-2b7c1d5e9a10"},
			do: env.admin(func(c *call, o *admin.Service, args []string) error {
				err := answer(env, c, o.FinishFeedback, core.ByID{ID: args[0]}, func(admin.Feedback) error { return env.print("Marked as done.") })
				return unknown(err, "feedback", "hearth feedback ls")
			}),
		})
}

// Audit is "hearth audit", which shows the audit log.
func Audit(env Env) *Command {
	return &Command{
		name: "audit", usage: "show what administrators and commands did",
		about:    "Lists the log of what administrators, and commands on the server, did, the newest first.",
		examples: []string{"hearth audit", "hearth audit --limit 5 --json"}, options: []*option{dbFlag(), jsonFlag(), limitFlag()},
		do: env.admin(func(c *call, o *admin.Service, _ []string) error {
			return entries(env, c, o.ListAudit, admin.ListAuditIn{PageIn: pageIn(c)}, "Nothing was done yet.",
				[]string{"WHEN", "WHO", "ACTION", "TO", "DETAIL"}, func(e admin.AuditEntry) []string {
					who := nameOf(e.Actor)
					if e.ByCommand {
						who = "(command)"
					}
					return []string{minute(e.At), who, e.Action, cmp.Or(core.OrZero(e.TargetName), core.OrZero(e.TargetID), "-"), e.Detail}
				})
		}),
	}
}

// Storage is "hearth storage", which shows the use of storage.
func Storage(env Env) *Command {
	return &Command{
		name: "storage", usage: "show what the database holds",
		about: "Shows the sizes of the database, of what it holds, and of the files of the accounts with the most. It reads the whole " +
			"database.",
		examples: []string{"hearth storage", "hearth storage --json"}, options: []*option{dbFlag(), jsonFlag()},
		do: env.admin(func(c *call, o *admin.Service, _ []string) error {
			return answer(env, c, o.GetStorage, core.None{}, env.printStorage)
		}),
	}
}

func (e Env) printStorage(s admin.Storage) error {
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
	return e.table(rows)
}

// Settings is "hearth settings", which shows and changes settings.
func Settings(env Env) *Command {
	return group("settings", "show and change what administrators set while the server runs",
		"Works on the database. What is set where the server is started is known here only while it runs.", "hearth settings get",
		&Command{
			name: "get", usage: "show the settings", about: "Shows the community and who may join.",
			examples: []string{"hearth settings get", "hearth settings get --json"}, options: []*option{dbFlag(), jsonFlag()},
			do: env.admin(func(c *call, o *admin.Service, _ []string) error {
				return answer(env, c, o.GetSettings, core.None{}, env.printSettings)
			}),
		},
		&Command{
			name: "set", usage: "change settings",
			about:    "Changes the settings that are named. A running server uses them at once, unless --signup is set where it was started.",
			examples: []string{`hearth settings set --community-name "Mill Lane" --signup invite`},
			options: []*option{
				dbFlag(),
				word("community-name", "the `NAME` on pages and in mails; empty is hearth"),
				word("accent", "the `COLOR` of links and buttons, such as #a33b12; empty is that of hearth"),
				word("welcome", "the `TEXT` that newcomers read"),
				choice[admin.UpdateSettingsIn](word("date-language", "the `LANGUAGE` of dates on pages, such as de, or auto for the reader's"),
					"dateLanguage"),
				word("security-contact", "an e-mail `ADDRESS`, or the https address of a page, where people report security problems"),
				word("member-invites", "`yes` or no: whether members may invite people, too"),
				choice[admin.UpdateSettingsIn](word("signup", "`WHO` can join: open for everybody, invite for invited people only"), "signup"),
			},
			do: env.admin(func(c *call, o *admin.Service, _ []string) error {
				if v := c.String("member-invites"); v != "" && v != "yes" && v != "no" {
					return usagef("--member-invites must be yes or no, not %q", v)
				}
				in, set := settingsOf(c)
				if !set {
					return usagef("name a setting to change. See: hearth settings set --help")
				}
				return answer(env, c, o.UpdateSettings, in, env.printSettings)
			}),
		})
}

func settingsOf(c *call) (in admin.UpdateSettingsIn, set bool) {
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
		{"welcome", s.Welcome}, {"date language", s.DateLanguage},
		{"member invites", map[bool]string{true: "yes", false: "no"}[s.MemberInvites]}, {"security contact", s.SecurityContact}})
}

// Reports is "hearth reports", which shows and decides reports.
func Reports(env Env) *Command {
	return group("reports", "show and decide what people reported", "Works on the database file.", "hearth reports ls",
		reportList(env), reportShow(env), reportDecide(env))
}

func reportList(env Env) *Command {
	return &Command{
		name: "ls", usage: "list the reports", about: "Lists the reports without a decision, the newest first.",
		examples: []string{"hearth reports ls", "hearth reports ls --decided --json"},
		options:  []*option{dbFlag(), jsonFlag(), limitFlag(), yes("decided", "list those with a decision")},
		do: env.admin(func(c *call, o *admin.Service, _ []string) error {
			return entries(env, c, o.ListReports, admin.ListReportsIn{PageIn: pageIn(c), State: stateOf(c, "decided")}, "No reports.",
				[]string{"ID", "WHEN", "REASON", "WHAT", "WHO", "REPORTED BY", "DECISION"},
				func(r admin.Report) []string {
					return []string{r.ID, minute(r.CreatedAt), r.Reason, r.TargetType, reportedName(r), nameOf(r.Reporter),
						cmp.Or(core.OrZero(r.Decision), "open")}
				})
		}),
	}
}

func reportShow(env Env) *Command {
	return &Command{
		name: "show", usage: "show a report", args: "ID", names: []string{"the ID of the report"},
		about: "Shows what was reported, as it was then.", examples: []string{"hearth reports show 3f0c2a54-9d1b-4e0e-8f6a-2b7c1d5e9a10"},
		options: []*option{dbFlag(), jsonFlag()},
		do: env.admin(func(c *call, o *admin.Service, args []string) error {
			return unknown(answer(env, c, o.GetReport, admin.ReportIn{ID: args[0]}, env.printReport), "report", "hearth reports ls")
		}),
	}
}

func reportDecide(env Env) *Command {
	return &Command{
		name: "decide", usage: "decide a report", args: "ID", names: []string{"the ID of the report"},
		about: "Records the decision and does what goes with it, at once. A report is decided once.",
		examples: []string{"hearth reports decide --decision resolved --action suspend " +
			"--note \"Spam again\" 3f0c2a54-9d1b-4e0e-8f6a-2b7c1d5e9a10"},
		options: []*option{
			dbFlag(), jsonFlag(),
			choice[admin.DecideReportIn](word("decision", "`HOW` it is decided: dismissed or resolved"), "decision"),
			choice[admin.DecideReportIn](&option{name: "action", value: "none", usage: "`WHAT` goes with it: none, delete_message or suspend"},
				"action"),
			word("note", "a `TEXT` for the administrators"),
		},
		do: env.admin(func(c *call, o *admin.Service, args []string) error {
			if c.String("decision") == "" {
				return usagef("name the decision with --decision. See: hearth reports decide --help")
			}
			in := admin.DecideReportIn{ID: args[0], Decision: c.String("decision"), Action: c.String("action"), Note: c.String("note")}
			err := answer(env, c, o.DecideReport, in, func(r admin.Report) error { return env.print("The report is %s.", *r.Decision) })
			return unknown(err, "report", "hearth reports ls")
		}),
	}
}

func reportedName(r admin.Report) string {
	if r.Reported == nil {
		return "-"
	}
	return r.Reported.Name
}

func (e Env) printReport(r admin.Report) error {
	rows := [][]string{
		{"reported", r.TargetType + " of " + reportedName(r)}, {"by", nameOf(r.Reporter)}, {"when", minute(r.CreatedAt)}, {"reason", r.Reason},
		{"text", r.Text}, {"added", r.Freeform}, {"decision", cmp.Or(core.OrZero(r.Decision), "open")}, {"note", r.Note},
	}
	if r.TargetType == "user" {
		rows[0][1] = reportedName(r)
	}
	return e.table(rows)
}
