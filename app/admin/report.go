package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// Report is a report with its decision. Deleted accounts are null.
type Report struct {
	ID             string           `json:"id"`
	TargetType     string           `json:"targetType" enum:"message|user|context"`
	TargetID       string           `json:"targetId"`
	ConversationID *string          `json:"conversationId" doc:"Of a message or a post."`
	Reason         string           `json:"reason" read:"others"`
	Freeform       string           `json:"freeform" read:"others" doc:"What the reporter added. May be empty."`
	Text           string           `json:"text" read:"others" doc:"The message, the post, or the account's name and status, as reported."`
	Reporter       *Ref             `json:"reporter" read:"others"`
	Reported       *ReportedAccount `json:"reported" read:"others" doc:"The account, the sender of the message, or the author of the post."`
	CreatedAt      store.Time       `json:"createdAt"`
	Decision       *string          `json:"decision" enum:"dismissed|resolved"`
	Note           string           `json:"note" read:"own" doc:"What the administrator noted with the decision. May be empty."`
	DecidedAt      *store.Time      `json:"decidedAt"`
	DecidedBy      *Ref             `json:"decidedBy" read:"own" doc:"Null for a command on the server, too."`
	Files          []ReportFile     `json:"files,omitzero" read:"others" doc:"The files of the message, as reported. Not in lists of reports."`
}

// ReportedAccount is the account that a report is about.
type ReportedAccount struct {
	Ref
	SuspendedAt *store.Time `json:"suspendedAt"`
}

func reportOf(c store.ReportCase) Report {
	out := Report{
		ID: c.ID, TargetType: c.TargetType, TargetID: c.TargetID, ConversationID: core.OrNil(c.ConversationID), Reason: c.Reason,
		Freeform: c.Freeform,
		Text:     c.Text, Reporter: refOf(c.Reporter), CreatedAt: c.CreatedAt, Decision: core.OrNil(c.Decision), Note: c.Note,
		DecidedAt: c.DecidedAt.Ptr(), DecidedBy: refOf(c.DecidedBy),
	}
	if ref := refOf(c.Reported); ref != nil {
		out.Reported = &ReportedAccount{Ref: *ref, SuspendedAt: c.SuspendedAt.Ptr()}
	}
	return out
}

// ListReportsIn requests a page of reports.
type ListReportsIn struct {
	State string `query:"state" json:"-" enum:"open|decided" default:"open"`
	PageIn
}

func (s *Service) listReports(r *store.Reader, by store.Viewer, in ListReportsIn) (core.Page[Report], error) {
	rows, err := r.Reports(by, in.State == "decided", in.before(), in.Limit+1)
	return pageOf(in.Limit, rows, reportOf, func(c store.ReportCase) url.Values { return older(c.CreatedAt, in.State) }), err
}

// ReportIn names a report.
type ReportIn struct {
	ID string `path:"id" json:"-"`
}

// The actions of a decision.
const (
	noAction      = "none"
	deleteMessage = "delete_message"
	suspend       = "suspend"
)

// DecideReportIn is a decision.
type DecideReportIn struct {
	ID       string `path:"id" json:"-"`
	Decision string `json:"decision" required:"true" enum:"dismissed|resolved"`
	Note     string `json:"note" max:"2000" doc:"For the administrators."`
	Action   string `json:"action" enum:"none|delete_message|suspend" default:"none" doc:"What is done with a report that is resolved."`
}

// decideReport decides and acts in one write. A second decision is a Conflict with already_decided.
func (s *Service) decideReport(tx *store.Tx, by store.Viewer, in DecideReportIn) (out Report, err error) {
	if in.Decision == "dismissed" && in.Action != noAction {
		return out, core.InvalidField("action", "A report that is dismissed has no action. Resolve it, or leave action out.")
	}
	c, err := tx.ReportCase(by, in.ID)
	if err != nil {
		return out, err
	}
	if c.DecidedAt != 0 {
		return out, core.New(core.Conflict, "already_decided", "This report is decided already. Reload it to see the decision.")
	}
	if err := s.act(tx, by, c, in.Action); err != nil {
		return out, err
	}
	detail := in.Decision
	if in.Action != noAction {
		detail += ", " + in.Action
	}
	if err := cmp.Or(tx.DecideReport(by, c.ID, in.Decision, in.Note), tx.Audit(by, "report.decide", c.ID, detail),
		core.AdminInboxChanged(tx)); err != nil {
		return out, err
	}
	return s.getReport(&tx.Reader, by, ReportIn{in.ID})
}

func (s *Service) act(tx *store.Tx, by store.Viewer, c store.ReportCase, action string) error {
	switch action {
	case deleteMessage:
		return s.deleteReported(tx, by, c)
	case suspend:
		if c.Reported.ID == "" {
			return core.New(core.Conflict, "account_deleted", "The reported account is deleted. Decide without suspending it.")
		}
		u, err := tx.User(c.Reported.ID)
		if err != nil {
			return err
		}
		return s.cfg.Accounts.Suspend(tx, by, u)
	}
	return nil
}

func (s *Service) deleteReported(tx *store.Tx, by store.Viewer, c store.ReportCase) error {
	if c.TargetType == "context" {
		p, err := tx.ReportedPost(by, c.ID)
		if errors.Is(err, store.ErrNoRow) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.cfg.DeletePost(tx, by, p)
	}
	if c.TargetType != "message" {
		return core.InvalidField("action", "This report is about an account: there is no message to delete.")
	}
	m, err := tx.ReportedMessage(by, c.ID)
	if errors.Is(err, store.ErrNoRow) || err == nil && m.DeletedAt != 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if m.Type == "card" { // a report of an earlier version
		return core.InvalidField("action",
			"This report is about a card of a match, which cannot be deleted. Decide without an action, and suspend the account under People if "+
				"you have to.")
	}
	return s.cfg.DeleteMessage(tx, m)
}

// ReportFile is a file of a reported message.
type ReportFile struct {
	URL        string `json:"url"`
	PreviewURL string `json:"previewUrl,omitzero" doc:"A smaller picture of a large one"`
	MimeType   string `json:"mimeType"`
	Name       string `json:"name"`
	Size       int64  `json:"size" doc:"In bytes"`
	Width      int    `json:"width,omitzero" doc:"In pixels"`
	Height     int    `json:"height,omitzero" doc:"In pixels"`
	DurationMs int    `json:"durationMs,omitzero"`
}

func reportFileOf(f store.ReportFile) ReportFile {
	out := ReportFile{
		URL:      fmt.Sprintf("/api/admin/reports/%s/files/%d", f.ReportID, f.Number),
		MimeType: f.MimeType, Name: f.Name, Size: f.Size, Width: f.Width, Height: f.Height, DurationMs: f.DurationMs,
	}
	if f.PreviewID != 0 {
		out.PreviewURL = out.URL + "?preview=true"
	}
	return out
}

func (s *Service) getReport(r *store.Reader, by store.Viewer, in ReportIn) (out Report, err error) {
	c, err := r.ReportCase(by, in.ID)
	if err != nil {
		return out, err
	}
	out = reportOf(c)
	files, err := r.ReportFiles(by, in.ID)
	out.Files = core.Map(files, reportFileOf)
	return out, err
}

// GetReportFileIn names a file of a report.
type GetReportFileIn struct {
	ID      string `path:"id" json:"-"`
	Number  int    `path:"number" json:"-"`
	Preview bool   `query:"preview" json:"-" doc:"The smaller picture of a large one"`
}

// getReportFile returns a file of a reported message. The file is kept with the report until the sender's
// account is deleted.
func (s *Service) getReportFile(ctx context.Context, by store.Viewer, in GetReportFileIn) (out *file.Served, err error) {
	err = s.cfg.DB.Read(ctx, func(r *store.Reader) error {
		f, err := r.ReportFile(by, in.ID, in.Number)
		if err != nil {
			return err
		}
		out, err = s.cfg.Files.Serve(ctx, r, file.Stored{
			BlobID: f.BlobID, Size: f.Size, Name: f.Name, MimeType: f.MimeType, PreviewID: f.PreviewID, PreviewType: f.PreviewType,
		}, in.Preview)
		return err
	})
	return out, core.Found(err)
}
