// Package social has what accounts ask and offer: intents, which are matched
// without a name and opened only when both sides approve, drafts, and Stories for
// a chosen audience. Nothing is published without an approval of exactly what is
// published.
package social

import (
	"hearth/app/op"
	"hearth/store"
)

// Service has the operations on intents, matches, drafts and Stories. It is safe
// for concurrent use.
type Service struct {
	Operations
	Config
}

// Config is what the service needs. The zero Config describes operations only.
type Config struct {
	DB     *store.DB
	Limits *op.Limits // nil limits nothing
	// Connect opens the direct conversation of two accounts, makes it if there is
	// none, and adds a card of the server's own.
	Connect func(tx *store.Tx, userIDs [2]string, card store.MessageCard) (conversationID string, err error)
	// Reply sends a message of the caller's to the direct conversation with an
	// account.
	Reply Reply
	// Listed, if set, is called after intents were published, resumed or are to be
	// matched again, which may be compared by their vectors then.
	Listed func()
}

// listed calls s.Listed, if it is set.
func (s *Service) listed() {
	if s.Listed != nil {
		s.Listed()
	}
}

// New returns the service.
func New(c Config) *Service {
	s := &Service{Config: c}
	s.Operations = s.operations(c.Limits)
	return s
}

// Described returns a service that describes its operations and has no
// database: calling one of them panics.
func Described() *Service { return New(Config{}) }
