package admin

import (
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations has the operations of administrators, and SendFeedback for all members.
type Operations struct {
	GetOverview *op.Func[core.None, Overview]
	CountOpen   *op.Func[core.None, OpenCounts]

	ListAccounts   *op.Func[ListAccountsIn, core.Page[Account]]
	GetAccount     *op.Func[core.ByID, Account]
	SuspendAccount *op.Func[core.ByID, Account]
	RestoreAccount *op.Func[core.ByID, Account]
	PromoteAccount *op.Func[core.ByID, Account]
	DemoteAccount  *op.Func[core.ByID, Account]

	ListReports   *op.Func[ListReportsIn, core.Page[Report]]
	GetReport     *op.Func[ReportIn, Report]
	GetReportFile *op.Func[GetReportFileIn, *file.Served]
	DecideReport  *op.Func[DecideReportIn, Report]

	SendFeedback   *op.Func[SendFeedbackIn, SendFeedbackOut]
	ListFeedback   *op.Func[ListFeedbackIn, core.Page[Feedback]]
	FinishFeedback *op.Func[core.ByID, Feedback]

	ListAudit      *op.Func[ListAuditIn, core.Page[AuditEntry]]
	GetStorage     *op.Func[core.None, Storage]
	GetSettings    *op.Func[core.None, Settings]
	UpdateSettings *op.Func[UpdateSettingsIn, Settings]

	GetCommunity           *op.Func[core.None, Community]
	GetSecurityContact     *op.Func[core.None, SecurityContact]
	GetAdminName           *op.Func[core.None, string]
	SetCommunityPicture    *op.Func[file.In, Settings]
	DeleteCommunityPicture *op.Func[core.None, Settings]
}

func (s *Service) operations(l *op.Limits) Operations {
	admin, public, db := op.AdminOnly.Spec, op.Public.Spec, s.cfg.DB
	change := func(route, summary string) op.Spec {
		return admin(route, summary, core.Conflict).Hint(op.Idempotent)
	}
	return Operations{
		GetOverview: op.New(l, s.getOverview, admin("GET /api/admin/overview",
			"Get the numbers of what needs attention").Hint(op.ReadOnly)),
		CountOpen: op.New(l, s.countOpen, admin("", "Count open reports and new feedback").Hint(op.ReadOnly)),

		ListAccounts: op.Read(l, db, s.listAccounts, admin("GET /api/admin/people", "List accounts")),
		GetAccount:   op.Read(l, db, s.getAccount, admin("GET /api/admin/people/{id}", "Get an account")),
		SuspendAccount: op.Write(l, db, s.suspendAccount, change("POST /api/admin/people/{id}/suspend",
			"Suspend an account").Hint(op.Destructive)),
		RestoreAccount: op.Write(l, db, s.restoreAccount, change("POST /api/admin/people/{id}/restore", "Lift the suspension of an account")),
		PromoteAccount: op.Write(l, db, s.promoteAccount, change("POST /api/admin/people/{id}/promote", "Make an account an administrator")),
		DemoteAccount: op.Write(l, db, s.demoteAccount, change("POST /api/admin/people/{id}/demote",
			"Take the rights of an administrator from an account")),

		ListReports:   op.Read(l, db, s.listReports, admin("GET /api/admin/reports", "List reports")),
		GetReport:     op.Read(l, db, s.getReport, admin("GET /api/admin/reports/{id}", "Get a report")),
		GetReportFile: op.New(l, s.getReportFile, admin("", "Download a file of a report").Hint(op.ReadOnly)),
		DecideReport: op.Write(l, db, s.decideReport, admin("POST /api/admin/reports/{id}/decide", "Decide a report",
			core.Conflict).Hint(op.Destructive)),

		SendFeedback: op.Write(l, db, s.sendFeedback, op.Member.Spec("POST /api/feedback 201",
			"Send feedback to the administrators").Hint(op.Stores).Limited(limit.Feedback)),
		ListFeedback: op.Read(l, db, s.listFeedback, admin("GET /api/admin/feedback", "List feedback")),
		FinishFeedback: op.Write(l, db, s.finishFeedback, admin("POST /api/admin/feedback/{id}/done",
			"Mark feedback as done").Hint(op.Idempotent)),

		ListAudit:      op.Read(l, db, s.listAudit, admin("GET /api/admin/audit", "List what administrators did")),
		GetStorage:     op.New(l, s.getStorage, admin("GET /api/admin/storage", "Get the storage in use").Hint(op.ReadOnly)),
		GetSettings:    op.Read(l, db, s.getSettings, admin("GET /api/admin/settings", "Get the settings of the server")),
		UpdateSettings: op.Write(l, db, s.updateSettings, change("PATCH /api/admin/settings", "Update the settings of the server")),

		GetSecurityContact: op.Read(l, db, s.getSecurityContact, public("", "Get where to report security problems", core.NotFound)),
		GetAdminName:       op.Read(l, db, adminName, public("", "Get who can let people in")),
		GetCommunity:       op.Read(l, db, s.getCommunity, public("GET /api/community", "Get the community")),
		SetCommunityPicture: op.New(l, s.setCommunityPicture, admin("POST /api/admin/settings/picture",
			"Set the picture of the community").Hint(op.Idempotent|op.Stores)),
		DeleteCommunityPicture: op.Write(l, db, s.deleteCommunityPicture, admin("DELETE /api/admin/settings/picture",
			"Remove the picture of the community").Hint(op.Idempotent|op.Destructive)),
	}
}
