package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"hearth/app"
	"hearth/store"
)

// tokenFrom signs the nth of the people in from an address of its own, since the
// sign-ins from one address are limited.
func (s *benchServer) tokenFrom(b *testing.B, n int) string {
	link, err := s.app.Account().LinkFor(context.Background(), fmt.Sprintf("p%d@example.org", n), false)
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

// BenchmarkLimits requests the newest page and sends from 64 clients, on a server with
// the limits of how often an account may write, in turn with one without them. "ratio"
// is the rate with the limits by the rate without. Each account sends at most as many
// messages as it may at once, so b.N is at most 10,000.
func BenchmarkLimits(b *testing.B) {
	const senders, callers = 150, 64
	var page, send [2]func(int) error
	for i, limited := range []bool{true, false} {
		s := newBenchServer(b, func(c *app.Config) {
			c.NoRateLimits = !limited
			c.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		})
		people := s.people(b, senders)
		id := ""
		s.write(b, func(tx *store.Tx) (err error) {
			id, err = group(tx, s.cast.Ada, people, people, 60)
			return err
		})
		path := "/api/chat/conversations/" + id + "/messages"
		page[i] = s.repeat(b, callers, rawRequest("GET", path, s.token("ada"), ""), 200)
		requests, clients := make([][]byte, senders), make([]*rawClient, callers)
		for p := range requests {
			requests[p] = rawRequest("POST", path, s.tokenFrom(b, p), `{"content":"`+benchText+`"}`)
		}
		for c := range clients {
			clients[c] = dialRaw(b, s.addr)
		}
		var next atomic.Int64
		send[i] = func(c int) error {
			if status, _, err := clients[c].do(requests[next.Add(1)%senders]); err != nil || status != 201 {
				return fmt.Errorf("status %d, %v", status, err)
			}
			return nil
		}
	}
	for i, kind := range [][2]func(int) error{page, send} {
		b.Run([]string{"page", "send"}[i], func(b *testing.B) {
			if b.N > 10_000 {
				b.Skip("the accounts may not send that often: -benchtime 10000x")
			}
			for _, f := range kind {
				hammer(b, callers, callers*4, f)
			}
			b.ResetTimer()
			with, without, _ := inTurns(b, callers, kind[0], kind[1])
			b.ReportMetric(without.Seconds()/with.Seconds(), "ratio")
			b.ReportMetric(float64(b.N)/with.Seconds(), "rate/s")
		})
	}
}
