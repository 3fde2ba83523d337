package middleware

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
		{"192.0.2.1:5", []string{"198.51.100.1"}, "192.0.2.1"}, // ignored from untrusted addresses
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
