package admin

import (
	"context"
	"net/url"
	"strconv"

	"hearth/app/core"
	"hearth/store"
)

// AuditEntry is an action of an administrator, or of a command on the server.
type AuditEntry struct {
	At         store.Time `json:"at"`
	Actor      *Ref       `json:"actor" doc:"Null for a command, and once the account is deleted."`
	ByCommand  bool       `json:"byCommand" doc:"Whether it was a command on the server."`
	Action     string     `json:"action" doc:"Such as user.suspend, user.restore, user.promote, user.demote, user.erase, report.decide, feedback.done, invitation.revoke and settings.update."`
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

func (s *Service) listAudit(ctx context.Context, by store.Viewer, in ListAuditIn) (page core.Page[AuditEntry], err error) {
	err = s.read(ctx, by, func(r *store.Reader) error {
		rows, err := r.AuditEntries(by, in.before(), in.Limit+1)
		page = pageOf(rows, in.Limit, auditEntryOf, func(e store.AuditEntry) url.Values {
			return url.Values{"before": {e.At.String()}, "limit": {strconv.Itoa(in.Limit)}}
		})
		return err
	})
	return page, err
}
