package app_test

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hearth/app"
	"hearth/store"
	"hearth/store/storetest"
)

// site is another server, whose pages are previewed. It counts its requests.
type otherSite struct {
	*httptest.Server
	requests atomic.Int64
	down     atomic.Bool
	wait     chan struct{} // what a request of /slow waits for
}

func newOtherSite(t *testing.T) *otherSite {
	o := &otherSite{wait: make(chan struct{})}
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/plain", page(`<!doctype html><title> Soups &amp; more </title><meta name=description content="Warm&#10;and thick"><body><meta property="og:title" content="not this">`))
	mux.HandleFunc("/graph", page(`<html><head><title>No</title><meta property="og:title" content="Open Graph"><meta property="og:description" content="d">
		<meta property="og:image" content="/pic.png"><meta property="og:site_name" content="The Site"></head><body>`))
	mux.HandleFunc("/script", page(`<title>a</title><meta property="og:title" content="&lt;script&gt;alert(1)&lt;/script&gt;"><meta property="og:image" content="javascript:alert(1)">`))
	mux.HandleFunc("/latin", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		w.Write([]byte("<title>Caf\xe9</title>"))
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write([]byte("<title>Big</title>"))
		for range 1000 {
			z.Write(make([]byte, 64<<10))
		}
		z.Close()
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		<-o.wait
		page("<title>Slow</title>")(w, r)
	})
	mux.HandleFunc("/hop/", func(w http.ResponseWriter, r *http.Request) {
		n := strings.TrimPrefix(r.URL.Path, "/hop/")
		next := map[string]string{"1": "/plain", "2": "/hop/1", "3": "/hop/2", "4": "/hop/3", "away": "http://169.254.169.254/",
			"home": "http://hearth.test/"}[n]
		http.Redirect(w, r, next, http.StatusFound)
	})
	mux.HandleFunc("/pic.png", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "image/png") })
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.requests.Add(1)
		if o.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

// newWorldWithNet is newWorld for a server that may connect to 127.0.0.1.
func newWorldWithNet(t *testing.T) *world {
	w := &world{clock: store.NewManualClock(storetest.Epoch), ids: map[string]string{}, tokens: map[string]string{},
		canaries: map[string][]string{}}
	w.start(t, filepath.Join(t.TempDir(), "hearth.db"), func(c *app.Config) { c.AllowNet = []string{"127.0.0.1/32"} })
	w.cast = storetest.People(t, &storetest.DB{DB: w.app.DB(), Clock: w.clock})
	return w
}

func (w *world) preview(address string, status int, text string) response {
	w.t.Helper()
	return w.want("anonymous", "GET", "/api/link-preview?url="+url.QueryEscape(address), "", status, text)
}

func TestLinkPreview(t *testing.T) {
	w, o := newWorldWithNet(t), newOtherSite(t)
	host := strings.TrimPrefix(o.URL, "http://")
	w.preview(o.URL+"/plain#part", 200, `{"url":"`+o.URL+
		`/plain","title":"Soups & more","description":"Warm and thick","image":null,"siteName":"`+strings.Split(host, ":")[0]+`"`)
	w.preview(o.URL+"/graph", 200, `"title":"Open Graph","description":"d","image":"`+o.URL+`/pic.png","siteName":"The Site"`)
	w.preview(o.URL+"/script", 200, `"image":null`)
	w.preview(o.URL+"/latin", 200, `"title":"Café"`)
	w.preview(o.URL+"/bomb", 200, `"title":"Big"`)
	w.preview(o.URL+"/pic.png", 200, `"title":"pic.png","description":null,"image":"`+o.URL+`/pic.png"`)
	w.preview(o.URL+"/hop/3", 200, `"title":"Soups & more"`)
	w.preview(o.URL+"/hop/4", 502, `"upstream_error"`)
	w.preview(o.URL+"/hop/away", 400, `"blocked_url"`)
	w.preview(o.URL+"/hop/home", 400, `"blocked_url"`)
	w.preview(o.URL+"/nothing", 502, `"upstream_error"`)
	w.preview("http://hearth.test/list/x", 400, `"blocked_url"`)
}

// A page is read once within 24 hours, and an old preview is better than none.
func TestLinkPreviewIsStored(t *testing.T) {
	w, o := newWorldWithNet(t), newOtherSite(t)
	first := w.preview(o.URL+"/plain", 200, "Soups")
	w.turnClock("23h59m")
	if again := w.preview(o.URL+"/plain", 200, "Soups"); string(again.body) != string(first.body) || o.requests.Load() != 1 {
		t.Errorf("after %d requests: %s", o.requests.Load(), again.body)
	}
	w.turnClock("2m")
	w.preview(o.URL+"/plain", 200, "Soups")
	if o.requests.Load() != 2 {
		t.Errorf("%d requests after a day", o.requests.Load())
	}
	o.down.Store(true)
	w.turnClock("25h")
	w.preview(o.URL+"/plain", 200, "Soups")
	w.preview(o.URL+"/plain", 200, "Soups") // it is not tried again at once
	if o.requests.Load() != 3 {
		t.Errorf("%d requests of a server that is down", o.requests.Load())
	}
	w.preview(o.URL+"/graph", 502, "upstream_error")
	o.down.Store(false)
	w.preview(o.URL+"/graph", 502, "upstream_error")
	w.turnClock("6m")
	w.preview(o.URL+"/graph", 200, "Open Graph")
}

// Those who want a page at the same time wait for one request.
func TestLinkPreviewSingleFlight(t *testing.T) {
	w, o := newWorldWithNet(t), newOtherSite(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			res := w.json("anonymous", "GET", "/api/link-preview?url="+url.QueryEscape(o.URL+"/slow"), "")
			if res.status != 200 || !strings.Contains(string(res.body), "Slow") {
				t.Errorf("%d %s", res.status, res.body)
			}
		})
	}
	close(o.wait)
	wg.Wait()
	if n := o.requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// One network requests 30 previews at once, and then one every two seconds.
func TestLinkPreviewLimit(t *testing.T) {
	w, o := newWorldWithNet(t), newOtherSite(t)
	for range 30 {
		w.preview(o.URL+"/plain", 200, "Soups")
	}
	w.limitReached("anonymous", "GET /api/link-preview?url="+url.QueryEscape(o.URL+"/plain"), 429, "too_many_previews")
	w.turnClock("2s")
	w.preview(o.URL+"/plain", 200, "Soups")
}
