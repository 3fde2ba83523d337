// Package admin has the operations of administrators: accounts, reports, feedback, settings, storage and the
// audit log.
package admin

import (
	"maps"
	"net/url"
	"strconv"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/op"
	"hearth/store"
)

// Config is the configuration of a Service.
type Config struct {
	DB     *store.DB
	Limits *op.Limits // shared by all services; nil has no limits
	Files  *file.Store
	// Fixed has the settings from the start of the server, by their names in Settings. Administrators cannot
	// change them.
	Fixed map[string]string
	// Quotas are the limits of storage; nil if unknown.
	Quotas *StorageQuotas
	// Accounts changes accounts, and records it in the audit log.
	Accounts Accounts
	// DeleteMessage deletes a message for everybody, like its sender would.
	DeleteMessage func(tx *store.Tx, m store.Message) error
	// DeletePost deletes a post of a Context lane for everybody.
	DeletePost func(tx *store.Tx, by store.Viewer, p store.ContextPost) error
}

// Act changes an account in a write on behalf of by.
type Act func(tx *store.Tx, by store.Viewer, u store.User) error

// Accounts are the acts on accounts.
type Accounts struct{ Suspend, Restore, Promote, Demote Act }

// Service has the operations of administrators. It is safe for concurrent use.
type Service struct {
	Operations

	cfg   Config
	sizes sizes
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{cfg: c}
	s.Operations = s.operations(c.Limits)
	return s
}

// Described returns a service without a database, for descriptions of operations. Calls of operations panic.
func Described() *Service { return New(Config{}) }

// Ref names an account.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`

	AvatarURL string `json:"-"` // for pages; read with reports
}

func refOf(n store.Named) *Ref {
	if n.ID == "" {
		return nil
	}
	return &Ref{ID: n.ID, Name: n.Name, AvatarURL: n.AvatarURL}
}

// PageIn requests a page of a list by time.
type PageIn struct {
	Before *store.Time `query:"before" json:"-" doc:"Only entries from before this moment."`
	Limit  int         `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
}

func (in PageIn) before() store.Time {
	if in.Before == nil {
		return 0
	}
	return max(*in.Before, 1)
}

// pageOf returns the page that begins with rows. rows has more than limit rows if a page follows. after returns the query
// of the page after a row, in which what is empty is left out.
func pageOf[Row, Item any](limit int, rows []Row, item func(Row) Item, after func(Row) url.Values) (page core.Page[Item]) {
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = after(rows[limit-1])
		page.Next.Set("limit", strconv.Itoa(limit))
		maps.DeleteFunc(page.Next, func(_ string, v []string) bool { return v[0] == "" })
	}
	page.Items = core.Map(rows, item)
	return page
}

// older returns the query of what is older than a row.
func older(at store.Time, state string) url.Values {
	return url.Values{"before": {at.String()}, "state": {state}}
}

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
	return pageOf(in.Limit, rows, auditEntryOf, func(e store.AuditEntry) url.Values { return older(e.At, "") }), err
}
