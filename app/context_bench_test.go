//go:build linux

package app_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hearth/app"
	"hearth/app/lane"
	"hearth/store"
	"hearth/store/storetest"
)

// benchLane is a conversation whose content has n items: two thirds posts, and the
// rest captures, notes of ada's and 50 pins. It returns the place in the middle,
// too.
func benchLane(b *testing.B, s *benchServer, n int) (id string, middle store.ContentPlace) {
	b.Helper()
	ada, ben := s.cast.Ada.ID, s.cast.Ben.ID
	err := s.app.DB().Write(context.Background(), func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(ada, []string{ben}, "Lane")
		return err
	})
	for at := 0; at < n && err == nil; at += 5000 {
		err = s.app.DB().Write(context.Background(), func(tx *store.Tx) error {
			for i := at; i < min(n, at+5000); i++ {
				if tx.Now = tx.Tick(); i == n/2 {
					middle.At = tx.Now
				}
				if err := benchItem(tx, id, ada, ben, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		b.Fatal(err)
	}
	return id, middle
}

func benchItem(tx *store.Tx, conversationID, ada, ben string, i int) error {
	if i%3 != 0 {
		return tx.InsertContextPost(&store.ContextPost{ConversationID: conversationID, AuthorID: []string{ada, ben}[i%2], Kind: "note",
			Text: benchText, ClientRequestID: store.NewID()}, nil)
	}
	t := store.Thought{UserID: ada, Text: benchText, Kind: "observation", Status: "none", SourceConversationID: conversationID}
	switch {
	case i%6 == 0:
		m := store.Message{ConversationID: conversationID, ID: store.NewID(), SenderID: ben, Content: benchText}
		return tx.Capture(&m, &store.Capture{Kind: "fact", Status: "none", Tags: []string{"tag"}})
	case i > 300:
		return tx.InsertThought(&t)
	}
	if err := tx.InsertThought(&t); err != nil {
		return err
	}
	_, err := tx.PinThought(store.Viewer{UserID: ada}, conversationID, t.ID)
	return err
}

// BenchmarkContentPage compares pages of 50 items of the content of a conversation
// with 1 million items with those of one with 10 thousand: the newest, and one in
// the middle.
func BenchmarkContentPage(b *testing.B) {
	s := newBenchServer(b)
	small, smallMiddle := benchLane(b, s, 10_000)
	large, largeMiddle := benchLane(b, s, 1_000_000)
	by := storetest.Human(s.cast.Ada)
	page := func(id string, after store.ContentPlace) time.Duration {
		start := time.Now()
		err := s.app.DB().Read(context.Background(), func(r *store.Reader) error {
			keys, _, err := r.Content(by, store.ContentQuery{ConversationID: id, Context: true, Stream: true, Limit: 50, After: after})
			if len(keys) != 50 {
				b.Fatalf("%d items", len(keys))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	middle := map[string]store.ContentPlace{small: smallMiddle, large: largeMiddle}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, id := range map[string]string{"10k": small, "1M": large} {
			took[name] = append(took[name], page(id, store.ContentPlace{}))
			took[name+" middle"] = append(took[name+" middle"], page(id, middle[id]))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
	b.ReportMetric(median("1M")/median("10k"), "newest-1M/10k")
	b.ReportMetric(median("1M middle")/median("10k middle"), "middle-1M/10k")
	b.ReportMetric(median("1M")/1e3, "newest-µs")
}

// BenchmarkContentRequests compares requests for the newest page of the content of
// a conversation with 1 million items with those of one with 10 thousand.
func BenchmarkContentRequests(b *testing.B) {
	s := newBenchServer(b, func(c *app.Config) { c.ContextLane = true })
	small, _ := benchLane(b, s, 10_000)
	large, _ := benchLane(b, s, 1_000_000)
	for _, query := range []string{"", "?filter=context", "?filter=stream"} {
		b.Run("content"+query, func(b *testing.B) {
			request := func(id string) []byte {
				return rawRequest("GET", "/api/chat/conversations/"+id+"/content"+query, s.token("ada"), "")
			}
			s.compare(b, request(large), request(small))
		})
	}
}

// BenchmarkWaitingAgents has 1,000 requests for the inbox wait, from as many keys
// over as many connections, and reports what they cost of a core while nothing
// happens, and how long after it was asked an agent has its request. They come
// from 20 addresses of the loopback network, which Linux has without set-up. Run it
// with -benchtime 100x: a key may poll 120 times at once, and then once a second.
func BenchmarkWaitingAgents(b *testing.B) {
	const agents = 1000
	s := newBenchServer(b, laneOn)
	keys, askers, group := agentKeys(b, s.world, agents)
	got := make(chan time.Time, agents)
	var all sync.WaitGroup
	var clients [20]*http.Client
	for i := range clients {
		d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 4, byte(1+i))}}
		clients[i] = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: agents, DialContext: d.DialContext}}
	}
	ctx, cancel := context.WithCancel(context.Background())
	for i, key := range keys {
		all.Go(func() { pollInbox(ctx, clients[i%len(clients)], "http://"+s.addr, key, got) })
	}
	for deadline := time.Now().Add(time.Minute); s.app.Lane().Waiting() < agents; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("%d of %d requests wait", s.app.Lane().Waiting(), agents)
		}
	}
	before, began := cpuTime(b), time.Now()
	time.Sleep(35 * time.Second) // each asks again at least once
	cost := 100 * float64(cpuTime(b)-before) / float64(time.Since(began))
	var waits []time.Duration
	for b.Loop() {
		start := askOne(b, s.world, askers[len(waits)%len(askers)], group)
		waits = append(waits, (<-got).Sub(start))
	}
	slices.Sort(waits)
	b.ReportMetric(cost, "%core")
	b.ReportMetric(float64(waits[len(waits)*99/100])/1e6, "p99-ms")
	cancel()
	all.Wait()
}

// pollInbox asks for requests until ctx ends, declines what comes, and says when
// it came.
func pollInbox(ctx context.Context, client *http.Client, base, key string, got chan<- time.Time) {
	for ctx.Err() == nil {
		req, _ := http.NewRequestWithContext(ctx, "GET", base+inboxPath+"?wait=30", nil)
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := client.Do(req)
		if err != nil {
			continue
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		at := time.Now()
		if _, rest, ok := strings.Cut(string(body), `"requests":[{"id":"`); ok {
			req, _ := http.NewRequestWithContext(ctx, "POST", base+inboxPath+"/"+rest[:36]+"/respond", strings.NewReader(`{"decline":true}`))
			req.Header.Set("Authorization", "Bearer "+key)
			req.Header.Set("Content-Type", "application/json")
			if res, err := client.Do(req); err == nil {
				res.Body.Close()
			}
			got <- at
		}
	}
}

// askOne asks the agent of the group, in the name of one of those who ask, and
// returns when.
func askOne(b *testing.B, w *world, asker, group string) time.Time {
	ctx, by := context.Background(), storetest.Human(store.User{ID: asker})
	post, err := w.app.Lane().CreateContextPost.Call(ctx, by, lane.CreateContextPostIn{ConversationID: group, Text: "Who?",
		ClientRequestID: store.NewID()})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if _, err := w.app.Lane().AskAgents.Call(ctx, by, lane.ContextPostIn{ConversationID: group, PostID: post.ID}); err != nil {
		b.Fatal(err)
	}
	return start
}

// cpuTime returns how long the processors worked for this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
