package app_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// BenchmarkManyConversations lists the newest 200 of 5,000 conversations, in turn
// with those of an account that has 200.
func BenchmarkManyConversations(b *testing.B) {
	s := newBenchServer(b)
	people := s.people(b, 1000)
	s.write(b, func(tx *store.Tx) error {
		for i := range 5200 {
			owner := s.cast.Ada
			if i >= 5000 {
				owner = s.cast.Ben
			}
			at := i % len(people)
			if _, err := group(tx, owner, people[at:at+1], people[at:at+1], 1); err != nil {
				return err
			}
		}
		return nil
	})
	const path = "/api/chat/conversations"
	s.compare(b, rawRequest("GET", path, s.token("ada"), ""), rawRequest("GET", path, s.token("ben"), ""))
}

// BenchmarkSenders reads a page of 50 messages from 30 senders, in turn with
// one from a single sender.
func BenchmarkSenders(b *testing.B) {
	s := newBenchServer(b)
	people := s.people(b, 30)
	var many, one string
	s.write(b, func(tx *store.Tx) (err error) {
		if many, err = group(tx, s.cast.Ada, people, people, 60); err == nil {
			one, err = group(tx, s.cast.Ada, people, people[:1], 60)
		}
		return err
	})
	page := func(id string) []byte {
		return rawRequest("GET", "/api/chat/conversations/"+id+"/messages", s.token("ada"), "")
	}
	s.compare(b, page(many), page(one))
}

// BenchmarkSendBesideDeletions sends from 8 clients while 4 others delete the
// first item of a list of 12,000, in turn with the same sends alone. "ratio" is
// the rate beside by the rate alone.
func BenchmarkSendBesideDeletions(b *testing.B) {
	s := newBenchServer(b)
	request := rawRequest("POST", "/api/chat/conversations/"+s.conversation(b)+"/messages", s.token("ada"), `{"content":"`+benchText+`"}`)
	const callers = 8
	send := s.repeat(b, callers, request, 201)
	hammer(b, callers, 100, send)
	var alone, beside time.Duration
	deleted := 0
	const turns = 8
	b.ResetTimer()
	for turn := range turns {
		n := b.N*(turn+1)/turns - b.N*turn/turns
		list, items := s.longList(b) // before both, as what it writes costs later sends, too
		hammer(b, callers, 1000, send)
		took, _ := hammer(b, callers, n, send)
		alone += took
		stop := s.deleteFirsts(b, list, items)
		took, _ = hammer(b, callers, n, send)
		beside += took
		deleted += stop()
	}
	b.ReportMetric(alone.Seconds()/beside.Seconds(), "ratio")
	b.ReportMetric(float64(deleted)/beside.Seconds(), "deletions/s")
	b.ReportMetric(float64(b.N)/alone.Seconds(), "sends/s")
}

// BenchmarkSendBesideWebhooks sends to a conversation without webhooks on a server
// with 200 on other conversations, friends and blocks, in turn with a server that
// has none of them. "ratio" is the rate with them by the rate without.
func BenchmarkSendBesideWebhooks(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			var send [2]func(int) error
			for i := range send {
				s := newBenchServer(b)
				people := s.people(b, 200)
				if i == 0 {
					s.connect(b, people)
				}
				path := "/api/chat/conversations/" + s.conversation(b) + "/messages"
				send[i] = s.repeat(b, callers, rawRequest("POST", path, s.token("ada"), `{"content":"`+benchText+`"}`), 201)
				hammer(b, callers, callers*4, send[i])
			}
			b.ResetTimer()
			took, without, _ := inTurns(b, callers, send[0], send[1])
			b.ReportMetric(without.Seconds()/took.Seconds(), "ratio")
			b.ReportMetric(float64(b.N)/took.Seconds(), "sends/s")
		})
	}
}

// connect gives ada and ben a group with each of the people, with a webhook in
// half of them, and makes the people their friends or has ada block them. The
// other half have a webhook for all of their own conversations.
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

// longList makes a list of 12,000 items.
func (s *benchServer) longList(b *testing.B) (list string, items []string) {
	s.write(b, func(tx *store.Tx) error {
		l, err := tx.InsertList(store.List{OwnerID: s.cast.Ben.ID, Title: "x", Visibility: "private", Slug: "x"})
		list, items = l.ID, nil
		for range 12_000 {
			if err != nil {
				return err
			}
			var i store.Item
			i, _, err = tx.InsertItem(store.Item{ListID: l.ID, Content: benchText, AuthorID: s.cast.Ben.ID})
			items = append(items, i.ID)
		}
		return err
	})
	return list, items
}

// deleteFirsts has four clients delete the first item of a list until stop is
// called, which returns how many they deleted.
func (s *benchServer) deleteFirsts(b *testing.B, list string, items []string) (stop func() int) {
	token := s.token("ben")
	ctx, cancel := context.WithCancel(context.Background())
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		c := dialRaw(b, s.addr)
		wg.Go(func() {
			for n := next.Add(1) - 1; ctx.Err() == nil && n < int64(len(items)); n = next.Add(1) - 1 {
				status, _, err := c.do(rawRequest("DELETE", "/api/lists/"+list+"/items/"+items[n], token, ""))
				if err != nil || status != 204 {
					b.Errorf("status %d, %v", status, err)
					return
				}
			}
		})
	}
	return func() int {
		cancel()
		wg.Wait()
		if next.Load() >= int64(len(items)) {
			b.Error("all items are deleted: give a shorter -benchtime")
		}
		return int(next.Load())
	}
}
