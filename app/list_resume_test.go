package app_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Readers of a list whose streams are cut at random, while the server is
// restarted twice, receive every change exactly once and in order. With more
// readers and changes, and a client of others: TestListStreamsResumeOfEventSource.
func TestListStreamsResume(t *testing.T) {
	const readers, n = 40, 300
	s := newCutServer(t)
	c := newChanges(s)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: -1}}
	var wg sync.WaitGroup
	got := make([][]string, readers)
	cuts := make([]int, readers)
	for i := range readers {
		wg.Go(func() {
			r := cutReader{client: client, url: s.base() + "/api/list/" + c.list + "/events", ip: fmt.Sprintf("10.0.%d.%d", i/250, i%250),
				rnd: rand.New(rand.NewPCG(uint64(i), 1)), want: n}
			got[i], cuts[i] = r.read(ctx), r.cuts
		})
	}
	c.makeAll(n)
	wg.Wait()
	total := 0
	for i := range readers {
		total += cuts[i]
		if !slices.Equal(got[i], c.want) {
			t.Errorf("reader %d, cut %d times, received %d changes; the first that differs is %d", i, cuts[i], len(got[i]),
				firstDifference(got[i], c.want))
		}
	}
	if total < 2*readers {
		t.Errorf("only %d streams were cut", total)
	}
}

func firstDifference(a, b []string) int {
	for n := range min(len(a), len(b)) {
		if a[n] != b[n] {
			return n
		}
	}
	return min(len(a), len(b))
}

// cutReader reads a stream as the HTML standard says, and cuts it at random. It
// has nothing in common with the code of the server or of its pages.
type cutReader struct {
	client *http.Client
	url    string
	ip     string // of the client, as the proxy says it
	rnd    *rand.Rand
	want   int // how many changes there are

	last string // the id of the last event
	got  []string
	cuts int
}

// read returns the data of the changes that were received.
func (r *cutReader) read(ctx context.Context) []string {
	r.last = "0"
	for len(r.got) < r.want && ctx.Err() == nil {
		r.connect(ctx, 1+r.rnd.IntN(r.want/4))
		r.cuts++
		// Not all at the same moment after a restart.
		time.Sleep(time.Duration(r.rnd.IntN(20)) * time.Millisecond)
	}
	return r.got
}

// connect reads up to so many events.
func (r *cutReader) connect(ctx context.Context, events int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return
	}
	req.Header.Set("X-Forwarded-For", r.ip)
	req.Header.Set("Last-Event-ID", r.last)
	res, err := r.client.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return
	}
	name, data, id := "", "", r.last
	for lines := bufio.NewScanner(res.Body); len(r.got) < r.want && events > 0 && lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			data += value
		case "":
			if lines.Text() != "" {
				continue // a comment
			}
			r.last = id
			if name == "change" {
				r.got = append(r.got, data)
				events--
			}
			name, data = "", ""
		}
	}
}
