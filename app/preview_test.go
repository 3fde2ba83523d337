package app_test

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
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
	mux.HandleFunc("/plain", page(`<!doctype html><title> Soups &amp; more </title>
		<meta name=description content="Warm&#10;and thick"><body><meta property="og:title" content="not this">`))
	mux.HandleFunc("/graph", page(`<html><head><title>No</title>
		<meta property="og:title" content="Open Graph"><meta property="og:description" content="d">
		<meta property="og:image" content="/pic.png"><meta property="og:site_name" content="The Site"></head><body>`))
	mux.HandleFunc("/script", page(`<title>a</title><meta property="og:title" content="&lt;script&gt;alert(1)&lt;/script&gt;">
		<meta property="og:image" content="javascript:alert(1)">`))
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
