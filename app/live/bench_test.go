package live_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// BenchmarkFanout1000 and 5000 write events to a conversation that 1000 or 5000
// real connections watch. They report the time from the beginning of the write, its
// sync included, until an event has been read (p50, p99). They also report the
// memory of a stream, with the client's side in the same process.
func BenchmarkFanout1000(b *testing.B) { fanout(b, 1000, 50) }

// BenchmarkFanout5000 needs 10,000 file descriptors.
func BenchmarkFanout5000(b *testing.B) { fanout(b, 5000, 5) }

func fanout(b *testing.B, streams, perSecond int) {
	w := newWorld(b, func(c *live.Config) { c.MaxStreams, c.PerCaller = streams, streams })
	p := storetest.People(b, w.db)
	conv := w.group(b, p.Ada, p.Ben)

	before := footprint()
	var (
		mu      sync.Mutex
		sent    = map[string]time.Time{}
		delays  []time.Duration
		arrived sync.WaitGroup
		readers sync.WaitGroup
		conns   []net.Conn
	)
	for i := range streams {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.srv.URL, "http://"))
		if err != nil {
			b.Fatal(err)
		}
		conns = append(conns, c)
		fmt.Fprintf(c, "GET /?%s HTTP/1.1\r\nHost: x\r\n\r\n", as([]store.User{p.Ada, p.Ben}[i%2]))
		readers.Go(func() {
			r := bufio.NewReaderSize(c, 512)
			for {
				line, err := r.ReadSlice('\n')
				if err != nil {
					return
				}
				rest, ok := bytes.CutPrefix(line, []byte(`data: {"object":"`))
				if !ok {
					continue
				}
				object, _, _ := bytes.Cut(rest, []byte(`"`))
				mu.Lock()
				delays = append(delays, time.Since(sent[string(object)]))
				mu.Unlock()
				arrived.Done()
			}
		})
	}
	for w.hub.Streams() < streams {
		time.Sleep(time.Millisecond)
	}
	perStream := (footprint() - before) / int64(streams)

	b.ResetTimer()
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	for i := range b.N {
		<-tick.C
		arrived.Add(streams)
		object := fmt.Sprint("m", i)
		mu.Lock()
		sent[object] = time.Now()
		mu.Unlock()
		w.emit(b, store.Event{Topic: conv, Kind: "message.created", ActorID: p.Ada.ID}, object)
	}
	arrived.Wait()
	b.StopTimer()
	for _, c := range conns {
		c.Close()
	}
	readers.Wait()
	slices.Sort(delays)
	b.ReportMetric(float64(delays[len(delays)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(delays[len(delays)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(perStream)/1024, "KiB/stream")
	b.ReportMetric(float64(w.renders.Load())/float64(b.N), "renders/event")
}

// footprint is the memory in use: live heap and stacks, in bytes.
func footprint() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
