package app_test

import (
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"hearth/store"
)

// messagesOf returns how many messages a benchmark makes: n, or what the variable
// HEARTH_MESSAGES says.
func messagesOf(b *testing.B, n int) int {
	if text := os.Getenv("HEARTH_MESSAGES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// fillMany adds n messages of Ada to 100 groups of ten.
func (s *benchServer) fillMany(b *testing.B, n int) {
	const groups = 100
	var ids []string
	s.write(b, func(tx *store.Tx) error {
		ids = nil
		var others []string
		for i := range 9 {
			u, err := tx.InsertUser(store.User{Email: strconv.Itoa(i) + "@groups.example", Name: "G", VerifiedAt: tx.Now,
				SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			others = append(others, u.ID)
		}
		for range groups {
			id, err := tx.InsertGroup(s.cast.Ada.ID, others, "Group")
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	for i, id := range ids {
		s.fill(b, id, n*(i+1)/groups-n*i/groups)
	}
}

// BenchmarkDeletion deletes an account with 100,000 messages in 100 groups while
// another account sends one message after the other. It reports the longest time of
// a send, before and during the deletion, and how long it takes until the deleted
// words have left the index.
func BenchmarkDeletion(b *testing.B) {
	s := newBenchServer(b)
	s.fillMany(b, messagesOf(b, 100_000))
	index(b, s.app.DB())
	s.measureDeletion(b)
	start := time.Now()
	for s.count(`SELECT count(*) FROM word_queue`) > 0 {
		time.Sleep(100 * time.Millisecond)
	}
	b.ReportMetric(time.Since(start).Seconds(), "words-s")
}

// measureDeletion deletes Ada's account while Ben sends one message after the
// other to another conversation.
func (s *benchServer) measureDeletion(b *testing.B) {
	var id string
	s.write(b, func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(s.cast.Ben.ID, []string{s.cast.Cleo.ID}, "Beside")
		return err
	})
	client := dialRaw(b, s.addr)
	request := rawRequest("POST", "/api/chat/conversations/"+id+"/messages", s.token("ben"), `{"content":"`+benchText+`"}`)
	longest := func(until func() bool) (worst time.Duration, n int) {
		for !until() {
			start := time.Now()
			if status, _, err := client.do(request); err != nil || status != 201 {
				b.Fatalf("status %d, %v", status, err)
			}
			worst, n = max(worst, time.Since(start)), n+1
		}
		return worst, n
	}
	end := time.Now().Add(3 * time.Second)
	calm, _ := longest(func() bool { return time.Now().After(end) })
	var done atomic.Bool
	var took time.Duration
	token := s.token("ada")
	start := time.Now()
	go func() {
		defer done.Store(true)
		deleter := dialRaw(b, s.addr)
		if status, _, err := deleter.do(rawRequest("DELETE", "/api/auth/me", token, "")); err != nil || status != 204 {
			b.Errorf("status %d, %v", status, err)
		}
		took = time.Since(start)
	}()
	beside, n := longest(done.Load)
	b.ReportMetric(float64(calm.Microseconds())/1000, "calm-worst-ms")
	b.ReportMetric(float64(beside.Microseconds())/1000, "beside-worst-ms")
	b.ReportMetric(took.Seconds(), "deletion-s")
	b.ReportMetric(float64(n)/took.Seconds(), "sends/s")
}

// BenchmarkExport exports 1 million messages, b.N times, while 8 clients send, in
// turn with the same sends alone. It reports the highest heap during an export,
// the rate of sends beside by that alone, and the size.
func BenchmarkExport(b *testing.B) {
	s := newBenchServer(b)
	s.fillMany(b, messagesOf(b, 1_000_000))
	const callers, sends = 8, 2000
	send := s.repeat(b, callers, rawRequest("POST", "/api/chat/conversations/"+s.conversation(b)+"/messages", s.token("ben"), `{"content":"`+
		benchText+`"}`), 201)
	hammer(b, callers, sends, send)
	var alone, beside, took time.Duration
	var peak uint64
	var size int64
	rounds := 0
	b.ResetTimer()
	for range b.N {
		before, _ := hammer(b, callers, sends, send)
		runtime.GC()
		var heap heapWatch
		heap.start()
		var done atomic.Bool
		start := time.Now()
		result := make(chan int64, 1)
		go func() {
			result <- s.export(b)
			done.Store(true)
		}()
		n := 0
		for ; !done.Load(); n++ {
			t, _ := hammer(b, callers, sends, send)
			beside += t
		}
		took += time.Since(start)
		peak, size = max(peak, heap.stop()), <-result
		after, _ := hammer(b, callers, sends, send)
		alone += (before + after) / 2 * time.Duration(n)
		rounds += n
	}
	b.ReportMetric(float64(size)/(1<<20), "export-MiB")
	b.ReportMetric(float64(peak)/(1<<20), "heap-MiB")
	b.ReportMetric(took.Seconds()/float64(b.N), "export-s")
	b.ReportMetric(alone.Seconds()/beside.Seconds(), "ratio")
}

// export downloads everything of Ada and returns how many bytes there were.
func (s *benchServer) export(b testing.TB) int64 {
	req, err := http.NewRequest("GET", "http://"+s.addr+"/api/auth/export?range=all_time", nil)
	if err != nil {
		b.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+s.token("ada"))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil || res.StatusCode != 200 {
		b.Errorf("status %d, %d bytes, %v", res.StatusCode, n, err)
	}
	return n
}

// heapWatch samples the heap.
type heapWatch struct {
	end  chan struct{}
	peak chan uint64
}

func (h *heapWatch) start() {
	h.end, h.peak = make(chan struct{}), make(chan uint64, 1)
	go func() {
		var most uint64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			case <-h.end:
				h.peak <- most
				return
			}
		}
	}()
}

func (h *heapWatch) stop() uint64 {
	close(h.end)
	return <-h.peak
}
