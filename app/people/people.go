// Package people has the operations between accounts: blocks, friends, add-me cards and reports.
package people

import (
	"context"

	"hearth/app/op"
	"hearth/store"
)

// Config is the configuration of a Service.
type Config struct {
	DB     *store.DB
	Limits *op.Limits // shared by all services; nil has no limits
	// BaseURL is the prefix of card links, without a final slash.
	BaseURL string
	// Hidden records in a write that a block hid or showed a direct conversation for its members. Nil records
	// nothing.
	Hidden func(tx *store.Tx, conversationID string, members []string, hidden bool) error
	// Reshow notifies two connected accounts of each other's changed look. Nil notifies nobody.
	Reshow func(ctx context.Context, a, b string)
	// WatchInbox reads the accounts' agent requests. Changed records later in the write which of them
	// changed. Nil records nothing.
	WatchInbox func(tx *store.Tx, userIDs ...string) (changed func() error, err error)
}

// Service has the operations between accounts. It is safe for concurrent use.
type Service struct {
	Operations

	cfg Config
	db  *store.DB
}

// New returns the service.
func New(c Config) *Service {
	if c.Hidden == nil {
		c.Hidden = func(*store.Tx, string, []string, bool) error { return nil }
	}
	if c.Reshow == nil {
		c.Reshow = func(context.Context, string, string) {}
	}
	if c.WatchInbox == nil {
		c.WatchInbox = func(*store.Tx, ...string) (func() error, error) { return func() error { return nil }, nil }
	}
	s := &Service{cfg: c, db: c.DB}
	s.Operations = s.operations(c.Limits)
	return s
}
