package admin

import (
	"hearth/app/core"
	"hearth/store"
)

// AuditEntry is an action of an administrator, or of a command on the server.
type AuditEntry struct {
	At         store.Time `json:"at"`
	Actor      *Ref       `json:"actor" doc:"Null for a command, and once the account is deleted."`
	ByCommand  bool       `json:"byCommand" doc:"Whether it was a command on the server."`
	Action     string     `json:"action" doc:"Such as user.suspend, report.decide or settings.update."`
	TargetID   *string    `json:"targetId"`
	TargetName *string    `json:"targetName" doc:"Of an account that is not deleted."`
	Detail     string     `json:"detail"`
}

func auditEntryOf(e store.AuditEntry) AuditEntry {
	return AuditEntry{
		At: e.At, Actor: refOf(e.Actor), ByCommand: e.ByCommand, Action: e.Action,
		TargetID: core.OrNil(e.TargetID), TargetName: core.OrNil(e.Target), Detail: e.Detail,
	}
}

// ListAuditIn requests a page of the audit log.
type ListAuditIn struct{ PageIn }

func (s *Service) listAudit(r *store.Reader, by store.Viewer, in ListAuditIn) (core.Page[AuditEntry], error) {
	rows, err := r.AuditEntries(by, in.before(), in.Limit+1)
	return pageOf(in.PageIn, "", rows, auditEntryOf, func(e store.AuditEntry) store.Time { return e.At }), err
}
