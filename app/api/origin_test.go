package api

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestSameOrigin(t *testing.T) {
	y := newToy(t, func(c *toyConfig) { c.BaseURLs = append(c.BaseURLs, "https://old.example/") })
	for _, tc := range []struct {
		who, method string
		header      []string
		want        int
	}{
		{"", "POST", nil, 401}, // no browser: not refused before the guard
		{"", "POST", []string{"Sec-Fetch-Site", "same-origin"}, 401},
		{"", "POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"", "POST", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"", "POST", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://hearth.example"}, 401},
		{"", "POST", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://old.example"}, 401},
		{"", "POST", []string{"Origin", "https://evil.example"}, 403},
		{"", "POST", []string{"Origin", "null"}, 403},
		{"human", "POST", []string{"Origin", "https://evil.example"}, 200},
		{"", "GET", []string{"Sec-Fetch-Site", "cross-site"}, 200},
	} {
		target, body := "/api/books", `{"title":"x"}`
		if tc.method == "GET" {
			target, body = "/api/books/"+someID, ""
		}
		w := y.do(tc.who, tc.method, target, body, tc.header...)
		if w.Code != tc.want {
			t.Errorf("%s with %q: %d %s, want %d", tc.method, tc.header, w.Code, w.Body, tc.want)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Error("CORS")
		}
	}
}

func TestViewerIP(t *testing.T) {
	y := newToy(t, func(c *toyConfig) { c.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} })
	e := &endpoint{Route: y.routes[0], h: y.Handler}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Forwarded-For", "2001:db8::9")
	got, err := e.caller(r)
	if err != nil || got.IP != "2001:db8::/64" {
		t.Errorf("%+v, %v", got, err)
	}
}
