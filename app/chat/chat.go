// Package chat has the operations on conversations: who is in them, the
// messages, and what each member has read.
package chat

import (
	"context"

	"hearth/app/op"
	"hearth/store"
)

// Config is what New needs.
type Config struct {
	DB      *store.DB
	Limits  *op.Limits // shared by all services; nil limits nothing
	BaseURL string     // what invitation links begin with, without a slash at the end
	// Publish tells those who are connected now and may see the conversation,
	// except one of them, something that is not kept. Nil tells nobody.
	Publish func(ctx context.Context, conversationID, exceptUserID, name string, data []byte) error
}

// Service has the operations on conversations and messages. It is safe for
// concurrent use.
type Service struct {
	Operations

	db      *store.DB
	baseURL string
	publish func(ctx context.Context, conversationID, exceptUserID, name string, data []byte) error
}

// New returns the service.
func New(c Config) *Service {
	if c.Publish == nil {
		c.Publish = func(context.Context, string, string, string, []byte) error { return nil }
	}
	s := &Service{db: c.DB, baseURL: c.BaseURL, publish: c.Publish}
	s.Operations = s.operations(c.Limits)
	return s
}

// changed says that a conversation, or who is in it, is no longer the same.
func changed(tx *store.Tx, by store.Viewer, conversationID string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: "conversation.updated", ObjectID: conversationID, ActorID: by.UserID})
}
