//go:build linux

package app_test

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"hearth/store"
)

// BenchmarkConversationPage requests the page of a conversation with 50 messages over one connection, and
// reports the processor time of a page. The time of the client is included.
func BenchmarkConversationPage(b *testing.B) {
	s := newBenchServer(b)
	id := s.conversation(b)
	texts := []string{benchText, "Yes!", "I have **two** left, see https://example.org/seedlings?kind=tomato", "- Monday\n- Tuesday",
		"Thank you, @Ben :tomato:"}
	s.write(b, func(tx *store.Tx) error {
		for i := range 300 {
			tx.Now = tx.Tick()
			sender := []string{s.cast.Ada.ID, s.cast.Ben.ID}[i/3%2]
			if err := tx.Send(&store.Message{ConversationID: id, SenderID: sender, Content: texts[i%len(texts)], Type: "text"}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if res := s.json("ada", "PATCH", "/api/chat/conversations/"+id+"/read", ""); res.status >= 300 {
		b.Fatalf("%d %s", res.status, res.body)
	}
	request := rawRequest("GET", "/chat/"+id, "", "")
	head := "Cookie: " + s.cookie("ada") + "\r\nAccept-Encoding: gzip\r\n\r\n"
	request = append(bytes.TrimSuffix(request, []byte("\r\n")), head...)
	get := s.repeat(b, 1, request, 200)
	_, size, err := dialRaw(b, s.addr).do(request)
	if err != nil {
		b.Fatal(err)
	}
	hammer(b, 1, 5, get)
	b.ResetTimer()
	before := cpuTime(b)
	hammer(b, 1, b.N, get)
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(size), "bytes/page")
}

// cpuTime returns how long the processors worked for this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
