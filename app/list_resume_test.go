package app_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app"
)

// Readers of a list whose streams are cut at random, while the server is
// restarted twice, receive every change exactly once and in order.
func TestListStreamsResume(t *testing.T) {
	readers, changes := 40, 300
	if os.Getenv("HEARTH_LONG") != "" {
		readers, changes = 1000, 10_000
	}
	s := newBrowserServer(t, func(c *app.Config) {
		c.NoRateLimits, c.TrustedProxy = true, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	id := s.post("ada", "/api/lists", `{"title":"Watched","visibility":"public"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: -1}}
	var wg sync.WaitGroup
	got := make([][]string, readers)
	cuts := make([]int, readers)
	for n := range readers {
		wg.Go(func() {
			r := cutReader{client: client, url: s.base() + "/api/list/" + id + "/events", ip: fmt.Sprintf("10.0.%d.%d", n/250, n%250), rnd: rand.New(rand.NewPCG(uint64(n), 1)), want: changes}
			got[n], cuts[n] = r.read(ctx), r.cuts
		})
	}
	var want []string
	for n := range changes {
		if n == changes/3 || n == 2*changes/3 {
			s.reopen()
			s.listen()
		}
		want = append(want, s.post("ada", "/api/lists/"+id+"/items", `{"content":"change"}`))
	}
	wg.Wait()
	total := 0
	for n := range readers {
		total += cuts[n]
		if strings.Join(got[n], " ") != strings.Join(want, " ") {
			t.Errorf("reader %d, cut %d times, received %d changes; the first that differs is %d", n, cuts[n], len(got[n]), firstDifference(got[n], want))
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

// read returns the items of the changes that were received.
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
				_, rest, _ := strings.Cut(data, `"itemId":"`)
				item, _, _ := strings.Cut(rest, `"`)
				r.got = append(r.got, item)
				events--
			}
			name, data = "", ""
		}
	}
}
