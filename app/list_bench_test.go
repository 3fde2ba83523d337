package app_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/store"
)

// listOf makes a public list of n items and returns its id.
func (s *benchServer) listOf(b *testing.B, n int) (id string) {
	s.write(b, func(tx *store.Tx) error {
		l, err := tx.InsertList(store.List{OwnerID: s.cast.Ada.ID, Title: "Long", Visibility: "public", Slug: "long"})
		id = l.ID
		for range n {
			if err == nil {
				_, _, err = tx.InsertItem(store.Item{ListID: l.ID, Content: benchText, AuthorID: s.cast.Ada.ID})
			}
		}
		return err
	})
	return id
}

// BenchmarkPageOfAList reads a page of a list of 20,000 items, in turn with one of
// 200 items: as HTML and as JSON, the first page and one in the middle.
func BenchmarkPageOfAList(b *testing.B) {
	for _, c := range []struct{ name, path string }{
		{"html/first", "/list/%s"}, {"html/middle", "/list/%s?offset=%d"}, {"json/first", "/api/lists/%s/items?limit=100"},
		{"json/middle", "/api/lists/%s/items?limit=100&offset=%d"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newBenchServer(b)
			long, short := s.listOf(b, 20_000), s.listOf(b, 200)
			request := func(id string, offset int) []byte {
				args := []any{id, offset}
				return rawRequest("GET", fmt.Sprintf(c.path, args[:strings.Count(c.path, "%")]...), "", "")
			}
			s.compare(b, request(long, 10_000), request(short, 100))
		})
	}
}

// BenchmarkIndexOfLists reads the first and the last page of the index of a server
// with 10,000 public lists, in turn with the index of an account that has 50 lists.
func BenchmarkIndexOfLists(b *testing.B) {
	s := newBenchServer(b)
	s.write(b, func(tx *store.Tx) error {
		for n := range 10_000 {
			tx.Now = tx.Tick()
			owner := s.cast.Ada.ID
			if n%200 == 0 {
				owner = s.cast.Ben.ID
			}
			if _, err := tx.InsertList(store.List{OwnerID: owner, Title: fmt.Sprint("List ", n), Visibility: "public", Slug: "list"}); err != nil {
				return err
			}
		}
		return nil
	})
	for name, first := range map[string][]byte{
		"json": rawRequest("GET", "/api/lists?public=true", "", ""), "json/last": rawRequest("GET", "/api/lists?public=true&offset=9950", "", ""),
	} {
		b.Run(name, func(b *testing.B) {
			s.compare(b, first, rawRequest("GET", "/api/lists?mine=true", s.token("ben"), ""))
		})
	}
}

// BenchmarkListFanout has 1,000 connections watch a public list, adds items at 20 a
// second, and reports how long after the request began its change was read (p50,
// p99).
func BenchmarkListFanout(b *testing.B) {
	const streams, perSecond = 1000, 20
	s := newBenchServer(b)
	id := s.listOf(b, 10)
	var (
		mu               sync.Mutex
		began            time.Time
		delays           []time.Duration
		arrived, readers sync.WaitGroup
		ready            sync.WaitGroup
	)
	ready.Add(streams)
	for n := range streams {
		// Streams from one address are limited, so each comes from another one.
		from := &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+n/200), byte(1+n%200))}
		c, err := (&net.Dialer{LocalAddr: from}).Dial("tcp", s.addr)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { c.Close() })
		if _, err := c.Write(rawRequest("GET", "/api/list/"+id+"/events", "", "")); err != nil {
			b.Fatal(err)
		}
		readers.Go(func() {
			first := sync.OnceFunc(ready.Done)
			for r := bufio.NewReaderSize(c, 512); ; {
				line, err := r.ReadSlice('\n')
				if err != nil {
					return
				}
				if first(); !bytes.Contains(line, []byte(`"table":"items"`)) {
					continue
				}
				mu.Lock()
				delays = append(delays, time.Since(began))
				mu.Unlock()
				arrived.Done()
			}
		})
	}
	ready.Wait()
	b.ResetTimer()
	tick := time.NewTicker(time.Second / perSecond)
	defer tick.Stop()
	token := s.token("ada")
	client := dialRaw(b, s.addr)
	for range b.N {
		<-tick.C
		arrived.Add(streams)
		mu.Lock()
		began = time.Now()
		mu.Unlock()
		if status, _, err := client.do(rawRequest("POST", "/api/lists/"+id+"/items", token, `{"content":"`+benchText+`"}`)); status != 201 ||
			err != nil {
			b.Fatal(status, err)
		}
		arrived.Wait()
	}
	b.StopTimer()
	slices.Sort(delays)
	b.ReportMetric(float64(delays[len(delays)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(delays[len(delays)*99/100].Microseconds())/1000, "p99-ms")
}
