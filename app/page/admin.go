package page

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

func (s *site) adminRoutes() []route {
	return []route{
		{"GET /admin", person, s.adminIndex, "admin"},
		{"GET /admin/people", person, s.adminPeople, "admin_people"},
		{"GET /admin/people/{id}", person, s.showAccount, "admin_person"},
		{"POST /admin/people/{id}/suspend", person, s.adminSuspend, "admin_person"},
		{"POST /admin/people/{id}/restore", person, act(s, s.Admin.RestoreAccount, "/admin/people/{id}?done=restored"), "admin_person"},
		{"POST /admin/people/{id}/promote", person, act(s, s.Admin.PromoteAccount, "/admin/people/{id}?done=promoted"), "admin_person"},
		{"POST /admin/people/{id}/demote", person, s.adminDemote, "admin_person"},
		{"GET /admin/reports", person, s.adminReports, "admin_reports"},
		{"GET /admin/reports/{id}", person, s.showReport, "admin_report"},
		{"POST /admin/reports/{id}", person, s.adminDecide, "admin_report"},
		{"GET /admin/feedback", person, s.adminFeedback, "admin_feedback"},
		{"POST /admin/feedback/{id}/done", person, act(s, s.Admin.FinishFeedback, "/admin/feedback?done=finished"), ""},
		{"GET /admin/audit", person, s.adminAudit, "admin_audit"},
		{"GET /admin/storage", person, s.adminStorage, "admin_storage"},
		{"GET /admin/settings", person, s.adminSettings, "admin_settings"},
		{"POST /admin/settings", person, s.adminSettingsSave, "admin_settings"},
		{"POST /admin/settings/picture", person, s.adminPicture, "admin_settings"},
		{"POST /admin/settings/picture/remove", person,
			act(s, s.Admin.DeleteCommunityPicture, "/admin/settings?done=no-picture"), "admin_settings"},
		{"GET /setup", person, s.setup, "setup"},
		{"POST /setup", person, s.setupSave, "setup"},
		{"GET /feedback", person, s.feedback, "feedback"},
		{"POST /feedback", person, s.feedbackSend, "feedback"},
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

func nextOf(path string, next url.Values) string {
	if next == nil {
		return ""
	}
	return path + "?" + next.Encode()
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
	out := auditView{At: e.At, ByCommand: e.ByCommand, Target: core.OrZero(e.TargetName)}
	if e.Actor != nil {
		out.Actor = e.Actor.Name
	}
	id := core.OrZero(e.TargetID)
	switch e.Action {
	case "user.suspend":
		out.Did = "suspended"
	case "user.restore":
		out.Did, out.After = "lifted the suspension of", ""
	case "user.promote":
		out.Did, out.After = "made", "an administrator"
	case "user.demote":
		out.Did, out.After = "took the rights of an administrator from", ""
	case "user.erase":
		out.Did, out.Target = "deleted", "an account"
		return out
	case "invitation.revoke":
		out.Did = "revoked an invitation by"
	case "report.decide":
		out.Did, out.Target, out.Link, out.After = "decided", "a report", "/admin/reports/"+id, decisionText(e.Detail)
	case "feedback.done":
		out.Did, out.Target, out.Link = "finished", "feedback", "/admin/feedback?state=done"
	case "settings.update":
		out.Did, out.Target, out.Link, out.After = "changed", "the settings", "/admin/settings", settingsText(e.Detail)
	default:
		out.Did, out.After = e.Action, e.Detail
	}
	switch {
	case out.Link != "":
	case out.Target != "":
		out.Link = "/admin/people/" + id
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

type adminAuditView struct {
	adminFrame
	Entries []auditView
	Next    string
}

func (s *site) adminAudit(v *visit) error {
	page := read(v, s.Admin.ListAudit)
	view := adminAuditView{Entries: core.Map(page.Items, viewOfAudit), Next: nextOf("/admin/audit", page.Next)}
	return s.adminPage(v, "Log", "audit", &view)
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
	if label := map[string]string{
		"accounts": "Accounts", "conversations": "Conversations", "messages": "Messages", "files": "Files", "search": "Search index",
		"stream": "Thoughts and Context lanes", "asks": "Asks, offers and Stories", "lists": "Lists", "events": "Events of the last seven days",
		"webhooks": "Webhooks", "administration": "Administration",
	}[kind]; label != "" {
		return label
	}
	return kind
}
