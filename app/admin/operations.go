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
	GetAccount     *op.Func[AccountIn, Account]
	SuspendAccount *op.Func[AccountIn, Account]
	RestoreAccount *op.Func[AccountIn, Account]
	PromoteAccount *op.Func[AccountIn, Account]
	DemoteAccount  *op.Func[AccountIn, Account]

	ListReports   *op.Func[ListReportsIn, core.Page[Report]]
	GetReport     *op.Func[ReportIn, Report]
	GetReportFile *op.Func[GetReportFileIn, *file.Served]
	DecideReport  *op.Func[DecideReportIn, Report]

	SendFeedback   *op.Func[SendFeedbackIn, SendFeedbackOut]
	ListFeedback   *op.Func[ListFeedbackIn, core.Page[Feedback]]
	FinishFeedback *op.Func[FeedbackIn, Feedback]

	ListAudit      *op.Func[ListAuditIn, core.Page[AuditEntry]]
	GetStorage     *op.Func[core.None, Storage]
	GetSettings    *op.Func[core.None, Settings]
	UpdateSettings *op.Func[UpdateSettingsIn, Settings]

	GetCommunity           *op.Func[core.None, Community]
	GetSecurityContact     *op.Func[core.None, SecurityContact]
	SetCommunityPicture    *op.Func[SetCommunityPictureIn, Settings]
	DeleteCommunityPicture *op.Func[core.None, Settings]
}

func (s *Service) operations(l *op.Limits) Operations {
	read := func(route, summary string) op.Spec {
		return op.Spec{Route: route, Summary: summary, Guard: op.AdminOnly, Hints: op.ReadOnly}
	}
	change := func(route, summary string) op.Spec {
		return op.Spec{Route: route, Summary: summary, Guard: op.AdminOnly, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}}
	}
	suspend := change("POST /api/admin/people/{id}/suspend", "Suspend an account")
	suspend.Hints |= op.Destructive
	picture := op.Spec{Route: "POST /api/admin/settings/picture", Summary: "Set the picture of the community", Guard: op.AdminOnly,
		Hints: op.Idempotent, Stores: true}
	return Operations{
		GetOverview: op.New(l, s.getOverview, read("GET /api/admin/overview", "Get the numbers of what needs attention")),
		CountOpen:   op.New(l, s.countOpen, read("", "Count open reports and new feedback")),

		ListAccounts:   op.New(l, s.listAccounts, read("GET /api/admin/people", "List accounts")),
		GetAccount:     op.New(l, s.getAccount, read("GET /api/admin/people/{id}", "Get an account")),
		SuspendAccount: op.New(l, s.suspendAccount, suspend),
		RestoreAccount: op.New(l, s.restoreAccount, change("POST /api/admin/people/{id}/restore", "Lift the suspension of an account")),
		PromoteAccount: op.New(l, s.promoteAccount, change("POST /api/admin/people/{id}/promote", "Make an account an administrator")),
		DemoteAccount: op.New(l, s.demoteAccount, change("POST /api/admin/people/{id}/demote",
			"Take the rights of an administrator from an account")),

		ListReports:   op.New(l, s.listReports, read("GET /api/admin/reports", "List reports")),
		GetReport:     op.New(l, s.getReport, read("GET /api/admin/reports/{id}", "Get a report")),
		GetReportFile: op.New(l, s.getReportFile, read("", "Download a file of a report")),
		DecideReport: op.New(l, s.decideReport, op.Spec{Route: "POST /api/admin/reports/{id}/decide", Summary: "Decide a report",
			Guard: op.AdminOnly, Hints: op.Destructive, Errors: []core.Kind{core.Conflict}}),

		SendFeedback: op.New(l, s.sendFeedback, op.Spec{Route: "POST /api/feedback 201", Summary: "Send feedback to the administrators",
			Guard: op.Member, Limits: []limit.Rate{limit.Feedback}, Stores: true}),
		ListFeedback: op.New(l, s.listFeedback, read("GET /api/admin/feedback", "List feedback")),
		FinishFeedback: op.New(l, s.finishFeedback, op.Spec{Route: "POST /api/admin/feedback/{id}/done", Summary: "Mark feedback as done",
			Guard: op.AdminOnly, Hints: op.Idempotent}),

		ListAudit:      op.New(l, s.listAudit, read("GET /api/admin/audit", "List what administrators did")),
		GetStorage:     op.New(l, s.getStorage, read("GET /api/admin/storage", "Get the storage in use")),
		GetSettings:    op.New(l, s.getSettings, read("GET /api/admin/settings", "Get the settings of the server")),
		UpdateSettings: op.New(l, s.updateSettings, change("PATCH /api/admin/settings", "Update the settings of the server")),

		GetSecurityContact: op.New(l, s.getSecurityContact, op.Spec{Summary: "Get where to report security problems", Guard: op.Public,
			Hints: op.ReadOnly, Errors: []core.Kind{core.NotFound}}),
		GetCommunity: op.New(l, s.getCommunity, op.Spec{Route: "GET /api/community", Summary: "Get the community", Guard: op.Public,
			Hints: op.ReadOnly}),
		SetCommunityPicture: op.New(l, s.setCommunityPicture, picture),
		DeleteCommunityPicture: op.New(l, s.deleteCommunityPicture, op.Spec{Route: "DELETE /api/admin/settings/picture",
			Summary: "Remove the picture of the community", Guard: op.AdminOnly, Hints: op.Idempotent | op.Destructive}),
	}
}
