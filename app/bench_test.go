package app_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app"
	"hearth/store"
	"hearth/store/storetest"
)

// The benchmarks compare the whole server, over real loopback connections, with
// a baseline measured in the same run, and report the ratio, because machines
// differ. Run them on an idle machine:
//
//	go test ./app -run '^$' -bench . -benchtime 3s

// benchServer is a server that listens. with changes its settings.
type benchServer struct {
	*world
	addr string
	ops  string // of its metrics, if it has them
}

func newBenchServer(b *testing.B, with ...func(*app.Config)) *benchServer {
	b.Helper()
	w := &world{t: b, ids: map[string]string{}, tokens: map[string]string{}, log: &storetest.Buffer{}}
	cfg := app.Config{
		DB: filepath.Join(b.TempDir(), "hearth.db"), Schema: storetest.Schema(b), BaseURL: "http://hearth.test",
		Log: slog.New(slog.DiscardHandler), Out: io.Discard, Version: "bench", NoRateLimits: true,
	}
	for _, change := range with {
		change(&cfg)
	}
	a, err := app.New(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	w.app, w.h = a, a.Handler()
	w.cast = storetest.People(b, &storetest.DB{DB: a.DB()})
	for name, u := range map[string]store.User{"ada": w.cast.Ada, "ben": w.cast.Ben} {
		w.ids["$id:"+name] = u.ID
	}
	ops, err := a.ListenOps()
	if err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, ln) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
		a.Close()
	})
	return &benchServer{world: w, addr: ln.Addr().String(), ops: ops}
}

// conversation creates a direct conversation of ada and ben and returns its id.
func (s *benchServer) conversation(b *testing.B) string {
	res := s.json("ada", "POST", "/api/chat/conversations", s.fillIDs(`{"participantIds":["$id:ben"]}`))
	if res.status >= 300 {
		b.Fatalf("%d %s", res.status, res.body)
	}
	_, rest, _ := strings.Cut(string(res.body), `"id":"`)
	return rest[:36]
}

// fill inserts n messages into a conversation without HTTP.
func (s *benchServer) fill(b *testing.B, conversationID string, n int) {
	fill(b, s.app.DB(), conversationID, s.cast.Ada.ID, n)
}

func fill(b *testing.B, db *store.DB, conversationID, sender string, n int) {
	for n > 0 {
		k := min(n, 5000)
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			for range k {
				tx.Now = tx.Tick()
				m := store.Message{ConversationID: conversationID, SenderID: sender, Content: benchText, Type: "text"}
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		n -= k
	}
}

const benchText = "Does anyone have spare tomato seedlings? Mine were eaten by snails again, all of them but one, sadly. 🍅"

// rawClient is a minimal HTTP/1.1 client, so that the benchmark measures the
// server.
type rawClient struct {
	c net.Conn
	r *bufio.Reader
}

func dialRaw(b *testing.B, addr string) *rawClient {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return &rawClient{c: c, r: bufio.NewReaderSize(c, 64<<10)}
}

func rawRequest(method, path, token, body string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: hearth.test\r\n", method, path)
	if token != "" {
		fmt.Fprintf(&out, "Authorization: Bearer %s\r\n", token)
	}
	if body != "" {
		fmt.Fprintf(&out, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	fmt.Fprintf(&out, "\r\n%s", body)
	return out.Bytes()
}

// do sends a request and reads the whole response.
func (c *rawClient) do(request []byte) (status, size int, err error) {
	if _, err := c.c.Write(request); err != nil {
		return 0, 0, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, err
	}
	for {
		if line, err = c.r.ReadSlice('\n'); err != nil {
			return 0, 0, err
		}
		if len(line) == 2 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return 0, 0, err
			}
		}
	}
	_, err = c.r.Discard(size)
	return status, size, err
}

// repeat returns a function for hammer that sends request over a connection of
// each caller and fails unless the response has the status.
func (s *benchServer) repeat(b *testing.B, callers int, request []byte, want int) func(caller int) error {
	clients := make([]*rawClient, callers)
	for i := range clients {
		clients[i] = dialRaw(b, s.addr)
	}
	return func(i int) error {
		if status, _, err := clients[i].do(request); err != nil || status != want {
			return fmt.Errorf("status %d, %v", status, err)
		}
		return nil
	}
}

// hammer runs n calls from a number of callers and returns how long that took
// and the 99th percentile of the latency.
func hammer(b *testing.B, callers, n int, call func(caller int) error) (took, p99 time.Duration) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	times := make([][]time.Duration, callers)
	start := time.Now()
	for i := range callers {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				t := time.Now()
				if err := call(i); err != nil {
					b.Error(err)
					return
				}
				times[i] = append(times[i], time.Since(t))
			}
		})
	}
	wg.Wait()
	took = time.Since(start)
	var all []time.Duration
	for _, ts := range times {
		all = append(all, ts...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	if len(all) > 0 {
		p99 = all[len(all)*99/100]
	}
	return took, p99
}

// bareSender writes the rows of a message with the driver alone, the index of
// words included: one goroutine that commits everything queued in one
// transaction.
type bareSender struct {
	queue chan chan error
	done  chan struct{}
}

func newBareSender(b *testing.B, s *benchServer) *bareSender {
	path := filepath.Join(b.TempDir(), "bare.db")
	u := url.URL{Scheme: "file", Opaque: path,
		RawQuery: "_busy_timeout=5000&_foreign_keys=on&_journal_mode=WAL&_synchronous=FULL&_txlock=immediate" +
			"&_pragma=cache_size(-16000)&_pragma=secure_delete(1)&_pragma=wal_autocheckpoint(2000)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, q := range []string{storetest.Schema(b),
		`INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at)
			VALUES ('ada', 'a', 'a', 'Ada', 'ada', 'x', 1, 1)`,
		`INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', 1, 1)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'ada', 'owner', 1)`} {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
	var stmts []*sql.Stmt
	for _, q := range []string{
		`UPDATE member SET seen_count = seen_count + 1 WHERE conversation_id = 'c' AND user_id = 'ada'`,
		`INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES ('c', ?1, ?2, 'ada', ?3)`,
		`UPDATE conversation SET live_count = live_count + 1, last_message_at = ?1, updated_at = ?1 WHERE id = 'c'`,
		`INSERT INTO event (topic, kind, object_id, actor_id, at) VALUES ('c', 'message.created', ?2, 'ada', ?1)`} {
		st, err := db.Prepare(q)
		if err != nil {
			b.Fatal(err)
		}
		stmts = append(stmts, st)
	}
	bs := &bareSender{queue: make(chan chan error, 256), done: make(chan struct{})}
	go bs.run(db, stmts)
	b.Cleanup(func() { close(bs.queue); <-bs.done; db.Close() })
	return bs
}

func (bs *bareSender) run(db *sql.DB, stmts []*sql.Stmt) {
	defer close(bs.done)
	at := store.TimeOf(time.Now())
	for first := range bs.queue {
		group := []chan error{first}
		for len(group) < 256 && len(bs.queue) > 0 {
			group = append(group, <-bs.queue)
		}
		tx, err := db.Begin()
		for range group {
			at++
			id := store.NewTimeID(at)
			for i, args := range [][]any{{}, {int64(at), id, benchText}, {int64(at)}, {int64(at), id}} {
				if err == nil {
					_, err = tx.Stmt(stmts[i]).Exec(args...)
				}
			}
		}
		if err == nil {
			err = tx.Commit()
		}
		for _, done := range group {
			done <- err
		}
	}
}

func (bs *bareSender) send() error {
	done := make(chan error, 1)
	bs.queue <- done
	return <-done
}

// BenchmarkSend sends messages over HTTP, each synced to disk, in turn with the
// bare driver writing the same rows, what waits for the index of words included. The server has
// friends, blocks, and webhooks on other conversations.
func BenchmarkSend(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := newBenchServer(b)
			s.connect(b, s.people(b, 200))
			bare := newBareSender(b, s)
			request := rawRequest("POST", "/api/chat/conversations/"+s.conversation(b)+"/messages", s.token("ada"), `{"content":"`+benchText+`"}`)
			full := s.repeat(b, callers, request, 201)
			hammer(b, callers, callers*4, full)
			b.ResetTimer()
			fullTook, bareTook, p99 := inTurns(b, callers, full, func(int) error { return bare.send() })
			b.ReportMetric(float64(b.N)/fullTook.Seconds(), "sends/s")
			b.ReportMetric(float64(b.N)/bareTook.Seconds(), "bare/s")
			b.ReportMetric(bareTook.Seconds()/fullTook.Seconds(), "ratio")
			b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
		})
	}
}

// inTurns runs b.N calls of each kind in eight alternating slices, so that a
// change of the machine's speed affects both.
func inTurns(b *testing.B, callers int, a, other func(int) error) (aTook, otherTook, p99 time.Duration) {
	const slices = 16
	for i := range slices {
		n := b.N*(i+1)/slices - b.N*i/slices
		if i%2 == 1 {
			took, _ := hammer(b, callers, n, other)
			otherTook += took
		}
		took, p := hammer(b, callers, n, a)
		aTook += took
		p99 = max(p99, p)
		if i%2 == 0 {
			took, _ := hammer(b, callers, n, other)
			otherTook += took
		}
	}
	return aTook, otherTook, p99
}

// BenchmarkNewestPage reads the newest 50 messages, in turn with a handler that
// serves the same bytes from memory.
func BenchmarkNewestPage(b *testing.B) {
	sizes := []int{10_000, 1_000_000}
	if storetest.Long() {
		sizes = append(sizes, 5_000_000)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("messages=%d", size), func(b *testing.B) {
			s := newBenchServer(b)
			id := s.conversation(b)
			s.fill(b, id, size)
			index(b, s.app.DB())
			path := "/api/chat/conversations/" + id + "/messages"
			page := s.json("ada", "GET", path, "").body
			ready := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", strconv.Itoa(len(page)))
				w.Write(page)
			})}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			go ready.Serve(ln)
			b.Cleanup(func() { ready.Close() })
			const callers = 64
			full, yard := make([]*rawClient, callers), make([]*rawClient, callers)
			for i := range callers {
				full[i], yard[i] = dialRaw(b, s.addr), dialRaw(b, ln.Addr().String())
			}
			request := rawRequest("GET", path, s.token("ada"), "")
			get := func(cs []*rawClient) func(int) error {
				return func(i int) error {
					status, n, err := cs[i].do(request)
					if err != nil || status != 200 || n < len(page)/2 {
						return fmt.Errorf("status %d, %d bytes, %v", status, n, err)
					}
					return nil
				}
			}
			hammer(b, callers, callers*2, get(full))
			hammer(b, callers, callers*2, get(yard))
			b.ResetTimer()
			took, yardTook, p99 := inTurns(b, callers, get(full), get(yard))
			b.ReportMetric(float64(b.N)/took.Seconds(), "pages/s")
			b.ReportMetric(yardTook.Seconds()/took.Seconds(), "ratio")
			b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkUnreadTotal requests the unread total over 1,000 conversations with 1
// and then with 100 unread messages each. The time must not grow with their
// number.
func BenchmarkUnreadTotal(b *testing.B) {
	for _, unread := range []int{1, 100} {
		b.Run(fmt.Sprintf("unread=%d", unread*1000), func(b *testing.B) {
			s := newBenchServer(b)
			for i := range 1000 {
				var id string
				err := s.app.DB().Write(context.Background(), func(tx *store.Tx) (err error) {
					id, err = tx.InsertGroup(s.cast.Ada.ID, []string{s.cast.Ben.ID}, fmt.Sprint("g", i))
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				s.fill(b, id, unread)
			}
			c := dialRaw(b, s.addr)
			request := rawRequest("GET", "/api/chat/unread-total", s.token("ben"), "")
			b.ResetTimer()
			for range b.N {
				if status, _, err := c.do(request); err != nil || status != 200 {
					b.Fatalf("status %d, %v", status, err)
				}
			}
		})
	}
}
