package demo

import (
	"fmt"
	"strings"
	"time"

	"hearth/store"
)

// context reads a line of context.txt and adds its step.
func (s *seeder) context(line string) error {
	word, rest, _ := strings.Cut(line, "|")
	word = strings.TrimSpace(word)
	add := map[string]struct {
		n   int
		add func([]string) error
	}{
		"receive": {3, s.receive}, "post": {7, s.post}, "ask": {6, s.askAgent}, "track": {3, s.track},
	}[word]
	if add.add == nil {
		return fmt.Errorf("unknown word %q", word)
	}
	return add.add(fields(rest, add.n))
}

// receive lets a key receive requests.
func (s *seeder) receive(f []string) error {
	at, err := s.ago(f[2])
	s.at(at, func(tx *store.Tx) error {
		k, ok := s.keys[f[0]+" "+f[1]]
		if !ok {
			return fmt.Errorf("there is no key %q of %q", f[1], f[0])
		}
		s.info.Agents = append(s.info.Agents, Agent{Viewer: store.Viewer{
			Kind: store.Agent, UserID: k.UserID, Name: s.users[f[0]].Name, KeyID: k.ID, AgentName: k.AgentName, CanRead: true, CanWrite: true,
		}})
		return tx.SetReceiving(k.ID, true)
	})
	return err
}

// post adds a post.
func (s *seeder) post(f []string) error {
	at, err := s.ago(f[4])
	s.at(at, func(tx *store.Tx) error {
		p := &store.ContextPost{ID: s.timeID(tx.Now), ConversationID: s.groups[f[1]], AuthorID: s.users[f[2]].ID, Kind: f[3], Text: f[6], ClientRequestID: s.id()}
		if parent := s.posts[f[5]]; parent != nil {
			p.ReplyToID = parent.ID
		}
		s.posts[f[0]] = p
		return tx.InsertContextPost(p, nil)
	})
	return err
}

// askAgent adds a request to an agent, and its answer five minutes later.
func (s *seeder) askAgent(f []string) error {
	at, err := s.ago(f[2])
	q := &store.ContextRequest{}
	s.at(at, func(tx *store.Tx) error {
		p, k := s.posts[f[0]], s.keys[f[3]+" "+f[4]]
		if p == nil || k.ID == "" {
			return fmt.Errorf("there is no post %q or no key %q", f[0], f[4])
		}
		*q = store.ContextRequest{
			ID: s.timeID(tx.Now), PostID: p.ID, ConversationID: p.ConversationID, SourceRevision: p.Revision, RequesterID: s.users[f[1]].ID, OwnerID: k.UserID, KeyID: k.ID,
			ExpiresAt: tx.In(day),
		}
		return tx.InsertContextRequest(q)
	})
	if f[5] == "-" {
		return err
	}
	s.at(at.Add(5*time.Minute), func(tx *store.Tx) error {
		if f[5] == "no" {
			return tx.DeclineRequest(q.ID)
		}
		reply := store.ContextPost{
			ID: s.timeID(tx.Now), ConversationID: q.ConversationID, AuthorID: q.OwnerID, Kind: "note", Text: f[5], ReplyToID: q.PostID, ClientRequestID: s.id(),
			AgentID: q.KeyID, AgentName: s.keys[f[3]+" "+f[4]].AgentName,
		}
		if err := tx.InsertContextPost(&reply, nil); err != nil {
			return err
		}
		return tx.CompleteRequest(q.ID, reply.ID, nil)
	})
	return err
}

// track adds the intention of a post.
func (s *seeder) track(f []string) error {
	at, err := s.ago(f[2])
	s.at(at, func(tx *store.Tx) error {
		p := s.posts[f[0]]
		i := store.Intent{ID: s.id(), OwnerID: p.AuthorID, Kind: p.Kind, Terms: p.Text, MatchingMode: "fulfillment", Status: "paused", Seeks: []string{}, Brings: []string{}}
		if f[1] != "open" {
			i.Status = "withdrawn"
		}
		if err := tx.InsertIntent(&i, nil); err != nil {
			return err
		}
		n := store.Intention{Intent: i, State: f[1], Born: true}
		if err := tx.InsertIntention(&n); err != nil {
			return err
		}
		return tx.TrackPost(p, &n, nil)
	})
	return err
}
