// Package admin has the operations of administrators: accounts, reports, feedback, settings, storage and the
// audit log.
package admin

import (
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

// pageOf returns the page of in that begins with rows. rows has one row more than the page if a page follows. at is the
// time of a row. The query of the next page also has the state.
func pageOf[Row, Item any](in PageIn, state string, rows []Row, item func(Row) Item, at func(Row) store.Time) (page core.Page[Item]) {
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		page.Next = url.Values{"before": {at(rows[in.Limit-1]).String()}, "limit": {strconv.Itoa(in.Limit)}}
		if state != "" {
			page.Next.Set("state", state)
		}
	}
	page.Items = core.Map(rows, item)
	return page
}
