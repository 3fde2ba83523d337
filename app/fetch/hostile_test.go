package fetch

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// hostile returns the addresses of testdata/hostile.txt. No connection to any of them
// is permitted.
func hostile(t *testing.T) (urls []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			urls = append(urls, line)
		}
	}
	if len(urls) < 300 {
		t.Fatalf("the table has %d addresses", len(urls))
	}
	return urls
}

// public is an address on the public internet. Nothing connects to it: the
// dialer of the tests stops before each connection.
var public = netip.MustParseAddr("93.184.215.14")

var errStopped = errors.New("the test stops before the connection")

// guarded is a client whose dialer counts the connections that it would open,
// and opens none but those to the server of the test that is allowed by name.
type guarded struct {
	*Client
	mu        sync.Mutex
	resolve   func(name string) []netip.Addr
	permitted []string // addresses that the guard let pass
	checked   int
}

func newGuarded(t *testing.T, allow ...string) *guarded {
	t.Helper()
	d, err := NewDialer(allow)
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{}
	safe := d.guarded.Control
	d.guarded.Control = func(network, address string, c syscall.RawConn) error {
		err := safe(network, address, c)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.checked++
		if err == nil {
			g.permitted = append(g.permitted, address)
			err = errStopped
		}
		return err
	}
	r := &net.Resolver{PreferGo: true, Dial: g.dialDNS}
	d.guarded.Resolver, d.open.Resolver = r, r
	g.Client = NewClient(d, Options{UserAgent: "hearth/test"})
	return g
}

// dialDNS connects to a name server that answers with g.resolve.
func (g *guarded) dialDNS(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		for {
			var size [2]byte
			if _, err := io.ReadFull(server, size[:]); err != nil {
				return
			}
			query := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(server, query); err != nil {
				return
			}
			answer, err := g.answer(query)
			if err != nil {
				return
			}
			if _, err := server.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
				return
			}
		}
	}()
	return client, nil
}

func (g *guarded) answer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil, errors.New("not a question")
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	g.mu.Lock()
	addrs := g.resolve(strings.TrimSuffix(q.Name.String(), "."))
	g.mu.Unlock()
	for _, a := range addrs {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m.Pack()
}

// inside answers every name with addresses of private networks.
func inside(string) []netip.Addr {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("::1"),
		netip.MustParseAddr("fd00:ec2::254")}
}

// trap listens on the loopback interface and counts connections.
func trap(t *testing.T) (port string, connections *atomic.Int64) {
	t.Helper()
	connections = &atomic.Int64{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, connections
}

// at returns an address of the table with the port in place of its own, if it
// has one of a web server.
func at(address, port string) string {
	for _, end := range []string{":80/", ":443/", ":8080/", "/"} {
		if rest, ok := strings.CutSuffix(address, end); ok && strings.HasPrefix(address, "http://") && !strings.HasSuffix(rest, "/") {
			return rest + ":" + port + "/"
		}
	}
	return address
}

// No request goes to an address of the table: neither as it is, as a webhook,
// nor with the port of a server that listens.
func TestHostileAddresses(t *testing.T) {
	port, connections := trap(t)
	g := newGuarded(t)
	g.resolve = inside
	for _, address := range hostile(t) {
		for _, u := range []string{address, at(address, port)} {
			_, err := g.Do(t.Context(), Request{Method: "POST", URL: u, Timeout: 10 * time.Second})
			if !errors.Is(err, ErrURL) && !Unreachable(err) {
				t.Errorf("%q: %v", u, err)
			}
			if err != nil && strings.Contains(err.Error(), "missing port") {
				t.Errorf("%q is not checked but fails: %v", u, err)
			}
		}
	}
	g.none(t, connections)
}

// none fails the test if a connection was opened or would have been.
func (g *guarded) none(t *testing.T, connections *atomic.Int64) {
	t.Helper()
	if len(g.permitted) > 0 || connections.Load() != 0 {
		t.Errorf("connections to %q, and %d arrived", g.permitted, connections.Load())
	}
	if g.checked == 0 {
		t.Error("the dialer checked no address, so the test shows nothing")
	}
	t.Logf("%d addresses were refused at the dialer, the others before", g.checked)
}

// An address that needs no name server is refused before a request is made, also
// with a dot at its end.
func TestCheckURL(t *testing.T) {
	g := newGuarded(t)
	for address, want := range map[string]error{
		"http://127.0.0.1/": ErrBlocked, "http://127.0.0.1.:8080/": ErrBlocked, "http://[::1]/": ErrBlocked, "http://127.1/": ErrURL,
		"http://93.184.215.14./": nil, "http://example.com./": nil,
	} {
		if err := g.CheckURL(address); !errors.Is(err, want) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server on the public internet redirects to each address of the table, at
// once and after another redirect.
func TestHostileRedirects(t *testing.T) {
	port, connections := trap(t)
	urls := hostile(t)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := r.URL.Query().Get("to")
		if hops := r.URL.Query().Get("hops"); hops != "" {
			q := r.URL.Query()
			q.Set("hops", hops[1:])
			target = "/?" + q.Encode()
		}
		w.Header()["Location"] = []string{target}
		w.WriteHeader(http.StatusFound)
	}))
	defer front.Close()
	_, frontPort, _ := net.SplitHostPort(front.Listener.Addr().String())
	g := newGuarded(t, "front.test")
	g.resolve = inside
	for _, address := range urls {
		for _, to := range []string{address, at(address, port)} {
			for _, hops := range []string{"", "x"} {
				in := Request{URL: "http://front.test:" + frontPort + "/?" + query("to", to, "hops", hops), Timeout: 10 * time.Second, Redirects: 3,
					MaxBody: 100}
				res, err := g.Do(t.Context(), in)
				// What has no scheme and host is a path of the first server, whose
				// redirect it answers again.
				if err == nil && res.Status == http.StatusFound || errors.Is(err, ErrRedirects) {
					continue
				}
				if err == nil {
					t.Errorf("%q: answered %d", to, res.Status)
				}
			}
		}
		res, err := g.Do(t.Context(), Request{Method: "POST", URL: "http://front.test:" + frontPort + "/?" + query("to", address),
			Timeout: 10 * time.Second})
		if err != nil || res.Status != http.StatusFound {
			t.Errorf("a webhook follows a redirect to %q: %v", address, err)
		}
	}
	g.none(t, connections)
}

func query(pairs ...string) string {
	q := make(map[string][]string)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q[pairs[i]] = []string{pairs[i+1]}
		}
	}
	return url.Values(q).Encode()
}

// A name first resolves to a public address and then to each address of the
// table, or to both at once.
func TestHostileRebinding(t *testing.T) {
	_, connections := trap(t)
	g := newGuarded(t)
	var tried int
	for _, address := range hostile(t) {
		for _, bad := range addressesOf(address) {
			tried++
			var now []netip.Addr
			g.resolve = func(string) []netip.Addr { return now }
			try := func(answer []netip.Addr, want ...error) {
				t.Helper()
				now = answer
				_, err := g.Do(t.Context(), Request{Method: "POST", URL: "http://rebind.test/", Timeout: 10 * time.Second})
				if !slices.ContainsFunc(want, func(w error) bool { return errors.Is(err, w) }) {
					t.Errorf("a name that resolves to %s: %v", answer, err)
				}
			}
			try([]netip.Addr{public}, errStopped)
			try([]netip.Addr{bad}, ErrBlocked)
			try([]netip.Addr{public, bad}, errStopped, ErrBlocked)
			try([]netip.Addr{bad, public}, errStopped, ErrBlocked)
		}
	}
	if tried < 300 {
		t.Errorf("only %d addresses", tried)
	}
	for _, address := range g.permitted {
		if a := netip.MustParseAddrPort(address); a.Addr() != public {
			t.Errorf("the guard lets %s pass", a)
		}
	}
	if connections.Load() != 0 {
		t.Errorf("%d connections", connections.Load())
	}
	t.Logf("%d addresses", tried)
}

// addressesOf returns the IP address that is the host of an address of the
// table, if it is one; of an IPv4 address also the IPv6 addresses that stand for
// it: mapped, translated (NAT64) and tunneled (6to4).
func addressesOf(address string) []netip.Addr {
	u, err := ParseURL(address)
	if err != nil {
		return nil
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil
	}
	if !a.Is4() {
		return []netip.Addr{a}
	}
	v4 := a.As4()
	nat64 := [16]byte{0: 0x00, 1: 0x64, 2: 0xff, 3: 0x9b}
	copy(nat64[12:], v4[:])
	tunneled := [16]byte{0: 0x20, 1: 0x02}
	copy(tunneled[2:], v4[:])
	return []netip.Addr{a, netip.AddrFrom16(a.As16()), netip.AddrFrom16(nat64), netip.AddrFrom16(tunneled)}
}
