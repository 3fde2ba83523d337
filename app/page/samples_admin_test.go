package page

import (
	"net/url"
	"time"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/file"
)

// adminSamples adds values for the pages of administrators, and for feedback.
func adminSamples(m map[string]any, me func(title, here, layout string) Frame, ada, bea, cem, bot Person) {
	frame := func(title, tab string) adminFrame {
		f := me(title, "admin/"+tab, "")
		f.Admin, f.Site = true, "Mill Lane"
		state := map[string]file.State{"storage": file.Low, "overview": file.Full}[tab]
		return adminFrame{Frame: f, OpenReports: 2, NewFeedback: 120, Space: state}
	}
	ref := func(p Person) *admin.Ref { return &admin.Ref{ID: p.ID, Name: p.Name} }
	act := func(action string, by *admin.Ref, to *Person, detail string) auditView {
		e := admin.AuditEntry{At: sampleTime(0), Actor: by, ByCommand: by == nil, Action: action, Detail: detail}
		if to != nil {
			e.TargetID, e.TargetName = &to.ID, core.OrNil(to.Name)
		}
		return viewOfAudit(e)
	}
	id := sampleID(95)
	gone := act("user.suspend", ref(ada), &Person{ID: sampleID(96)}, "")
	gone.Actor = ""
	audit := []auditView{
		act("user.suspend", ref(ada), &cem, ""), act("user.restore", ref(ada), &cem, ""), act("user.promote", nil, &bea, ""),
		act("user.demote", ref(ada), &bea, ""),
		act("report.decide", ref(ada), &Person{ID: id}, "resolved, delete_message"), act("feedback.done", ref(ada), &Person{ID: id}, ""),
		act("settings.update", ref(ada), nil, `communityName "Mill Lane", signup invite`),
		act("invitation.revoke", ref(ada), &bea, ""), act("user.erase", nil, &Person{ID: sampleID(96), Name: "Deleted account"}, ""), gone,
	}
	accounts := []accountView{
		{admin.Account{ID: ada.ID, Name: ada.Name, Email: "ada@example.org", IsAdmin: true, Verified: true,
			CreatedAt: sampleTime(-9000 * time.Hour), LastSeenAt: new(sampleTime(0)), StorageUsed: 18_200_000}, ada, true},
		{admin.Account{ID: cem.ID, Name: cem.Name, Email: "jamil@example.org", CreatedAt: sampleTime(-90 * time.Hour),
			SuspendedAt: new(sampleTime(0))}, cem, false},
		{admin.Account{ID: bot.ID, Name: bot.Name, IsBot: true, Email: "pantry@example.org", CreatedAt: sampleTime(-90 * time.Hour)}, bot, false},
	}
	report := reportView{Report: admin.Report{ID: id, TargetType: "message", Freeform: "He writes this to everybody.",
		Text: "You will be sorry.\nAll of you.", CreatedAt: sampleTime(-time.Hour)}, Reason: "Harassment",
		Reporter: &bea, Reported: &cem, Suspended: true,
		Files: []fileView{{Name: "watch.jpg", URL: "/api/admin/reports/" + id + "/files/0", Preview: "/api/admin/reports/" + id +
			"/files/0?preview=true", Kind: "image", Size: 480_000, Width: 320, Height: 213},
			{Name: "prices.pdf", URL: "/api/admin/reports/" + id + "/files/1", Size: 12_345}}}
	decided := report
	decided.ID, decided.TargetType, decided.Decision, decided.Note = sampleID(97), "user", "resolved", "Talked to both."
	decided.DecidedAt, decided.DecidedBy, decided.Reporter = new(sampleTime(0)), ref(ada), nil
	kinds := []admin.StorageKind{{Kind: "messages", Bytes: 73_400_320}, {Kind: "files", Bytes: 18_200_000},
		{Kind: "administration", Bytes: 4096}}

	m["admin"] = adminView{frame("Administration", "overview"), admin.Overview{People: 21, Bots: 1, Administrators: 2, Suspended: 1,
		OpenReports: 2, NewFeedback: 120, DatabaseBytes: 92_012_544}, audit}
	m["admin_people"] = adminRows[accountView]{frame("People", "people"), "a", accounts, "/admin/people?after=x"}
	m["admin_person"] = adminPersonView{frame(bea.Name, "people"),
		accountView{admin.Account{ID: bea.ID, Name: bea.Name, Email: "bea@example.org", CreatedAt: sampleTime(0)}, bea, false},
		failed(url.Values{}, core.New(core.Conflict, "last_admin",
			"bea@example.org is the only active administrator. Promote another account first, then try again.")),
		&linkView{URL: "https://hearth.example/login/verify?token=x", Code: "data:image/svg+xml;base64,PHN2Zy8+"}}
	m["admin_reports"] = adminRows[reportView]{frame("Reports", "reports"), "open", []reportView{report, decided}, "/admin/reports?before=x"}
	m["admin_report"] = adminReportView{frame("Report", "reports"), report,
		failed(url.Values{"outcome": {"delete_message"}, "note": {"Third time"}},
			core.InvalidField("sure", "Tick the box to confirm: this applies at once, for everybody."), "note", "sure")}
	m["admin_feedback"] = adminRows[noteView]{frame("Feedback", "feedback"), "new", []noteView{
		{admin.Feedback{ID: id, From: ref(bea), Message: "The list of soups is too long.\nSee https://soups.example/",
			CreatedAt: sampleTime(0)}, []entry{{"page", "/list/x"}}},
		{admin.Feedback{ID: sampleID(98), Message: "Thank you!", CreatedAt: sampleTime(-time.Hour), DoneAt: new(sampleTime(0))}, nil}},
		"/admin/feedback?before=x"}
	m["admin_audit"] = adminRows[auditView]{frame("Log", "audit"), "", audit, "/admin/audit?before=x"}
	m["admin_storage"] = adminStorageView{frame("Storage", "storage"),
		admin.Storage{DatabaseBytes: 92_012_544, LogBytes: 4_124_152, FreeBytes: 40_960, MeasuredAt: sampleTime(0),
			Accounts: []admin.StorageAccount{{Ref: *ref(ada), Bytes: 18_200_000}}, Quotas: &admin.StorageQuotas{Account: 2 << 30, Server: 1 << 40}},
		sharesOf(kinds)}
	fields := communityForm{Fixed: map[string]bool{"signup": true}, Languages: admin.Languages(), Accents: accents(),
		Picture: "/api/pictures/x",
		Form: failed(url.Values{"communityName": {"Mill Lane"}, "signup": {"invite"}, "accent": {"#0b5c8a"}, "otherAccent": {""},
			"welcome": {"Hello & welcome"}, "dateLanguage": {"de"}, "securityContact": {"security@example.org"}},
			core.InvalidField("communityName", "communityName must have at most 60 characters; this one has 61."), "communityName", "signup")}
	m["admin_settings"] = adminSettingsView{frame("Settings", "settings"), fields}
	fields.Fixed, fields.Form = nil, newForm("signup", "open", "accent", "#123456", "otherAccent", "#123456", "dateLanguage", "auto")
	named := me("Set up your community", "setup", "narrow")
	named.Site, named.Security, named.Look = "Mill Lane", "mailto:security@example.org",
		look{Picture: "/api/pictures/x", Theme: "/theme/0b5c8a.css", Dates: "de"}
	made := &inviteLink{URL: "https://hearth.example/join/tok-en", Code: "data:image/svg+xml;base64,PHN2Zy8+", UsesLeft: 25,
		Sent: "bea@example.org"}
	m["setup"] = setupView{Frame: named, SendID: sampleID(99), communityForm: fields, Made: made, SendsMail: true}
	m["invitations"] = invitationsView{Frame: me("Invite people", "people", ""), SendID: sampleID(97),
		Form: newForm("expiresInDays", "7", "maxUses", "25"), May: true, SendsMail: true, Made: made, Invitations: []invitationView{
			{account.OwnInvitation{ID: sampleID(99), CreatedBy: account.Inviter{ID: ada.ID, Name: ada.Name}, ExpiresAt: sampleTime(99 * time.Hour),
				UsesLeft: 1}, true},
			{account.OwnInvitation{ID: sampleID(98), CreatedBy: account.Inviter{ID: bea.ID, Name: bea.Name}, ExpiresAt: sampleTime(99 * time.Hour),
				UsesLeft: 24}, false}}}
	m["join"] = joinView{Frame: named, Token: "tok-en", SendsMail: true, Invitation: account.Invitation{InvitedBy: bea.Name},
		Welcome: "Hello <all>\nBring a cup",
		Form: failed(url.Values{"email": {"x"}}, core.InvalidField("email", "email must be an e-mail address such as name@example.org."),
			"email")}
	m["welcome"] = welcomeView{Frame: named, Form: failed(url.Values{"name": {""}}, core.InvalidField("name", "name is required: send text."),
		"name"), Next: "/chat", Welcome: "Hello"}
	m["feedback"] = feedbackView{me("Send feedback", "feedback", "narrow"), failed(url.Values{"message": {"Hello"}},
		core.TooManyAfter(time.Hour, "too_much_feedback", "You have sent a lot of feedback within an hour."), "message"), "/chat"}
}
