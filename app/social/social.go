// Package social has the asks and offers of accounts. Intents are matched without a name and opened only when both
// sides approve; Stories have a chosen audience. Nothing is published without an approval of exactly what is
// published.
package social

import (
	"hearth/app/op"
	"hearth/store"
)

// Service has the operations on intents, matches, drafts and Stories. It is safe for concurrent use.
type Service struct {
	Operations
	Config
	pool pool
}

// Config has the settings of a Service. The zero Config describes operations only.
type Config struct {
	DB     *store.DB
	Limits *op.Limits // nil limits nothing
	// Connect opens the direct conversation of two accounts, creates it if necessary, and adds a card of the server.
	Connect func(tx *store.Tx, userIDs [2]string, card store.MessageCard) (conversationID string, err error)
	// Reply sends a message of the caller to the direct conversation with an account.
	Reply Reply
	Embed Embedder // nil without --embed-url
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{Config: c}
	s.Operations = s.operations(c.Limits, c.DB)
	return s
}
