package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// open returns a client that may connect to servers of the test.
func open(t *testing.T, opt Options) *Client {
	t.Helper()
	d, err := NewDialer([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(d, opt)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func serve(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// A request has the client's own User-Agent, no cookies and no Referer, and goes
// to no proxy.
func TestRequest(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	var got []http.Header
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header)
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/to", http.StatusFound)
			return
		}
		fmt.Fprint(w, "hello")
	})
	c := open(t, Options{UserAgent: "hearth/1"})
	res, err := c.Do(t.Context(), Request{URL: url + "/from", Header: http.Header{"Accept": {"text/html"}}, Timeout: 5 * time.Second,
		Redirects: 1, MaxBody: 100})
	if err != nil || res.Status != 200 || string(res.Body) != "hello" || res.URL.Path != "/to" || len(got) != 2 {
		t.Fatalf("%+v %v", res, err)
	}
	for _, h := range got {
		if h.Get("User-Agent") != "hearth/1" || h.Get("Accept") != "text/html" || h.Get("Cookie") != "" || h.Get("Referer") != "" {
			t.Errorf("the header is %v", h)
		}
	}
	if _, err := c.Do(t.Context(), Request{URL: url + "/from", Timeout: 5 * time.Second, Redirects: 0, MaxBody: 100}); err != nil {
		t.Error(err)
	}
}

// Bodies are bounded after decompression, and redirects by their number.
func TestBounds(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		z.Write(make([]byte, 1<<20))
	}
	z.Close()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		default:
			w.Write(bytes.Repeat([]byte("x"), 1000))
		}
	})
	c := open(t, Options{})
	for _, tc := range []struct {
		path      string
		max       int64
		length    int
		truncated bool
	}{{"/bomb", 1 << 16, 1 << 16, true}, {"/x", 999, 999, true}, {"/x", 1000, 1000, false}, {"/x", 0, 0, false}} {
		res, err := c.Do(t.Context(), Request{URL: url + tc.path, Timeout: 5 * time.Second, MaxBody: tc.max})
		if err != nil || len(res.Body) != tc.length || res.Truncated != tc.truncated {
			t.Errorf("%s up to %d: %d bytes, %v", tc.path, tc.max, len(res.Body), err)
		}
	}
	if _, err := c.Do(t.Context(), Request{URL: url + "/loop", Timeout: 5 * time.Second, Redirects: 3}); !errors.Is(err, ErrRedirects) {
		t.Errorf("a loop of redirects: %v", err)
	}
}

// A receiver that does not answer, or answers a byte at a time, costs the
// timeout and no more. An answer without an end does not matter to a caller who
// wants no body.
func TestTimeout(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	c := open(t, Options{})
	for _, path := range []string{"/silent", "/endless"} {
		_, err := c.Do(t.Context(), Request{URL: url + path, Timeout: 50 * time.Millisecond, MaxBody: 10})
		if !Timeout(err) || Unreachable(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if res, err := c.Do(t.Context(), Request{URL: url + "/endless", Timeout: 5 * time.Second}); err != nil || res.Status != 200 {
		t.Errorf("without a body: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, Request{URL: url, Timeout: time.Second}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A certificate of an unknown authority is refused, and so are requests to the
// server itself.
func TestRefused(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	c := open(t, Options{Refuse: []string{"hearth.test", "other.test:8080", "[::1]:8080", "127.0.0.1:8080"}})
	_, err := c.Do(t.Context(), Request{URL: s.URL, Timeout: 5 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a self-signed certificate: %v", err)
	}
	for _, u := range []string{"http://hearth.test/", "https://HEARTH.test./x", "http://ｈearth.test:81/", "http://Other.test:8080/",
		"http://other.test.:8080/", "http://[::1]:8080/", "http://127.0.0.1:8080/"} {
		if err := c.CheckURL(u); !errors.Is(err, ErrURL) {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, u := range []string{"http://example.com", "https://bücher.example:8443/a?b=c", "http://127.0.0.1:8081/",
		"https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", "http://93.184.215.14/"} {
		if err := c.CheckURL(u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, u := range []string{"http://10.0.0.1/", "https://[::1]/", "http://[::ffff:10.0.0.1]/"} {
		if err := c.CheckURL(u); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: %v", u, err)
		}
	}
	if _, err := ParseURL("http://example.com/" + strings.Repeat("a", MaxURL)); !errors.Is(err, ErrURL) {
		t.Errorf("a long address: %v", err)
	}
}
