package mcp

import (
	"net/http"
	"slices"
	"sync"

	"hearth/app/limit"
	"hearth/store"
)

const (
	maxSessions     = 1000 // of all clients
	maxSessionsFrom = 30   // of one address, and of one person with their bots
)

// sessions counts sessions by owner, so that one client cannot use all. A session ends when its client ends it, or
// after sessionTimeout without a message.
type sessions struct {
	slots  *limit.Slots
	mu     sync.Mutex
	owners map[string][]string // of a session, by its id
}

func newSessions() *sessions {
	return &sessions{slots: limit.NewSlots(maxSessions, maxSessionsFrom), owners: map[string][]string{}}
}

func ownersOf(client string, by store.Viewer) []string {
	if by.UserID == "" {
		return []string{"address " + client}
	}
	return []string{"address " + client, "account " + by.UserID, "person " + by.PersonID()}
}

func (s *sessions) begin(owners []string, live map[string]bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, of := range s.owners {
		if !live[id] {
			s.slots.Free(of...)
			delete(s.owners, id)
		}
	}
	return s.slots.Take(owners...)
}

func (s *sessions) began(owners []string, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		s.slots.Free(owners...)
		return
	}
	s.owners[id] = owners
}

// An account's news is not sent over an anonymous session: nobody checks who reads them.
func (s *sessions) permits(id, userID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	owners, ok := s.owners[id]
	return !ok || slices.Contains(owners, "account "+userID)
}

func (s *Server) withSession(client string, by store.Viewer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		owners := ownersOf(client, by)
		if !s.begun.begin(owners, s.live()) {
			s.stateless.ServeHTTP(w, r)
			return
		}
		defer func() { s.begun.began(owners, w.Header().Get(sessionHeader)) }()
		s.stateful.ServeHTTP(w, r)
	})
}

func (s *Server) live() map[string]bool {
	ids := map[string]bool{}
	for session := range s.sdk.Sessions() {
		ids[session.ID()] = true
	}
	return ids
}
