//go:build linux

package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hearth/app"
	"hearth/app/chat"
	"hearth/store"
	"hearth/store/storetest"
)

// flaky is a receiver that fails three of ten requests, and is down for a fifth
// of every second. To no delivery it fails more than six times, however late the
// attempts are, since after eight a delivery is given up.
type flaky struct {
	*httptest.Server
	start time.Time

	mu       sync.Mutex
	rand     *rand.Rand
	failures map[string]int      // by the id of the delivery
	ids      map[string]string   // of the deliveries, by message
	got      map[string][]string // messages answered with 200, by conversation, in order
	received map[string]bool     // messages
	requests int
	failed   int
	errors   []string
	enough   chan struct{} // closed once all are received
	want     int
}

func newFlaky(t *testing.T, want int) *flaky {
	f := &flaky{start: time.Now(), rand: rand.New(rand.NewPCG(1, 2)), failures: map[string]int{}, ids: map[string]string{},
		got: map[string][]string{}, received: map[string]bool{}, enough: make(chan struct{}), want: want}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var d struct {
		Message struct{ ID, ConversationID string }
	}
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		return // the server was killed while it sent
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	m, id := d.Message, r.Header.Get("webhook-id")
	if before := f.ids[m.ID]; before != "" && before != id {
		f.errors = append(f.errors, fmt.Sprintf("the message %s is delivered as %s and %s", m.ID, before, id))
	}
	f.ids[m.ID] = id
	switch {
	case f.failures[id] >= 6:
	case time.Since(f.start)%time.Second > 800*time.Millisecond:
		f.failed++
		f.failures[id]++
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
		return
	case f.rand.IntN(10) < 3:
		f.failed++
		f.failures[id]++
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	f.got[m.ConversationID] = append(f.got[m.ConversationID], m.ID)
	f.received[m.ID] = true
	if len(f.received) == f.want {
		close(f.enough)
		f.want = -1
	}
}

// Messages go to a receiver that fails often, while the server is killed three
// times. All of them are received, in the order of their conversation. What is
// received twice has the same id, and nothing of the conversation came between.
func TestWebhookFaults(t *testing.T) {
	t.Parallel()                                    // most of it is waiting
	events := storetest.Rounds(320, 5000) / 32 * 32 // each of 8 people sends a quarter in each of 4 rounds
	path := filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, 8)
	f := newFlaky(t, events)
	hookFor(t, path, f.URL, people)
	serving := func() *process {
		cmd := exec.Command(testProgram(t), "-test.run=^TestWebhookServer$")
		cmd.Env = []string{webhookEnv + "=" + path}
		return serve(t, cmd)
	}
	p := serving()
	for round := 1; round <= 4; round++ {
		sendAll(t, p, people, events*round/4/len(people))
		if round < 4 {
			p.kill()
			p = serving()
		}
	}
	select {
	case <-f.enough:
	case <-time.After(3 * time.Minute):
		t.Errorf("received %d of %d", len(f.received), events)
	}
	p.kill()
	f.check(t, path, people)
}

// sendAll lets all clients send until each has sent so many messages.
func sendAll(t *testing.T, p *process, people []*client, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for _, who := range people {
		wg.Go(func() {
			for len(who.acked) < each {
				if a := p.send(who); a.status/100 != 2 {
					t.Errorf("a send: %d %s", a.status, a.body.Code)
					return
				}
			}
		})
	}
	wg.Wait()
}

// hookFor adds an account that is a member of all conversations, with a webhook
// for all of them.
func hookFor(t *testing.T, path, url string, people []*client) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var owner store.User
	err = db.Write(ctx, func(tx *store.Tx) (err error) {
		owner, err = tx.InsertUser(store.User{Email: "owner@example.org", Name: "Owner", VerifiedAt: tx.Now, SignupProvider: "magic-link"})
		for _, who := range people {
			if err == nil {
				err = tx.AddMember(who.conversation, owner.ID, "member")
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chat.New(chat.Config{DB: db}).CreateWebhook.Call(ctx, storetest.Human(owner), chat.CreateWebhookIn{URL: url}); err != nil {
		t.Fatal(err)
	}
}

// check compares what was received with the messages in the file.
func (f *flaky) check(t *testing.T, path string, people []*client) {
	t.Helper()
	checkMessages(t, path, people)
	for _, e := range f.errors {
		t.Error(e)
	}
	var twice, total int
	for _, who := range people {
		at := map[string]int{}
		for i, id := range who.acked {
			at[id] = i
		}
		last := -1
		for _, id := range f.got[who.conversation] {
			switch i := at[id]; i {
			case last:
				twice++
			case last + 1:
				last = i
			default:
				t.Errorf("message %d of a conversation was received after message %d", i, last)
			}
		}
		if total += last + 1; last+1 != len(who.acked) {
			t.Errorf("%d of %d messages of a conversation were received", last+1, len(who.acked))
		}
	}
	t.Logf("%d messages, %d requests, %d failed (%d %%), %d received twice", total, f.requests, f.failed, 100*f.failed/f.requests,
		twice)
	if f.failed*100/f.requests < 25 {
		t.Error("the receiver did not fail often, so the test shows little")
	}
}

const webhookEnv = "HEARTH_FAULT_WEBHOOK"

// TestWebhookServer is a server in a child process, with short times between the
// attempts of a delivery.
func TestWebhookServer(t *testing.T) {
	path := os.Getenv(webhookEnv)
	if path == "" {
		t.Skip("runs as the child process of TestWebhookFaults")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var delays []time.Duration
	for _, ms := range []int{5, 10, 40, 100, 200, 400, 800} {
		delays = append(delays, time.Duration(ms)*time.Millisecond)
	}
	a, err := app.New(context.Background(), app.Config{DB: path, Schema: storetest.Schema(t), Addr: ln.Addr().String(),
		AllowNet: []string{"127.0.0.1"},
		Log:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Out: os.Stderr, WebhookDelays: delays,
		NoRateLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	fmt.Println("http://" + ln.Addr().String())
	t.Log(a.Run(context.Background(), ln))
}
