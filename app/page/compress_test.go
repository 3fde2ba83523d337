package page_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Pages are compressed unless text of their address can be in them, or the
// address is a secret; what forms answer never is.
func TestCompression(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ben)
	id := w.send(w.cast.Ada, at, strings.Repeat("soup ", 500))
	ask := func(who *browser, method, path, body, accept string) *http.Response {
		t.Helper()
		req, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", accept)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", w.url)
		res, err := who.c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	raw := func(path, accept string) *http.Response {
		t.Helper()
		return ask(ada, "GET", path, "", accept)
	}
	sizes := map[int64]bool{}
	for range 20 {
		res := raw(at+"?at="+id, "br, gzip;q=0.8")
		if res.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(res.Header.Get("Vary"), "Accept-Encoding") {
			t.Fatalf("a page is not compressed: %v", res.Header)
		}
		sizes[res.ContentLength] = true
		zr, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(zr)
		if err != nil || !strings.Contains(string(b), "soup soup") || int64(len(b)) < 3*res.ContentLength {
			t.Errorf("%v: %d bytes in %d", err, len(b), res.ContentLength)
		}
	}
	if len(sizes) < 3 {
		t.Errorf("the same page has the sizes %v, want random ones", sizes)
	}
	for path, accept := range map[string]string{
		at: "gzip;q=0", at + "?at=" + id: "identity", "/search?q=soup": "gzip", "/chat/new?q=soup": "gzip", at + "?at=" + id + "&x=soup": "gzip",
		"/list/search?q=soup": "gzip", "/login?next=/chat": "gzip", "/claim?token=soup": "gzip", "/people?q=ben": "gzip", at + "?%zz": "gzip",
	} {
		if res := raw(path, accept); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("GET %s with %q is compressed", path, accept)
		}
	}
	guest := w.guest()
	for path, who := range map[string]*browser{"/login": guest, "/claim": guest, "/join/soup": guest, "/chat/invite/soup": ada,
		"/c/soup": guest, "/receipt/soup": guest} {
		res := ask(who, "GET", path, "", "gzip")
		if res.Header.Get("Content-Encoding") != "" || res.ContentLength < 1024 {
			t.Errorf("GET %s is compressed, or too short to be: %d, %v", path, res.StatusCode, res.Header)
		}
	}
	res := ask(ada, "POST", "/settings/api-keys", url.Values{"name": {"Clock"}, "scopes": {"read"}}.Encode(), "gzip")
	if res.StatusCode != http.StatusCreated || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("the page with a new key has the status %d, or is compressed: %v", res.StatusCode, res.Header)
	}
}
