package cli

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"hearth/app/admin"
	"hearth/app/core"
)

// Reports is "hearth reports", which shows and decides reports.
func Reports(env Env) *cli.Command {
	return group("reports", "show and decide what people reported", "Works on the database file.", "hearth reports ls",
		reportList(env), reportShow(env), reportDecide(env))
}

func reportList(env Env) *cli.Command {
	return command{
		name: "ls", usage: "list the reports", about: "Lists the reports without a decision, the newest first.",
		examples: []string{"hearth reports ls", "hearth reports ls --decided --json"},
		flags:    []cli.Flag{dbFlag(), jsonFlag(), limitFlag(), &cli.BoolFlag{Name: "decided", Usage: "list those with a decision"}},
		do: env.admin(func(c *cli.Context, o *admin.Service, _ []string) error {
			in := admin.ListReportsIn{PageIn: pageIn(c)}
			if c.Bool("decided") {
				in.State = "decided"
			}
			return entries(env, c, o.ListReports.Call, in, "No reports.", []string{"ID", "WHEN", "REASON", "WHAT", "WHO", "REPORTED BY", "DECISION"},
				func(r admin.Report) []string {
					return []string{r.ID, minute(r.CreatedAt), r.Reason, r.TargetType, reportedName(r), nameOf(r.Reporter),
						cmp.Or(core.OrZero(r.Decision), "open")}
				})
		}),
	}.build()
}

func reportShow(env Env) *cli.Command {
	return command{
		name: "show", usage: "show a report", args: "ID", names: []string{"the ID of the report"},
		about: "Shows what was reported, as it was then.", examples: []string{"hearth reports show 3f0c2a54-9d1b-4e0e-8f6a-2b7c1d5e9a10"},
		flags: []cli.Flag{dbFlag(), jsonFlag()},
		do: env.admin(func(c *cli.Context, o *admin.Service, args []string) error {
			r, err := o.GetReport.Call(c.Context, operator, admin.ReportIn{ID: args[0]})
			if err != nil {
				return unknown(err, "report", "hearth reports ls")
			}
			if c.Bool("json") {
				return env.printJSON(r)
			}
			return env.printReport(r)
		}),
	}.build()
}

func reportDecide(env Env) *cli.Command {
	return command{
		name: "decide", usage: "decide a report", args: "ID", names: []string{"the ID of the report"},
		about: "Records the decision and does what goes with it, at once. A report is decided once.",
		examples: []string{"hearth reports decide --decision resolved --action suspend " +
			"--note \"Spam again\" 3f0c2a54-9d1b-4e0e-8f6a-2b7c1d5e9a10"},
		flags: []cli.Flag{
			dbFlag(), jsonFlag(),
			choice[admin.DecideReportIn](&cli.StringFlag{Name: "decision", Usage: "`HOW` it is decided: dismissed or resolved"}, "decision"),
			choice[admin.DecideReportIn](&cli.StringFlag{Name: "action", Value: "none",
				Usage: "`WHAT` goes with it: none, delete_message or suspend"}, "action"),
			&cli.StringFlag{Name: "note", Usage: "a `TEXT` for the administrators"},
		},
		do: env.admin(func(c *cli.Context, o *admin.Service, args []string) error {
			if c.String("decision") == "" {
				return usagef("name the decision with --decision. See: hearth reports decide --help")
			}
			r, err := o.DecideReport.Call(c.Context, operator, admin.DecideReportIn{ID: args[0], Decision: c.String("decision"),
				Action: c.String("action"), Note: c.String("note")})
			if err != nil {
				return unknown(err, "report", "hearth reports ls")
			}
			if c.Bool("json") {
				return env.printJSON(r)
			}
			env.print("The report is %s.", *r.Decision)
			return nil
		}),
	}.build()
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
