package app_test

import (
	"context"
	"fmt"
	"testing"

	"hearth/store"
)

// These benchmarks compare two requests of one server: what costs more with
// what it must not cost much more than.

// people adds accounts to the server and returns them.
func (s *benchServer) people(b *testing.B, n int) (people []store.User) {
	s.write(b, func(tx *store.Tx) error {
		for i := range n {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("p%d@example.org", i), Name: fmt.Sprint("Person ", i),
				SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			people = append(people, u)
		}
		return nil
	})
	return people
}

func (s *benchServer) write(b *testing.B, f func(tx *store.Tx) error) {
	b.Helper()
	if err := s.app.DB().Write(context.Background(), f); err != nil {
		b.Fatal(err)
	}
}

// group makes a group of owner and others, to which senders send messages in
// turn.
func group(tx *store.Tx, owner store.User, others, senders []store.User, messages int) (id string, err error) {
	ids := make([]string, len(others))
	for i := range others {
		ids[i] = others[i].ID
	}
	id, err = tx.InsertGroup(owner.ID, ids, "Group")
	for i := 0; err == nil && i < messages; i++ {
		tx.Now = tx.Tick()
		err = tx.Send(&store.Message{ConversationID: id, SenderID: senders[i%len(senders)].ID, Content: benchText}, nil)
	}
	return id, err
}

// compare makes b.N requests of each kind from four clients, in turns, and
// reports the time of the first by that of the second.
func (s *benchServer) compare(b *testing.B, first, second []byte) {
	b.Helper()
	const callers = 4
	a, other := s.repeat(b, callers, first, 200), s.repeat(b, callers, second, 200)
	hammer(b, callers, 20, a)
	hammer(b, callers, 20, other)
	b.ResetTimer()
	took, otherTook, _ := inTurns(b, callers, a, other)
	b.ReportMetric(took.Seconds()/otherTook.Seconds(), "ratio")
	b.ReportMetric(float64(took.Microseconds())/float64(b.N), "first-µs")
	b.ReportMetric(float64(otherTook.Microseconds())/float64(b.N), "second-µs")
}

// BenchmarkConversationList lists 199 groups of 50 and one of 1,000, in turn
// with 200 direct conversations.
func BenchmarkConversationList(b *testing.B) {
	s := newBenchServer(b)
	people := s.people(b, 1000)
	s.write(b, func(tx *store.Tx) error {
		for i := range 199 {
			at := i * 37 % 950
			if _, err := group(tx, s.cast.Ada, people[at:at+49], people[at:at+49], 12); err != nil {
				return err
			}
		}
		_, err := group(tx, s.cast.Ada, people[:999], people, 12)
		return err
	})
	s.write(b, func(tx *store.Tx) error {
		for _, other := range people[:200] {
			id, _, err := tx.InsertDirect(s.cast.Ben.ID, other.ID, "")
			if err != nil {
				return err
			}
			tx.Now = tx.Tick()
			if err := tx.Send(&store.Message{ConversationID: id, SenderID: other.ID, Content: benchText}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	const path = "/api/chat/conversations"
	s.compare(b, rawRequest("GET", path, s.token("ada"), ""), rawRequest("GET", path, s.token("ben"), ""))
}

// connect gives ada and ben a group with each of the people, and half of the groups
// a webhook. It makes the people their friends or has ada block them. The other
// half have a webhook for all of their own conversations.
func (s *benchServer) connect(b *testing.B, people []store.User) {
	ada, ben := s.cast.Ada, s.cast.Ben
	s.write(b, func(tx *store.Tx) error {
		for i, u := range people {
			hook := store.Webhook{UserID: u.ID, URL: "https://hooks.example.org/", Secret: "s", Token: "t"}
			id, err := group(tx, ada, []store.User{ben, u}, people[i:i+1], 0)
			if i%2 == 0 {
				hook.UserID, hook.ConversationID = ada.ID, id
			}
			if err == nil {
				_, err = tx.InsertWebhook(hook)
			}
			if err == nil && i%4 > 0 {
				err = tx.PutFriends(ada.ID, u.ID, "friends", "friends")
			} else if err == nil {
				_, err = tx.InsertBlock(ada.ID, u.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
