package app

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A request whose end servers may see at different places ends its connection, whatever
// it is for: what follows it is not answered as another request, which a proxy that sees
// the end elsewhere would take for the response to somebody else.
func TestAmbiguousRequestsEndTheConnection(t *testing.T) {
	s := run(t)
	const next = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
	answers := func(request string) string {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second)) // only reached on failure
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		var all []byte
		for part := make([]byte, 4096); ; {
			n, err := c.Read(part)
			if all = append(all, part[:n]...); bytes.Count(all, []byte("HTTP/1.")) > 1 || err != nil {
				break
			}
		}
		return string(all)
	}
	if got := answers(next + next); strings.Count(got, "HTTP/1.1 200 OK") != 2 {
		t.Fatalf("requests that are not ambiguous: %q", got)
	}
	for name, tc := range map[string]struct{ version, headers, body string }{
		"a length and chunks":         {"1.1", "Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\n"},
		"chunks and a length":         {"1.1", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"},
		"chunks alone":                {"1.1", "Transfer-Encoding: chunked", "0\r\n\r\n"},
		"two lengths":                 {"1.1", "Content-Length: 0\r\nContent-Length: 35", ""},
		"two lengths in one":          {"1.1", "Content-Length: 0, 35", ""},
		"a length with a sign":        {"1.1", "Content-Length: +0", ""},
		"a length below zero":         {"1.1", "Content-Length: -1", ""},
		"a length after a space":      {"1.1", "Content-Length : 0", ""},
		"a chunk without a size":      {"1.1", "Transfer-Encoding: chunked", "zz\r\n\r\n"},
		"a chunk that is longer":      {"1.1", "Transfer-Encoding: chunked", "1\r\nab\r\n0\r\n\r\n"},
		"a chunk of too large a size": {"1.1", "Transfer-Encoding: chunked", "fffffffffffffffff0\r\n\r\n"},
		"an encoding twice":           {"1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"},
		"another encoding":            {"1.1", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n"},
		"an encoding that is none":    {"1.1", "Content-Length: 0\r\nTransfer-Encoding: identity", ""},
		"an encoding after a tab":     {"1.1", "Content-Length: 0\r\nTransfer-Encoding:\tx", ""},
		"a line that goes on":         {"1.1", "Content-Length: 0\r\nTransfer-Encoding:\r\n chunked", "0\r\n\r\n"},
		"chunks before HTTP/1.1":      {"1.0", "Connection: keep-alive\r\nContent-Length: 0\r\nTransfer-Encoding: chunked", "0\r\n\r\n"},
		"a length before HTTP/1.1":    {"1.0", "Connection: keep-alive\r\nContent-Length: 0", ""},
	} {
		for _, to := range []string{"POST /api/auth/login", "GET /health", "POST /mcp", "POST /login", "GET /", "GET /static/app.css", "GET /nowhere"} {
			got := answers(to + " HTTP/" + tc.version + "\r\nHost: x\r\nContent-Type: application/json\r\n" + tc.headers + "\r\n\r\n" + tc.body + next)
			if n := strings.Count(got, "HTTP/1."); n != 1 {
				t.Errorf("%s, %s: %d responses: %q", name, to, n, got[:min(len(got), 200)])
			}
		}
	}
	const ping = "28\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n0\r\n\r\n"
	for _, headers := range []string{"Transfer-Encoding: chunked", "Content-Length: 6\r\nTransfer-Encoding: chunked"} {
		got := answers("POST /mcp HTTP/1.1\r\nHost: " + strings.TrimPrefix(s.url, "http://") + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" + headers + "\r\n\r\n" + ping + next)
		if strings.Count(got, "HTTP/1.1 200 OK") != 1 || strings.Count(got, "HTTP/1.") != 1 || !strings.Contains(got, "Connection: close") {
			t.Errorf("a stream of the protocol for agents, %s: %q", headers, got)
		}
	}
}
