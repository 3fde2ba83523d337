// Package lane has what is written beside the messages of a conversation:
// thoughts, which are private or shared, and the Stream of each conversation.
package lane

import (
	"hearth/app/op"
	"hearth/store"
)

// Service has the operations on thoughts and Streams. It is safe for concurrent
// use.
type Service struct {
	Operations

	db *store.DB
}

// New returns the service. Limits are shared by all services; nil limits nothing.
func New(db *store.DB, limits *op.Limits) *Service {
	s := &Service{db: db}
	s.Operations = s.operations(limits)
	return s
}

// Described returns a service that describes its operations and has no
// database: calling one of them panics.
func Described() *Service { return New(nil, nil) }
