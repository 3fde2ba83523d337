package app_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/store"
)

// BenchmarkUploadsBesideSends has 64 callers send, alone and while 16 callers
// upload b.N files of 1 MB, each with content of its own. It reports the 99th
// percentiles of sending and their ratio. Run it with -benchtime 1000x.
func BenchmarkUploadsBesideSends(b *testing.B) {
	s := newBenchServer(b)
	path := "/api/chat/conversations/" + s.conversation(b) + "/messages"
	send := s.repeat(b, 64, rawRequest("POST", path, s.token("ada"), `{"content":"`+benchText+`"}`), 201)
	hammer(b, 64, 2000, send)
	_, calm := hammer(b, 64, 10_000, send)
	uploading := s.repeatUploads(b, 16)
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
	start := time.Now()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := uploading(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	var worst []time.Duration
	for left.Load() > 0 {
		_, p99 := hammer(b, 64, 2000, send)
		worst = append(worst, p99)
	}
	wg.Wait()
	took := time.Since(start)
	b.StopTimer()
	var sum time.Duration
	for _, p := range worst {
		sum += p
	}
	if len(worst) == 0 {
		b.Skip("too few uploads to send beside")
	}
	beside := sum / time.Duration(len(worst))
	b.ReportMetric(float64(calm.Microseconds()), "alone-p99-µs")
	b.ReportMetric(float64(beside.Microseconds()), "beside-p99-µs")
	b.ReportMetric(beside.Seconds()/calm.Seconds(), "ratio")
	b.ReportMetric(float64(b.N)/took.Seconds(), "uploads/s")
}

// repeatUploads returns a function that uploads a file of 1 MB with new content.
func (s *benchServer) repeatUploads(b *testing.B, callers int) func(caller int) error {
	clients := make([]*rawClient, callers)
	for i := range clients {
		clients[i] = dialRaw(b, s.addr)
	}
	var n atomic.Int64
	words := bytes.Repeat([]byte("flour water salt "), 1_000_000/17)
	token := s.token("ben") // an account has 64 requests at once, and the others send
	return func(i int) error {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", "a.txt")
		if err != nil {
			return err
		}
		fmt.Fprintf(part, "%d %s", n.Add(1), words)
		form.Close()
		head := fmt.Sprintf("POST /api/chat/attachments HTTP/1.1\r\nHost: hearth.test\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			token, form.FormDataContentType(), body.Len())
		if status, _, err := clients[i].do(append([]byte(head), body.Bytes()...)); err != nil || status != 201 {
			return fmt.Errorf("status %d, %v", status, err)
		}
		return nil
	}
}

// BenchmarkPageWithFiles requests a page of 50 messages that have a file each,
// and one without files, and reports the ratio of the times and that of the lengths
// of the responses.
func BenchmarkPageWithFiles(b *testing.B) {
	s := newBenchServer(b)
	id := idIn(b, s.upload("ada", "holiday.png", string(testFile(b, "png"))).body)
	with, without := s.conversation(b), ""
	s.write(b, func(tx *store.Tx) (err error) {
		without, err = group(tx, s.cast.Ada, []store.User{s.cast.Ben}, []store.User{s.cast.Ada}, 50)
		return err
	})
	for range 50 {
		body := fmt.Sprintf(`{"content":%q,"attachments":[{"id":%q}]}`, benchText, id)
		if res := s.json("ada", "POST", "/api/chat/conversations/"+with+"/messages", body); res.status != 201 {
			b.Fatalf("%d %s", res.status, res.body)
		}
	}
	path := func(id string) string { return "/api/chat/conversations/" + id + "/messages" }
	page := func(id string) []byte { return rawRequest("GET", path(id), s.token("ada"), "") }
	s.compare(b, page(with), page(without))
	size := func(id string) float64 { return float64(len(s.json("ada", "GET", path(id), "").body)) }
	b.ReportMetric(size(with)/size(without), "bytes-ratio")
}
