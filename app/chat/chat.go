// Package chat is the room of conversations: who is in them, what is said
// there, and what of it each person has read.
package chat

import (
	"context"

	"hearth/store"
)

// Config is what the room needs.
type Config struct {
	DB      *store.DB
	BaseURL string // what invitation links begin with, without a slash at the end
	// Publish tells those who are connected now and may see the conversation,
	// except one of them, something that is not kept. Nil tells nobody.
	Publish func(ctx context.Context, conversationID, exceptUserID, name string, data []byte) error
}

// Service has the operations of the room. It is safe for concurrent use.
type Service struct {
	db      *store.DB
	baseURL string
	publish func(ctx context.Context, conversationID, exceptUserID, name string, data []byte) error
}

// New returns the room.
func New(c Config) *Service {
	if c.Publish == nil {
		c.Publish = func(context.Context, string, string, string, []byte) error { return nil }
	}
	return &Service{db: c.DB, baseURL: c.BaseURL, publish: c.Publish}
}

// changed says that a conversation, or who is in it, is no longer the same.
func changed(tx *store.Tx, by store.Viewer, conversationID string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: "conversation.updated", ObjectID: conversationID, ActorID: by.UserID})
}
