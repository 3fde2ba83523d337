package app_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app"
	"hearth/store"
)

// BenchmarkSendMany sends b.N messages of 50 people to 200 groups over 64 connections.
// No send may take longer than 500 ms. Run it with -benchtime 16000x.
func BenchmarkSendMany(b *testing.B) {
	const senders, groups, callers = 50, 200, 64
	s := newBenchServer(b, func(c *app.Config) {
		c.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	people := s.people(b, senders)
	ids := make([]string, groups)
	s.write(b, func(tx *store.Tx) (err error) {
		for i := 0; i < groups && err == nil; i++ {
			ids[i], err = group(tx, s.cast.Ada, people, nil, 0)
		}
		return err
	})
	tokens := make([]string, senders)
	for i := range tokens {
		tokens[i] = s.tokenFrom(b, i)
	}
	clients := make([]*rawClient, callers)
	for i := range clients {
		clients[i] = dialRaw(b, s.addr)
	}
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	send := func(i int) error {
		path := "/api/chat/conversations/" + ids[rand.IntN(groups)] + "/messages"
		request := rawRequest("POST", path, tokens[rand.IntN(senders)], `{"content":"`+benchText+`"}`)
		start := time.Now()
		status, _, err := clients[i].do(request)
		if err != nil || status != 201 {
			return fmt.Errorf("status %d, %v", status, err)
		}
		took[next.Add(1)-1] = time.Since(start)
		return nil
	}
	b.ResetTimer()
	all, _ := hammer(b, callers, b.N, send)
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(float64(b.N)/all.Seconds(), "sends/s")
	b.ReportMetric(ms(took[b.N/2]), "p50-ms")
	b.ReportMetric(ms(took[b.N*99/100]), "p99-ms")
	b.ReportMetric(ms(took[b.N-1]), "max-ms")
}
