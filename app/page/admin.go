package page

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

func adminRoutes() []route {
	return []route{
		{"GET /admin", person, adminIndex, "admin"},
		{"GET /admin/people", person, adminPeople, "admin_people"},
		{"GET /admin/people/{id}", person, fresh((*site).showAccount), "admin_person"},
		{"POST /admin/people/{id}/suspend", person, adminSuspend, "admin_person"},
		{"POST /admin/people/{id}/restore", person, adminRestore, "admin_person"},
		{"POST /admin/people/{id}/promote", person, adminPromote, "admin_person"},
		{"POST /admin/people/{id}/demote", person, adminDemote, "admin_person"},
		{"GET /admin/reports", person, adminReports, "admin_reports"},
		{"GET /admin/reports/{id}", person, fresh((*site).showReport), "admin_report"},
		{"POST /admin/reports/{id}", person, adminDecide, "admin_report"},
		{"GET /admin/feedback", person, adminFeedback, "admin_feedback"},
		{"POST /admin/feedback/{id}/done", person, adminFeedbackDone, ""},
		{"GET /admin/audit", person, adminAudit, "admin_audit"},
		{"GET /admin/storage", person, adminStorage, "admin_storage"},
		{"GET /admin/settings", person, adminSettings, "admin_settings"},
		{"POST /admin/settings", person, adminSettingsSave, "admin_settings"},
		{"POST /admin/settings/picture", person, adminPicture, "admin_settings"},
		{"POST /admin/settings/picture/remove", person, adminPictureRemove, "admin_settings"},
		{"GET /setup", person, setup, "setup"},
		{"POST /setup", person, setupSave, "setup"},
		{"GET /feedback", person, feedback, "feedback"},
		{"POST /feedback", person, feedbackSend, "feedback"},
	}
}

type adminFrame struct {
	Frame
	Tab         string
	OpenReports int
	NewFeedback int
	Space       file.State
}

// adminFrame returns the frame of a page. It fails for everybody but administrators.
func (s *site) adminFrame(v *visit, title, tab string) (f adminFrame) {
	open := get(v, s.Admin.CountOpen, core.None{})
	f = adminFrame{Tab: tab, OpenReports: open.Reports, NewFeedback: open.Feedback, Space: open.Storage}
	f.Frame = s.frame(v, title, "admin", "")
	return f
}

type adminView struct {
	adminFrame
	Overview admin.Overview
	Audit    []auditView
}

func adminIndex(s *site, v *visit) error {
	f := s.adminFrame(v, "Administration", "overview")
	overview := get(v, s.Admin.GetOverview, core.None{})
	audit := get(v, s.Admin.ListAudit, admin.ListAuditIn{PageIn: admin.PageIn{Limit: 5}})
	return s.show(v, http.StatusOK, adminView{f, overview, core.Map(audit.Items, viewOfAudit)})
}

func nextOf(path string, next url.Values) string {
	if next == nil {
		return ""
	}
	return path + "?" + next.Encode()
}

// pageOf reads the position in a list by time. A position that cannot be read is the beginning.
func (v *visit) pageOf() (in admin.PageIn) {
	if at, err := store.ParseTime(v.query("before")); err == nil {
		in.Before = &at
	}
	return in
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

func adminAudit(s *site, v *visit) error {
	f := s.adminFrame(v, "Log", "audit")
	page := get(v, s.Admin.ListAudit, admin.ListAuditIn{PageIn: v.pageOf()})
	return s.show(v, http.StatusOK, adminAuditView{f, core.Map(page.Items, viewOfAudit), nextOf("/admin/audit", page.Next)})
}
