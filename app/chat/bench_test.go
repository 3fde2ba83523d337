package chat_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/store"
	"hearth/store/storetest"
)

// The benchmarks compare two kinds of answers in turn, in one run; what counts
// is the ratio of their times:
//
//	go test ./app/chat -run '^$' -bench . -benchtime 2s

// benchWorld is a database of 1,001 people.
type benchWorld struct {
	*testing.B
	db     *store.DB
	s      *chat.Service
	people []store.Viewer
}

func newBenchWorld(b *testing.B) *benchWorld {
	b.Helper()
	db, err := store.Open(context.Background(), filepath.Join(b.TempDir(), "hearth.db"), store.Options{Schema: storetest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	w := &benchWorld{B: b, db: db, s: chat.New(chat.Config{DB: db})}
	w.write(func(tx *store.Tx) error {
		for i := range 1001 {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("p%d@example.org", i), Name: fmt.Sprint("Person ", i), SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			w.people = append(w.people, storetest.Human(u))
		}
		return nil
	})
	return w
}

func (w *benchWorld) write(f func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Write(context.Background(), f); err != nil {
		w.Fatal(err)
	}
}

// group makes a group of the first of the people with n-1 others, from one of
// them on, and has some of its members send a message each.
func (w *benchWorld) group(n, from, senders int) (id string) {
	w.Helper()
	members := []string{}
	for i := range n - 1 {
		members = append(members, w.people[1+(from+i)%1000].UserID)
	}
	w.write(func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(w.people[0].UserID, members, "Group")
		for i := 0; err == nil && i < senders; i++ {
			err = w.send(tx, id, members[i*7%len(members)])
		}
		return err
	})
	return id
}

func (w *benchWorld) send(tx *store.Tx, conversationID, userID string) error {
	tx.Now = tx.Tick()
	return tx.Send(&store.Message{ConversationID: conversationID, SenderID: userID, Content: benchText}, nil)
}

const benchText = "Does anyone have spare tomato seedlings? Mine were eaten by snails again, all of them but one, sadly. 🍅"

// compare runs two functions in turn and reports the ratio of their times.
func (w *benchWorld) compare(a, b func() any) {
	var took [2]time.Duration
	size := [2]int{}
	for n := range 2 * (w.N + 1) {
		start := time.Now()
		text, err := json.Marshal([]func() any{a, b}[n%2]())
		if err != nil {
			w.Fatal(err)
		}
		if n > 1 { // the first of each prepares its statements
			took[n%2] += time.Since(start)
		}
		size[n%2] = len(text)
	}
	w.ReportMetric(took[0].Seconds()/took[1].Seconds(), "ratio")
	w.ReportMetric(float64(took[0].Microseconds())/float64(w.N), "a-us")
	w.ReportMetric(float64(took[1].Microseconds())/float64(w.N), "b-us")
	w.ReportMetric(float64(size[0])/float64(size[1]), "size-ratio")
}

// list returns a function that lists 200 conversations of by.
func (w *benchWorld) list(by store.Viewer) func() any {
	return func() any {
		page, err := w.s.ListConversations.Call(context.Background(), by, chat.ListConversationsIn{})
		if err != nil || len(page.Items) != 200 {
			w.Fatalf("%d conversations, %v", len(page.Items), err)
		}
		return page
	}
}

// BenchmarkConversations lists 199 groups of 50 and one of 1,000 (a), in turn
// with 200 direct conversations (b).
func BenchmarkConversations(b *testing.B) {
	w := newBenchWorld(b)
	for i := range 199 {
		w.group(50, i*37, 12)
	}
	w.group(1000, 0, 12)
	one := w.people[1000]
	w.write(func(tx *store.Tx) error {
		for _, other := range w.people[1:201] {
			id, _, err := tx.InsertDirect(one.UserID, other.UserID, "")
			for i := 0; err == nil && i < 12; i++ {
				err = w.send(tx, id, other.UserID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	// What else the one is a member of is older, and not listed.
	w.compare(w.list(w.people[0]), w.list(one))
}

// BenchmarkManyConversations lists the newest 200 of 5,000 direct conversations
// (a), in turn with those of an account that has 200 (b).
func BenchmarkManyConversations(b *testing.B) {
	w := newBenchWorld(b)
	many, few := w.people[0], w.people[1]
	w.write(func(tx *store.Tx) error {
		for i := range 5200 {
			by := many
			if i >= 5000 {
				by = few
			}
			id, err := tx.InsertGroup(by.UserID, []string{w.people[2+i%900].UserID}, "")
			if err == nil {
				err = w.send(tx, id, by.UserID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.compare(w.list(many), w.list(few))
}

// BenchmarkSenders reads a page of 50 messages from 30 senders (a), in turn with
// one from a single sender (b).
func BenchmarkSenders(b *testing.B) {
	w := newBenchWorld(b)
	pages := map[int]string{}
	for _, senders := range []int{30, 1} {
		id := w.group(50, 0, 0)
		w.write(func(tx *store.Tx) error {
			for i := range 60 {
				if err := w.send(tx, id, w.people[1+i%senders].UserID); err != nil {
					return err
				}
			}
			return nil
		})
		pages[senders] = id
	}
	page := func(senders int) func() any {
		return func() any {
			page, err := w.s.ListMessages.Call(context.Background(), w.people[0], chat.ListMessagesIn{ConversationID: pages[senders]})
			if err != nil || len(page.Messages) != 50 {
				b.Fatalf("%d messages, %v", len(page.Messages), err)
			}
			return raw(page)
		}
	}
	w.compare(page(30), page(1))
}

// raw is a page encoded as the JSON transport does it.
func raw(p chat.MessagePage) any {
	text, err := p.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return len(text)
}
