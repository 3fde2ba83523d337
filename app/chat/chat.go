// Package chat has the operations on conversations: members, messages, and what each member has read.
package chat

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/file"
	"hearth/app/op"
	"hearth/store"
)

// Config has the settings of a Service.
type Config struct {
	DB      *store.DB
	Files   *file.Store
	Limits  *op.Limits // shared by all services; nil limits nothing
	BaseURL string     // prefix of invitation links, without a slash at the end
	// Secretary sends automatic replies. Nil sends none.
	Secretary *Secretary
	// CursorKey seals the cursors of searches: 32 bytes. If it is nil, cursors end with the service.
	CursorKey []byte
	// Publish sends an ephemeral event with JSON data about a user's action to connected members who may see it. Nil
	// sends nothing.
	Publish PublishFunc
	// CheckURL returns fetch.ErrURL or fetch.ErrBlocked for an address that nothing is delivered to. Nil is
	// fetch.ParseURL.
	CheckURL func(url string) error
	// Transcribe, if set, is called after a voice note was sent and waits for its transcript. It must not block.
	Transcribe func()
}

// PublishFunc publishes an ephemeral event about a user to a conversation.
type PublishFunc func(ctx context.Context, conversationID, userID string, kind store.EventKind, data []byte) error

// Service has the operations on conversations and messages. It is safe for concurrent use.
type Service struct {
	Operations
	Config

	cursors *core.Cursors
}

// New returns the service.
func New(c Config) *Service {
	if c.Publish == nil {
		c.Publish = func(context.Context, string, string, store.EventKind, []byte) error { return nil }
	}
	if c.CheckURL == nil {
		c.CheckURL = func(url string) error {
			_, err := fetch.ParseURL(url)
			return err
		}
	}
	s := &Service{Config: c, cursors: core.NewCursors(c.CursorKey)}
	s.Operations = s.operations(c.Limits, c.DB)
	return s
}

// Hidden records that a direct conversation was hidden from its two members, or is shown again. The events do not
// reveal who did it.
func (s *Service) Hidden(tx *store.Tx, conversationID string, members []string, hidden bool) (err error) {
	if !hidden {
		return changed(tx, store.Viewer{}, conversationID)
	}
	for _, id := range members {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: id, Kind: conversationLeft, ObjectID: conversationID}))
	}
	return err
}

func participantChanged(tx *store.Tx, by store.Viewer, conversationID, userID string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: participantUpdated, ObjectID: userID, ActorID: by.UserID})
}

func changed(tx *store.Tx, by store.Viewer, conversationID string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: conversationUpdated, ObjectID: conversationID, ActorID: by.UserID})
}
