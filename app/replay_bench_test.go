package app_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"testing"
	"time"

	"hearth/store"
)

// BenchmarkReplay reads the whole log of an account with ten conversations over
// a real connection and reports the time per event. A tenth of the messages are
// replies.
func BenchmarkReplay(b *testing.B) {
	const events = 50_000
	s := newBenchServer(b)
	s.fillLog(b, events)
	request := rawRequest("GET", "/api/chat/events?lastEventId=0", s.token("ben"), "")
	b.ResetTimer()
	for b.Loop() {
		replayAll(b, s.addr, request, events)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*events), "µs/event")
}

// fillLog inserts n messages into ten groups of ada and ben in turn, each with
// its event.
func (s *benchServer) fillLog(b *testing.B, n int) {
	b.Helper()
	var groups, first [10]string
	write := func(f func(tx *store.Tx) error) {
		if err := s.app.DB().Write(b.Context(), f); err != nil {
			b.Fatal(err)
		}
	}
	write(func(tx *store.Tx) (err error) {
		for i := range groups {
			if groups[i], err = tx.InsertGroup(s.cast.Ada.ID, []string{s.cast.Ben.ID}, "Bench"); err != nil {
				return err
			}
		}
		return nil
	})
	for done := 0; done < n; done += 5000 {
		write(func(tx *store.Tx) error {
			for i := done; i < done+5000; i++ {
				tx.Now = tx.Tick()
				m := store.Message{ConversationID: groups[i%10], SenderID: []string{s.cast.Ada.ID, s.cast.Ben.ID}[i/10%2], Content: benchText,
					Type: "text"}
				if i%100 >= 90 {
					m.ReplyToID = first[i%10]
				}
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
				if err := tx.Emit(store.Event{Topic: m.ConversationID, Kind: "message.created", ObjectID: m.ID, ActorID: m.SenderID}); err != nil {
					return err
				}
				if i < 10 {
					first[i] = m.ID
				}
			}
			return nil
		})
	}
}

// replayAll opens a stream and reads the given number of messages.
func replayAll(b *testing.B, addr string, request []byte, events int) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintf(c, "%s", request); err != nil {
		b.Fatal(err)
	}
	r := bufio.NewReaderSize(c, 64<<10)
	for seen := 0; seen < events; {
		line, err := r.ReadSlice('\n')
		if err != nil {
			b.Fatalf("after %d events: %v", seen, err)
		}
		if bytes.HasPrefix(line, []byte("event: message.created")) {
			seen++
		}
	}
}
