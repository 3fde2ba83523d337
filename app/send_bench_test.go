package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
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

// tokenFrom signs the nth of the people in from an address of its own, since the
// sign-ins from one address are limited.
func (s *benchServer) tokenFrom(b *testing.B, n int) string {
	link, err := s.app.Account.LinkFor(context.Background(), fmt.Sprintf("p%d@example.org", n), false)
	if err != nil {
		b.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "token=")
	req, _ := http.NewRequest("POST", "http://"+s.addr+"/api/auth/magic-link/verify", strings.NewReader(`{"token":"`+token+`"}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.0.%d.%d", n/250, n%250+1))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	var got struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || got.Token == "" {
		b.Fatalf("%s, %v", res.Status, err)
	}
	return got.Token
}
