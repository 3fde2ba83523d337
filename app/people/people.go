// Package people has the operations between accounts: blocks, friends, add-me
// cards and reports.
package people

import (
	"context"

	"hearth/app/op"
	"hearth/store"
)

// Config is what New needs.
type Config struct {
	DB     *store.DB
	Limits *op.Limits // shared by all services; nil limits nothing
	// BaseURL is what links of cards begin with, without a slash at the end.
	BaseURL string
	// Hidden records, within a write, that a block hid the direct conversation
	// of two members from both, or that it is shown to them again. Nil records
	// nothing.
	Hidden func(tx *store.Tx, conversationID string, members []string, hidden bool) error
	// Reshow notifies two accounts that are connected how each looks to the
	// other now. Nil notifies nobody.
	Reshow func(ctx context.Context, a, b string)
	// WatchRequests notes what agents ask accounts to approve. Changed, which is called
	// later in the same write, records for whom of them that changed. Nil records nothing.
	WatchRequests func(tx *store.Tx, userIDs ...string) (changed func() error, err error)
}

// Service has the operations between accounts. It is safe for concurrent use.
type Service struct {
	Operations

	db      *store.DB
	baseURL string
	hidden  func(tx *store.Tx, conversationID string, members []string, hidden bool) error
	reshow  func(ctx context.Context, a, b string)

	watchRequests func(tx *store.Tx, userIDs ...string) (changed func() error, err error)
}

// New returns the service.
func New(c Config) *Service {
	if c.Hidden == nil {
		c.Hidden = func(*store.Tx, string, []string, bool) error { return nil }
	}
	if c.Reshow == nil {
		c.Reshow = func(context.Context, string, string) {}
	}
	if c.WatchRequests == nil {
		c.WatchRequests = func(*store.Tx, ...string) (func() error, error) { return func() error { return nil }, nil }
	}
	s := &Service{db: c.DB, baseURL: c.BaseURL, hidden: c.Hidden, reshow: c.Reshow, watchRequests: c.WatchRequests}
	s.Operations = s.operations(c.Limits)
	return s
}

// Described returns a service that describes its operations and has no
// database: calling one of them panics.
func Described() *Service { return New(Config{}) }
