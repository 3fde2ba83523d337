// Package lane has what is written beside the messages of a conversation: thoughts, which are private or shared, the
// Stream of each conversation, and its Context lane, where people and their agents post and nobody is notified.
package lane

import (
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// Config has the settings of a Service. The zero Config describes operations only.
type Config struct {
	DB     *store.DB
	Limits *op.Limits // shared by all services; nil limits nothing
	// CursorKey seals cursors: 32 bytes. If it is nil, cursors end with the service.
	CursorKey []byte
	// Context is whether conversations have a Context lane.
	Context bool
	// Report makes a report to the administrators, and returns its id.
	Report func(tx *store.Tx, by store.Viewer, r store.UserReport) (id string, err error)
	// CloseIntent ends an intent of the caller and its Story.
	CloseIntent func(tx *store.Tx, by store.Viewer, i *store.Intent) error
}

// Service has the operations on thoughts, Streams and the Context lane. It is safe for concurrent use.
type Service struct {
	Operations
	Config

	cursors *core.Cursors
	inbox   *inbox
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{Config: c, cursors: core.NewCursors(c.CursorKey), inbox: newInbox()}
	s.Operations = s.operations(c.Limits, c.DB)
	return s
}

// Enabled returns NotFound if conversations have no Context lane.
func (s *Service) Enabled() error {
	if !s.Context {
		return core.ErrNotFound
	}
	return nil
}
