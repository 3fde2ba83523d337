package page

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/op"
	"hearth/store"
)

func (s *site) adminRoutes() []route {
	return []route{
		{"GET /admin", person, s.adminIndex, "admin"},
		{"GET /admin/people", person, s.adminPeople, "admin_people"},
		{"GET /admin/people/{id}", person, fresh(s.showAccount), "admin_person"},
		{"POST /admin/people/{id}/sign-in-link", person, made(s, s.makeSignInLink, s.showAccount), "admin_person"},
		{"POST /admin/people/{id}/suspend", person, s.adminSuspend, "admin_person"},
		{"POST /admin/people/{id}/restore", person, act(s, s.Admin.RestoreAccount, "/admin/people/{id}?done=restored"), "admin_person"},
		{"POST /admin/people/{id}/promote", person, act(s, s.Admin.PromoteAccount, "/admin/people/{id}?done=promoted"), "admin_person"},
		{"POST /admin/people/{id}/demote", person, s.adminDemote, "admin_person"},
		{"GET /admin/reports", person, s.adminReports, "admin_reports"},
		{"GET /admin/reports/{id}", person, s.showReport, "admin_report"},
		{"POST /admin/reports/{id}", person, s.fromInbox(s.posted(s.adminDecide, "note", "sure")), "admin_report"},
		{"GET /admin/feedback", person, s.adminFeedback, "admin_feedback"},
		{"POST /admin/feedback/{id}/done", person, s.fromInbox(act(s, s.Admin.FinishFeedback, "/admin/feedback?done=finished")), ""},
		{"GET /admin/audit", person, s.adminAudit, "admin_audit"},
		{"GET /admin/storage", person, s.adminStorage, "admin_storage"},
		{"GET /admin/settings", person, s.adminSettings, "admin_settings"},
		{"POST /admin/settings", person, s.posted(s.adminSettingsSave), "admin_settings"},
		{"POST /admin/settings/picture", person, act(s, s.Admin.SetCommunityPicture, "/admin/settings?done=picture"), "admin_settings"},
		{"POST /admin/settings/picture/remove", person,
			act(s, s.Admin.DeleteCommunityPicture, "/admin/settings?done=no-picture"), "admin_settings"},
		{"GET /setup", person, fresh(s.showSetup), "setup"},
		{"POST /setup", person, made(s, s.setUp, s.showSetup), "setup"},
		{"GET /feedback", person, s.feedback, "feedback"},
		{"POST /feedback", person, s.posted(s.feedbackSend, "message"), "feedback"},
	}
}

type adminFrame struct {
	Frame
	OpenReports int
	NewFeedback int
	Space       file.State
}

func (f *adminFrame) admin() *adminFrame { return f }

// adminPage is page for administrators. It fails for everybody else.
func (s *site) adminPage(v *visit, title, tab string, view interface {
	framed
	admin() *adminFrame
}) error {
	open, f := get(v, s.Admin.CountOpen, core.None{}), view.admin()
	f.OpenReports, f.NewFeedback, f.Space = open.Reports, open.Feedback, open.Storage
	return s.page(v, title, "admin/"+tab, "", view)
}

// adminRows is a page of a list for administrators.
type adminRows[Row any] struct {
	adminFrame
	Chosen string // the state or the query
	Rows   []Row
	Next   string
}

func showRows[In, Item, Row any](s *site, v *visit, title, tab, chosen string, f *op.Func[In, core.Page[Item]], row func(Item) Row) error {
	page := read(v, f)
	view := adminRows[Row]{Chosen: chosen, Rows: core.Map(page.Items, row)}
	if page.Next != nil {
		view.Next = "/admin/" + tab + "?" + page.Next.Encode()
	}
	return s.adminPage(v, title, tab, &view)
}

type adminView struct {
	adminFrame
	Overview admin.Overview
	Audit    []auditView
}

func (s *site) adminIndex(v *visit) error {
	audit := get(v, s.Admin.ListAudit, admin.ListAuditIn{PageIn: admin.PageIn{Limit: 5}})
	return s.adminPage(v, "Administration", "overview", &adminView{Overview: get(v, s.Admin.GetOverview, core.None{}),
		Audit: core.Map(audit.Items, viewOfAudit)})
}

type auditView struct {
	At        store.Time
	Actor     string // "" if ByCommand, or if the account is deleted
	ByCommand bool
	Did       string
	Target    string
	Link      string
	After     string
}

func viewOfAudit(e admin.AuditEntry) auditView {
	id := core.OrZero(e.TargetID)
	out, ok := map[string]auditView{
		"user.suspend":      {Did: "suspended"},
		"user.link":         {Did: "made a sign-in link for"},
		"user.restore":      {Did: "lifted the suspension of"},
		"user.promote":      {Did: "made", After: "an administrator"},
		"user.demote":       {Did: "took the rights of an administrator from"},
		"user.erase":        {Did: "deleted", Target: "an account"},
		"invitation.revoke": {Did: "revoked an invitation by"},
		"report.decide":     {Did: "decided", Target: "a report", Link: "/admin/reports/" + id, After: decisionText(e.Detail)},
		"feedback.done":     {Did: "finished", Target: "feedback", Link: "/admin/feedback?state=done"},
		"settings.update":   {Did: "changed", Target: "the settings", Link: "/admin/settings", After: settingsText(e.Detail)},
	}[e.Action]
	if !ok {
		out.Did, out.After = e.Action, e.Detail
	}
	out.At, out.ByCommand = e.At, e.ByCommand
	if e.Actor != nil {
		out.Actor = e.Actor.Name
	}
	switch name := core.OrZero(e.TargetName); {
	case out.Target != "":
	case name != "":
		out.Target, out.Link = name, "/admin/people/"+id
	case id != "":
		out.Target = "a deleted account"
	}
	return out
}

func decisionText(detail string) string {
	return map[string]string{
		"dismissed":                "and dismissed it",
		"resolved":                 "and resolved it",
		"resolved, delete_message": "and deleted the message",
		"resolved, suspend":        "and suspended the account",
	}[detail]
}

func settingsText(detail string) string {
	names := map[string]string{
		"communityName": "name", "signup": "who can join", "accent": "color", "welcome": "welcome text",
		"memberInvites": "invitations by members",
		"dateLanguage":  "language of dates", "securityContact": "security contact", "pictureUrl": "picture",
		"defaultConversation": "default group",
	}
	var changes []string
	for detail != "" {
		name, rest, _ := strings.Cut(detail, " ")
		value, err := strconv.QuotedPrefix(rest)
		if err != nil {
			value, _, _ = strings.Cut(rest, ", ")
		}
		changes = append(changes, cmp.Or(names[name], name)+": "+oneLine(value, 80))
		detail = strings.TrimPrefix(rest[len(value):], ", ")
	}
	return "(" + strings.Join(changes, ", ") + ")"
}

func (s *site) adminAudit(v *visit) error {
	return showRows(s, v, "Log", "audit", "", s.Admin.ListAudit, viewOfAudit)
}

type adminStorageView struct {
	adminFrame
	Storage admin.Storage
	Shares  []shareView
}

type shareView struct {
	Kind  string
	Bytes int64
	Share int64
}

// adminStorage measures after the page's reads, because measuring a large database may take long.
func (s *site) adminStorage(v *visit) error {
	view := new(adminStorageView)
	v.then(func() error {
		view.Storage = get(v, s.Admin.GetStorage, core.None{})
		view.Shares = sharesOf(view.Storage.Kinds)
		return v.err
	})
	return s.adminPage(v, "Storage", "storage", view)
}

func sharesOf(kinds []admin.StorageKind) []shareView {
	total := int64(0)
	for _, k := range kinds {
		total += k.Bytes
	}
	return core.Map(kinds, func(k admin.StorageKind) shareView {
		return shareView{kindLabel(k.Kind), k.Bytes, (100*k.Bytes + total/2) / max(total, 1)}
	})
}

func kindLabel(kind string) string {
	return cmp.Or(map[string]string{
		"accounts": "Accounts", "conversations": "Conversations", "messages": "Messages", "files": "Files", "search": "Search index",
		"stream": "Notes", "asks": "Asks, offers and Stories", "lists": "Lists", "events": "Events of the last seven days",
		"webhooks": "Webhooks", "administration": "Administration",
	}[kind], kind)
}

type accountView struct {
	admin.Account
	Person Person
	You    bool
}

func (a accountView) HasAddress() bool { return !a.IsBot && a.Email != core.MaskedEmail(a.ID) }

func (v *visit) account(a admin.Account) accountView {
	return accountView{a, Person{ID: a.ID, Name: a.Name, Picture: pictureOf(core.OrZero(a.AvatarURL)), IsBot: a.IsBot}, a.ID == v.by.UserID}
}

func (s *site) adminPeople(v *visit) error {
	return showRows(s, v, "People", "people", v.query("q"), s.Admin.ListAccounts, v.account)
}

type adminPersonView struct {
	adminFrame
	Account accountView
	Form    Form
	Link    *linkView // a sign-in link that was just made
}

func (s *site) showAccount(v *visit, link *linkView) error {
	a := read(v, s.Admin.GetAccount)
	return s.adminPage(v, a.Name, "people", &adminPersonView{Account: v.account(a), Form: v.filled(Form{}), Link: link})
}

func (s *site) makeSignInLink(v *visit) (*linkView, error) {
	out, err := send(v, s.Account.CreateSignInLink)
	if err != nil {
		return nil, err
	}
	code, err := codeOf(out.URL)
	return &linkView{out.URL, code}, err
}

func (s *site) adminSuspend(v *visit) error {
	if !v.confirmed() {
		return s.refuse(v, core.New(core.Invalid, "not_confirmed", "Tick the box to confirm that you want to suspend this account."))
	}
	return act(s, s.Admin.SuspendAccount, "/admin/people/{id}?done=suspended")(v)
}

// adminDemote leads people who demote themselves away from the administrators' pages.
func (s *site) adminDemote(v *visit) error {
	next := "/admin/people/{id}?done=demoted"
	if v.id("id") == v.by.UserID {
		next = "/settings?done=demoted"
	}
	return act(s, s.Admin.DemoteAccount, next)(v)
}

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
	return new(face(r.ID, r.Name, r.AvatarURL))
}

func (s *site) adminReports(v *visit) error {
	return showRows(s, v, "Reports", "reports", cmp.Or(v.query("state"), "open"), s.Admin.ListReports, viewOfReport)
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

func (s *site) adminDecide(v *visit) (string, error) {
	outcome := v.form("outcome")
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
}

type feedbackView struct {
	Frame
	Form Form
	From string // the page before the form
}

func (s *site) feedback(v *visit) error {
	from := v.referrer()
	if v.again != nil {
		from = oneLine(v.form("page"), 200)
	}
	return s.page(v, "Send feedback", "feedback", "narrow", &feedbackView{Form: v.filled(Form{}), From: from})
}

// referrer returns the path of the previous page if it is of this site and no secret, otherwise "".
func (v *visit) referrer() string {
	u, err := url.Parse(v.r.Referer())
	if err != nil || u.Host != v.r.Host || u.Path == "/feedback" || hasSecretPath(u.Path) || len(u.Path) > 200 {
		return ""
	}
	return u.Path
}

func (s *site) feedbackSend(v *visit) (string, error) {
	_, err := send(v, s.Admin.SendFeedback, func(in *admin.SendFeedbackIn) {
		if from := oneLine(v.form("page"), 200); from != "" {
			in.Context, _ = json.Marshal(map[string]string{"page": from})
		}
	})
	return "/feedback?done=feedback", err
}

type noteView struct {
	admin.Feedback
	Context []entry
}

func (s *site) adminFeedback(v *visit) error {
	return showRows(s, v, "Feedback", "feedback", cmp.Or(v.query("state"), "new"), s.Admin.ListFeedback,
		func(f admin.Feedback) noteView { return noteView{f, entries(string(f.Context))} })
}
