package page

import (
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
)

type reportView struct {
	admin.Report
	Reason, Decision   string
	Files              []fileView
	Reporter, Reported *Person // nil once deleted
	Suspended          bool
}

func viewOfReport(r admin.Report) reportView {
	out := reportView{Report: r, Reason: reasonText(r.Reason), Decision: core.OrZero(r.Decision), Reporter: personOfRef(r.Reporter)}
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

func (s *site) adminReports(v *visit) error {
	page := read(v, s.Admin.ListReports)
	return s.adminPage(v, "Reports", "reports", &adminReportsView{State: firstOf(v.query("state"), "open"),
		Reports: core.Map(page.Items, viewOfReport), Next: nextOf("/admin/reports", page.Next)})
}

type adminReportView struct {
	adminFrame
	Report reportView
	Form   Form
}

func (s *site) showReport(v *visit) error {
	view := adminReportView{Report: viewOfReport(read(v, s.Admin.GetReport)), Form: v.filled(newForm("outcome", "resolved"))}
	return s.adminPage(v, "Report", "reports", &view)
}

func (s *site) adminDecide(v *visit) error {
	outcome := v.form("outcome")
	return s.submit(v, func() (string, error) {
		in := admin.DecideReportIn{ID: v.id("id"), Decision: "resolved", Note: v.form("note")}
		switch outcome {
		case "dismissed":
			in.Decision = "dismissed"
		case "delete_message", "suspend":
			in.Action = outcome
		case "resolved":
		default:
			return "", core.InvalidField("outcome", "Choose what to do.")
		}
		if in.Action != "" && !v.confirmed() {
			return "", core.InvalidField("sure", "Tick the box to confirm: this applies at once, for everybody.")
		}
		_, err := s.Admin.DecideReport.Call(v.ctx(), v.by, in)
		return "/admin/reports?done=decided", err
	}, "note", "sure")
}
