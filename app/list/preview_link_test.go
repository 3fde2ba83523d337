package list_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/list"
	"hearth/app/op"
	"hearth/store"
)

// pages is another server. It has a page of a given text at each address, and none
// while it is down.
type pages struct {
	*httptest.Server
	requests chan string   // the addresses that are requested
	release  chan struct{} // what the requests of addresses with "slow" wait for

	mu   sync.Mutex
	body string
	down bool
}

func newPages(t *testing.T) *pages {
	p := &pages{requests: make(chan string, 100), release: make(chan struct{}), body: "<title>T</title>"}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.requests <- r.URL.Path
		if strings.Contains(r.URL.Path, "slow") {
			select {
			case <-p.release:
			case <-r.Context().Done():
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if p.down {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, p.body)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *pages) set(body string, down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body, p.down = body, down
}

// requested returns how often pages were requested since the last call.
func (p *pages) requested() (n int) {
	for {
		select {
		case <-p.requests:
			n++
		default:
			return n
		}
	}
}

// await waits for the next request.
func (p *pages) await(t *testing.T) string {
	t.Helper()
	select {
	case path := <-p.requests:
		return path
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was requested")
		return ""
	}
}

// reader returns the service of w with a client that may connect to the given networks.
func (w *world) reader(networks ...string) *list.Service {
	w.t.Helper()
	return w.readerWith(nil, networks...)
}

func (w *world) readerWith(limits *op.Limits, networks ...string) *list.Service {
	w.t.Helper()
	dialer, err := fetch.NewDialer(networks)
	if err != nil {
		w.t.Fatal(err)
	}
	client := fetch.NewClient(dialer, fetch.Options{})
	w.t.Cleanup(client.CloseIdleConnections)
	return list.New(list.Config{DB: w.db.DB, Fetch: client, Limits: limits})
}

// store stores the preview of a page as read now.
func (w *world) store(address string) (at store.Time) {
	w.t.Helper()
	if err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		at = tx.Reader.Now()
		return tx.PutLinkPreview(store.LinkPreview{URL: address, Title: "stored", FetchedAt: at})
	}); err != nil {
		w.t.Fatal(err)
	}
	return at
}

// A page is read again once its preview is exactly 24 hours old.
func TestPreviewExpiresExactly(t *testing.T) {
	w, p := newWorld(t), newPages(t)
	s := w.reader("127.0.0.1")
	preview := func(path string) (list.LinkPreview, error) {
		return s.PreviewLink.Call(t.Context(), w.who["owner"], list.LinkPreviewIn{URL: p.URL + path})
	}
	first, err := preview("/a")
	if n := p.requested(); err != nil || core.OrZero(first.Title) != "T" || n != 1 {
		t.Fatalf("%+v after %d requests, %v", first, n, err)
	}
	p.set("<title>U</title>", false)
	for _, c := range []struct {
		age      time.Duration
		title    string
		requests int
	}{{24*time.Hour - time.Microsecond, "T", 0}, {24 * time.Hour, "U", 1}} {
		w.db.Clock.Advance(first.FetchedAt.Add(c.age).Sub(w.db.Now()))
		got, err := preview("/a")
		if n := p.requested(); err != nil || core.OrZero(got.Title) != c.title || n != c.requests {
			t.Errorf("after %v: %q after %d requests, %v", c.age, core.OrZero(got.Title), n, err)
		}
	}
}

// Eight pages are read at the same time, two of them for one network, and two for one
// person and their bots. The next page is read when one of the eight is done.
func TestPreviewsAtOnce(t *testing.T) {
	w, p := newWorld(t), newPages(t)
	s := w.reader("127.0.0.1")
	previewFor := func(by store.Viewer, network, path string) error {
		by.IP = network
		_, err := s.PreviewLink.Call(t.Context(), by, list.LinkPreviewIn{URL: p.URL + path})
		return err
	}
	nobody, person := w.who["public"], w.who["owner"]
	bot := w.who["stranger"]
	bot.OwnerID = person.UserID
	preview := func(path string) error { return previewFor(nobody, "192.0.2.9", path) }
	var all sync.WaitGroup
	for n := range 8 {
		by := nobody
		switch n {
		case 0:
			by = person
		case 2:
			by = bot
		}
		all.Go(func() {
			if err := previewFor(by, fmt.Sprint("192.0.2.", n/2), fmt.Sprint("/slow/", n)); err != nil {
				t.Errorf("page %d: %v", n, err)
			}
		})
		p.await(t)
		if n == 2 {
			if err := previewFor(nobody, "192.0.2.0", "/third"); code(err) != "busy" {
				t.Errorf("the third for one network: %v", err)
			}
			if err := previewFor(person, "192.0.2.8", "/person"); code(err) != "busy" {
				t.Errorf("the third for one person: %v", err)
			}
		}
	}
	if err := preview("/ninth"); code(err) != "busy" || core.As(err).Kind != core.Unavailable {
		t.Errorf("the ninth: %v", err)
	}
	close(p.release)
	all.Wait()
	if err := preview("/ninth"); err != nil {
		t.Errorf("the ninth, later: %v", err)
	}
}

// What is stored of an address that the server must not request is not shown, and a
// server that requests no pages shows what is stored.
func TestPreviewOfStoredAddress(t *testing.T) {
	w := newWorld(t)
	for _, address := range []string{"http://127.0.0.1/a", "https://page.example/a"} {
		w.store(address)
	}
	for name, c := range map[string]struct {
		s             *list.Service
		address, want string
	}{
		"an address of its network":   {w.reader(), "http://127.0.0.1/a", "blocked_url"},
		"a page":                      {w.reader(), "https://page.example/a", ""},
		"a page, requesting none":     {w.Service, "https://page.example/a", ""},
		"a new page, requesting none": {w.Service, "https://page.example/b", "upstream_error"},
		"no address, requesting none": {w.Service, "page.example", "blocked_url"},
	} {
		got, err := c.s.PreviewLink.Call(t.Context(), w.who["owner"], list.LinkPreviewIn{URL: c.address})
		if code(err) != c.want || err == nil && core.OrZero(got.Title) != "stored" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A page whose stored preview is not current is read in the background, and then that
// is stored; one whose preview is current is not requested.
func TestStoredPreviewIsRenewed(t *testing.T) {
	w, p := newWorld(t), newPages(t)
	s := w.reader("127.0.0.1")
	w.db.Clock.Advance(w.store(p.URL + "/old").Add(24 * time.Hour).Sub(w.db.Now()))
	w.store(p.URL + "/current")
	for _, c := range [][2]string{{"/current", "stored"}, {"/old", "T"}, {"/unknown", "T"}} {
		path, want := c[0], c[1]
		got, ok := s.StoredPreview(t.Context(), "l", p.URL+path)
		if known := path != "/unknown"; ok != known || known && core.OrZero(got.Title) != "stored" {
			t.Errorf("%s: %+v, %v", path, got, ok)
		}
		if want != "stored" {
			if got := p.await(t); got != path {
				t.Errorf("%s is requested for %s", got, path)
			}
			s.AwaitPreview("l", p.URL+path)
		}
		if renewed, ok := s.StoredPreview(t.Context(), "l", p.URL+path); !ok || core.OrZero(renewed.Title) != want || renewed.URL != p.URL+path {
			t.Errorf("%s, renewed: %+v, %v", path, renewed, ok)
		}
	}
	if n := p.requested(); n != 0 {
		t.Errorf("%d more requests", n)
	}
}

// That a page was read for an item makes no difference to those who ask for
// its preview, nor to other lists. What was asked for is shown with items, too.
func TestPreviewsOfListsAreTheirs(t *testing.T) {
	w, p := newWorld(t), newPages(t)
	s := w.reader("127.0.0.1")
	ask := func(path string) (list.LinkPreview, error) {
		return s.PreviewLink.Call(t.Context(), w.who["anonymous"], list.LinkPreviewIn{URL: p.URL + path})
	}
	s.StoredPreview(t.Context(), "private", p.URL+"/a")
	p.await(t)
	s.AwaitPreview("private", p.URL+"/a")
	stored, ok := s.StoredPreview(t.Context(), "private", p.URL+"/a")
	if !ok {
		t.Fatal("nothing is stored")
	}
	w.db.Clock.Advance(time.Hour)
	if _, ok := s.StoredPreview(t.Context(), "other", p.URL+"/a"); ok {
		t.Error("another list shows what was read for a private one")
	}
	p.await(t)
	s.AwaitPreview("other", p.URL+"/a")
	if got, err := ask("/a"); err != nil || got.FetchedAt < stored.FetchedAt.Add(59*time.Minute) || got.URL != p.URL+"/a" ||
		p.requested() != 1 {
		t.Errorf("%+v of a page that was read at %v, %v", got, stored.FetchedAt, err)
	}
	if _, ok := s.StoredPreview(t.Context(), "third", p.URL+"/a"); !ok || p.requested() != 0 {
		t.Error("what was asked for is not shown with an item")
	}
}
