// Package admin has the operations of administrators: accounts, reports, feedback, settings, storage and the
// audit log.
package admin

import (
	"context"
	"errors"

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

	db            *store.DB
	files         *file.Store
	fixed         map[string]string
	quotas        *StorageQuotas
	accounts      Accounts
	deleteMessage func(*store.Tx, store.Message) error
	deletePost    func(*store.Tx, store.Viewer, store.ContextPost) error
	sizes         sizes
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{db: c.DB, files: c.Files, fixed: c.Fixed, quotas: c.Quotas, accounts: c.Accounts, deleteMessage: c.DeleteMessage,
		deletePost: c.DeletePost, sizes: newSizes()}
	s.Operations = s.operations(c.Limits)
	return s
}

// Described returns a service without a database, for descriptions of operations. Calls of operations panic.
func Described() *Service { return New(Config{}) }

// read checks the rights again: they may have ended since the call was authenticated.
func (s *Service) read(ctx context.Context, by store.Viewer, f func(*store.Reader) error) error {
	return core.Found(s.db.Read(ctx, func(r *store.Reader) error {
		if err := check(r, by); err != nil {
			return err
		}
		return f(r)
	}))
}

func (s *Service) write(ctx context.Context, by store.Viewer, f func(*store.Tx) error) error {
	return core.Found(s.db.Write(ctx, func(tx *store.Tx) error {
		if err := check(&tx.Reader, by); err != nil {
			return err
		}
		return f(tx)
	}))
}

func check(r *store.Reader, by store.Viewer) error {
	err := r.CheckAdmin(by)
	if errors.Is(err, store.ErrNoRow) {
		return core.ErrAdminOnly
	}
	return err
}

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
