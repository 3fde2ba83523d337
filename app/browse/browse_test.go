package browse

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/store"
)

// newService returns the service, which may connect to the hosts in allow.
func newService(t *testing.T, allow ...string) *Service {
	t.Helper()
	d, err := fetch.NewDialer(allow)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.NewClient(d, fetch.Options{UserAgent: "hearth/test", Refuse: []string{"own.example"}})
	t.Cleanup(c.CloseIdleConnections)
	return New(c, nil, time.Now)
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return core.As(err).Code
}

// site is another server, which answers /kind/… with that content type.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<!doctype html><title> A &amp; B </title><style>p{}</style><script>alert("x")</script>
				<nav>Home</nav><p>One <b>two</b><br>three</p><ul><li>a<li>b</ul><noscript>hidden</noscript><svg><text>drawn</text></svg>` + "\x00"))
		case "/latin":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			w.Write([]byte("<p>caf\xe9</p>"))
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte(strings.Repeat("é", 30_000)))
		case "/huge":
			w.Header().Set("Content-Type", "text/plain")
			for range 1000 {
				w.Write([]byte(strings.Repeat("a b ", 1000)))
			}
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"a":1}`))
		case "/missing":
			http.Error(w, "nothing here", http.StatusNotFound)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestBrowseURL(t *testing.T) {
	s, other := newService(t, "127.0.0.1"), site(t)
	for path, want := range map[string]Page{
		"/page":    {Status: 200, Title: "A & B", Text: "Home\nOne two\nthree\na\nb"},
		"/latin":   {Status: 200, Text: "café"},
		"/json":    {Status: 200, Text: `{"a":1}`},
		"/missing": {Status: 404, Text: "nothing here\n"},
		"/moved":   {Status: 200, URL: other.URL + "/page", Title: "A & B", Text: "Home\nOne two\nthree\na\nb"},
		"/long":    {Status: 200, Text: strings.Repeat("é", 20_000), Truncated: true},
	} {
		got, err := s.BrowseURL.Call(context.Background(), store.Viewer{}, BrowseIn{URL: other.URL + path})
		if want.URL == "" {
			want.URL = other.URL + path
		}
		if got.FetchedAt == 0 {
			t.Errorf("%s: no time", path)
		}
		if got.FetchedAt = 0; err != nil || got != want {
			t.Errorf("%s: %v, got %+v, want %+v", path, err, got, want)
		}
	}
	huge, err := s.BrowseURL.Call(context.Background(), store.Viewer{}, BrowseIn{URL: other.URL + "/huge"})
	if err != nil || !huge.Truncated || utf8.RuneCountInString(huge.Text) != maxText {
		t.Errorf("huge: %v, %d characters", err, utf8.RuneCountInString(huge.Text))
	}
}

// Only addresses on the public internet are read, also after redirects.
func TestBrowseURLRefuses(t *testing.T) {
	s, other, closed := newService(t, "127.0.0.1"), site(t), site(t)
	closed.Close()
	for url, want := range map[string]string{
		"http://10.0.0.1/": "blocked_url", "http://own.example/": "blocked_url", "http://own.example:8080/list/1": "blocked_url",
		"http://u:p@a.example/": "invalid_input", "http://a.example:25/": "blocked_url", other.URL + "/inside": "blocked_url",
		"ftp://a.example/": "invalid_input", "file:///etc/passwd": "invalid_input", "": "invalid_input",
		other.URL + "/picture": "not_text", other.URL + "/round": "too_many_redirects", closed.URL: "upstream",
	} {
		if _, err := s.BrowseURL.Call(context.Background(), store.Viewer{}, BrowseIn{URL: url}); code(err) != want {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	if _, err := newService(t).BrowseURL.Call(context.Background(), store.Viewer{},
		BrowseIn{URL: other.URL + "/page"}); code(err) != "blocked_url" {
		t.Errorf("loopback: %v", err)
	}
}

// A network, and a person with their bots, reads two pages at the same time, and all
// together eight.
func TestPagesReadAtOnce(t *testing.T) {
	release := make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(other.Close)
	s := newService(t, "127.0.0.1")
	done, started := make(chan error), 0
	read := func(by store.Viewer) error {
		go func() {
			_, err := s.BrowseURL.Call(context.Background(), by, BrowseIn{URL: other.URL})
			done <- err
		}()
		select {
		case err := <-done:
			return err
		case <-time.After(50 * time.Millisecond):
			started++
			return nil
		}
	}
	ada := store.Viewer{Kind: store.Human, UserID: "ada", IP: "192.0.2.1", CanRead: true}
	bot := store.Viewer{Kind: store.Human, UserID: "bot", OwnerID: "ada", IP: "192.0.2.2", CanRead: true}
	for n, c := range []struct {
		by   store.Viewer
		busy bool
	}{
		{ada, false}, {bot, false}, {ada, true}, {bot, true}, // the person
		{store.Viewer{IP: "192.0.2.1", CanRead: true}, false}, {store.Viewer{IP: "192.0.2.1", CanRead: true}, true}, // the network
		{store.Viewer{IP: "192.0.2.3", CanRead: true}, false}, {store.Viewer{IP: "192.0.2.3", CanRead: true}, false},
		{store.Viewer{IP: "192.0.2.4", CanRead: true}, false}, {store.Viewer{IP: "192.0.2.4", CanRead: true}, false},
		{store.Viewer{IP: "192.0.2.5", CanRead: true}, false}, {store.Viewer{IP: "192.0.2.6", CanRead: true}, true}, // all
	} {
		if err := read(c.by); (code(err) == "busy") != c.busy {
			t.Errorf("%d: %v, want busy %v", n, err, c.busy)
		}
	}
	close(release)
	for range started {
		<-done
	}
	if !s.places.Take("192.0.2.1", "ada") {
		t.Error("the places are not free again")
	}
}

// FuzzPageText reads any bytes as a page.
func FuzzPageText(f *testing.F) {
	f.Add("<title>a<title>b</title><p>c<script>d")
	f.Add("<!--<p>--><svg><script></svg>e\xff\x00")
	f.Fuzz(func(t *testing.T, page string) {
		title, text := pageText(page)
		if strings.Contains(title, "\n") || strings.Contains(text, "\n\n") {
			t.Errorf("%q: %q, %q", page, title, text)
		}
	})
}
