// Package chat is the room of conversations: who is in them, what is said
// there, and what of it each person has read.
package chat

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// Config is what the room needs.
type Config struct {
	DB      *store.DB
	BaseURL string // what invitation links begin with, without a slash at the end
	// Publish sends an ephemeral event, with JSON as its data, to those who are
	// connected and may see the conversation, except one user. Nil sends nothing.
	Publish PublishFunc
}

// Service has the operations of the room. It is safe for concurrent use.
type Service struct {
	db      *store.DB
	baseURL string
	publish PublishFunc
}

// PublishFunc publishes an ephemeral event to a conversation.
type PublishFunc func(ctx context.Context, conversationID, exceptUserID string, kind store.EventKind, data []byte) error

// New returns the room.
func New(c Config) *Service {
	if c.Publish == nil {
		c.Publish = func(context.Context, string, string, store.EventKind, []byte) error { return nil }
	}
	return &Service{db: c.DB, baseURL: c.BaseURL, publish: c.Publish}
}

// None is the input or output of an operation that takes or gives nothing.
type None struct{}

// hidden answers what is no row as what does not exist.
func hidden(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.ErrNotFound
	}
	return err
}

// changed says that a conversation, or who is in it, is no longer the same.
func changed(tx *store.Tx, by store.Viewer, conversationID string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: conversationUpdated, ObjectID: conversationID, ActorID: by.UserID})
}

// orNil is the wire form of a text that may be missing.
func orNil(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}
