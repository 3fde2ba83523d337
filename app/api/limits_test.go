package api

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestClientIP(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, tc := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"198.51.100.1"}, "192.0.2.1"}, // who is not trusted says nothing
		{"10.0.0.1:5", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:5", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"}, // the first one is invented
		{"10.0.0.1:5", []string{"198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"10.0.0.1:5", []string{"198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		{"10.0.0.1:5", []string{"10.0.0.2"}, "10.0.0.2"},
		{"10.0.0.1:5", []string{"junk"}, "10.0.0.1"},
		{"10.0.0.1:5", []string{"198.51.100.1, junk"}, "10.0.0.1"},
		{"10.0.0.1:5", nil, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:5", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"[fd00::1]:5", []string{"2001:db8::7"}, "2001:db8::7"},
		{"@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tc.remote
		r.Header["X-Forwarded-For"] = tc.forwarded
		if got := ClientIP(r, trusted).String(); got != tc.want {
			t.Errorf("%s %q: got %s, want %s", tc.remote, tc.forwarded, got, tc.want)
		}
	}
}

func TestIPKey(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.1":            "192.0.2.1",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::":       "2001:db8:1:2::/64",
	} {
		if got := IPKey(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s: got %s, want %s", ip, got, want)
		}
	}
	if got := IPKey(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: %s", got)
	}
}

func TestSameOrigin(t *testing.T) {
	y := newToy(t, func(c *Config) { c.LegacyBaseURL = "https://old.example/" })
	for _, tc := range []struct {
		who, method string
		header      []string
		want        int
	}{
		{"", "POST", nil, 401}, // no browser: let through to the guard
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

func TestViewerKnowsWhereItCalledFrom(t *testing.T) {
	y := newToy(t, func(c *Config) { c.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} })
	e := &endpoint{Route: Route{Guard: Public}, h: y.Handler}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Forwarded-For", "2001:db8::9")
	got, err := e.admit(r)
	if err != nil || got.IP != "2001:db8::/64" {
		t.Errorf("%+v, %v", got, err)
	}
}
