package page

import (
	"net/http"

	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

type reportView struct {
	ID                 string
	About              string // "message", "user" or "context"
	Reason, Freeform   string
	Text               string
	Files              []fileView
	Reporter, Reported *Person // nil once deleted
	Suspended          bool
	CreatedAt          store.Time
	Decision, Note     string
	DecidedAt          store.Time
	DecidedBy          *Person
}

func viewOfReport(r admin.Report) reportView {
	out := reportView{
		ID: r.ID, About: r.TargetType, Reason: reasonText(r.Reason), Freeform: r.Freeform, Text: r.Text, Reporter: personOfRef(r.Reporter),
		CreatedAt: r.CreatedAt, Decision: core.OrZero(r.Decision), Note: r.Note, DecidedAt: core.OrZero(r.DecidedAt),
		DecidedBy: personOfRef(r.DecidedBy),
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, fileOf(chat.Attachment{URL: f.URL, PreviewURL: f.PreviewURL, MimeType: f.MimeType, Name: f.Name,
			Size: f.Size, Width: f.Width, Height: f.Height, DurationMs: f.DurationMs}))
	}
	if r.Reported != nil {
		out.Reported, out.Suspended = personOfRef(&r.Reported.Ref), r.Reported.SuspendedAt != nil
	}
	return out
}

func personOfRef(r *admin.Ref) *Person {
	if r == nil {
		return nil
	}
	return &Person{ID: r.ID, Name: r.Name, Picture: pictureOf(r.AvatarURL)}
}

type adminReportsView struct {
	adminFrame
	State   string
	Reports []reportView
	Next    string
}

func adminReports(s *site, v *visit) error {
	f := s.adminFrame(v, "Reports", "reports")
	in := admin.ListReportsIn{State: "open", PageIn: v.pageOf()}
	if v.query("state") == "decided" {
		in.State = "decided"
	}
	page := get(v, s.Admin.ListReports, in)
	return s.show(v, http.StatusOK, adminReportsView{f, in.State, core.Map(page.Items, viewOfReport), nextOf("/admin/reports", page.Next)})
}

type adminReportView struct {
	adminFrame
	Report reportView
	Form   Form
}

func (s *site) showReport(v *visit, form Form) error {
	r := get(v, s.Admin.GetReport, admin.ReportIn{ID: v.id("id")})
	f := s.adminFrame(v, "Report", "reports")
	return s.show(v, form.status(), adminReportView{f, viewOfReport(r), form.Or(newForm("outcome", "resolved"))})
}

func adminDecide(s *site, v *visit) error {
	in := admin.DecideReportIn{ID: v.id("id"), Decision: "resolved", Note: v.form("note")}
	outcome := v.form("outcome")
	switch outcome {
	case "dismissed":
		in.Decision = "dismissed"
	case "delete_message", "suspend":
		in.Action = outcome
	}
	decide := func() (string, error) {
		if in.Action == "" && in.Decision != outcome {
			return "", core.InvalidField("outcome", "Choose what to do.")
		}
		if in.Action != "" && !v.confirmed() {
			return "", core.InvalidField("sure", "Tick the box to confirm: this applies at once, for everybody.")
		}
		_, err := s.Admin.DecideReport.Call(v.ctx(), v.by, in)
		return "/admin/reports?done=decided", err
	}
	return s.submit(v, []string{"note", "sure"}, decide, func(f Form) error { return s.showReport(v, f) })
}
