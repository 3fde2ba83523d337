package app_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// BenchmarkBesideLongReads requests the caller's account on an idle server, and
// while a client replays 100,000 events and another process verifies the file,
// both repeatedly. It reports the ratio of the 99th percentiles, loaded to idle.
func BenchmarkBesideLongReads(b *testing.B) {
	s := newBenchServer(b)
	s.fillEvents(b, s.conversation(b), 100_000)
	request := rawRequest("GET", "/api/auth/me", s.token("ada"), "")
	const callers = 4
	me := s.repeat(b, callers, request, 200)
	hammer(b, callers, 1000, me)
	b.ResetTimer()
	_, calm := hammer(b, callers, b.N, me)
	stop := s.longReads(b)
	_, beside := hammer(b, callers, b.N, me)
	stop()
	b.ReportMetric(float64(calm.Microseconds()), "calm-p99-µs")
	b.ReportMetric(float64(beside.Microseconds()), "beside-p99-µs")
	b.ReportMetric(beside.Seconds()/calm.Seconds(), "ratio")
}

// fillEvents adds messages with their events, without going through HTTP.
func (s *benchServer) fillEvents(b *testing.B, conversationID string, n int) {
	for n > 0 {
		k := min(n, 5000)
		err := s.app.DB().Write(context.Background(), func(tx *store.Tx) error {
			for range k {
				tx.Now = tx.Tick()
				m := store.Message{ConversationID: conversationID, SenderID: s.cast.Ada.ID, Content: benchText, Type: "text"}
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
				if err := tx.Emit(store.Event{Topic: conversationID, Kind: "message.created", ObjectID: m.ID, ActorID: m.SenderID}); err != nil {
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

// longReads replays all events, and has a process verify the file, repeatedly
// until it is stopped.
func (s *benchServer) longReads(b *testing.B) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if err := s.replayOnce(ctx); err != nil && ctx.Err() == nil {
				b.Error(err)
				return
			}
		}
	})
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	verify := exec.CommandContext(ctx, self, "-test.run=^TestVerifyChild$")
	verify.Env = append(os.Environ(), "HEARTH_VERIFY="+s.app.DB().Path())
	if err := verify.Start(); err != nil {
		b.Fatal(err)
	}
	return func() { cancel(); wg.Wait(); verify.Wait() }
}

// TestVerifyChild is the main function of the process that verifies a database
// until it is killed.
func TestVerifyChild(t *testing.T) {
	path := os.Getenv("HEARTH_VERIFY")
	if path == "" {
		t.Skip("is the child process of a benchmark")
	}
	for {
		if report, err := store.Verify(t.Context(), storetest.Schema(t), path, nil); err != nil || len(report.Broken) > 0 {
			t.Fatal(err, report.Broken)
		}
	}
}

// replayOnce reads a stream from the oldest event until 100,000 have come.
func (s *benchServer) replayOnce(ctx context.Context) error {
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Now()) })()
	if _, err := c.Write(rawRequest("GET", "/api/chat/events?lastEventId=0", s.token("ada"), "")); err != nil {
		return err
	}
	lines := bufio.NewScanner(c)
	lines.Buffer(nil, 1<<20)
	for n := 0; n < 100_000 && lines.Scan(); {
		if bytes.HasPrefix(lines.Bytes(), []byte("event: ")) {
			n++
		}
	}
	return lines.Err()
}
