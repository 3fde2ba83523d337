package middleware

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An address has no more than its connections, and gets them back when it closes
// some. Those of a trusted proxy are of many clients.
func TestLimitConns(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := LimitConns(inner, nil)
	ln.maxAddress = 2
	ln.after = func(_ time.Duration, f func()) { f() }
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") })}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	open := func() (net.Conn, string) {
		c, err := net.Dial("tcp", inner.Addr().String())
		if errors.Is(err, syscall.ECONNRESET) { // dropped before Dial returned
			return nil, ""
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(10 * time.Second)) // only reached on failure
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		b := make([]byte, 12)
		io.ReadFull(c, b)
		return c, string(b[9:])
	}
	first, got := open()
	_, second := open()
	_, third := open()
	if got != "200" || second != "200" || third != "503" {
		t.Errorf("got %s, %s, %s", got, second, third)
	}
	first.Close()
	for end := time.Now().Add(10 * time.Second); ; { // until the server has noticed
		if _, got = open(); got == "200" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("after one was closed: %s", got)
		}
	}
	if _, got = open(); got == "200" {
		t.Error("after one was closed, an address has one more than its connections")
	}
	for _, prefix := range []string{"127.0.0.0/8", "10.0.0.0/8"} {
		l := &Conns{trusted: []netip.Prefix{netip.MustParsePrefix(prefix)}}
		if key := l.key(first); (key == "") != (prefix == "127.0.0.0/8") {
			t.Errorf("trusting %s, a connection counts under %q", prefix, key)
		}
	}
}

// An address that has too many connections loses the one of its own that has waited
// longest, never one of another address; when there are too many in all, it is the
// longest of any.
func TestWhoseIdleConnectionIsClosed(t *testing.T) {
	l := LimitConns(nil, nil)
	l.max, l.maxAddress = 3, 2
	idle := func(key string) *limitedConn {
		c := &limitedConn{of: l, key: key}
		if closing, ok := l.enter(c); closing != nil || !ok {
			t.Fatalf("no room for one of %s", key)
		}
		l.State(c, http.StateIdle)
		return c
	}
	first, second, third := idle("a"), idle("b"), idle("b")
	for _, step := range []struct {
		key  string
		want *limitedConn
	}{{"b", second}, {"b", third}, {"b", nil}, {"c", first}, {"c", nil}} {
		closing, ok := l.enter(&limitedConn{of: l, key: step.key})
		if closing != step.want || ok != (step.want != nil) {
			t.Errorf("a new one of %s: closes %v, %v", step.key, closing, ok)
		}
	}
}

// An address that opens connections again and again, though it has too many, is
// answered twenty times, and then neither answered nor waited for, until it has
// stopped. Another address is served as ever.
func TestRefusedConnectionsAreHeld(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := LimitConns(inner, nil)
	ln.maxAddress = 0
	now, later := time.Unix(1e9, 0), make(chan func(), maxHeld)
	var mu sync.Mutex
	ln.now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	ln.after = func(d time.Duration, f func()) {
		if d != refusalDelay {
			t.Errorf("held for %v", d)
		}
		later <- f
	}
	go func() {
		for {
			if _, err := ln.Accept(); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { ln.Close() })
	connect := func(ip string) (net.Conn, error) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
		c, err := d.Dial("tcp", inner.Addr().String())
		if err == nil {
			t.Cleanup(func() { c.Close() })
			c.SetDeadline(time.Now().Add(10 * time.Second)) // only reached on failure
		}
		return c, err
	}
	dial := func(ip string) net.Conn {
		t.Helper()
		c, err := connect(ip)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	refused := func(ip string) {
		t.Helper()
		if b, _ := io.ReadAll(dial(ip)); !strings.HasPrefix(string(b), "HTTP/1.1 503 ") {
			t.Fatalf("answered %q", b)
		}
	}
	for range maxRefusals {
		refused("127.0.0.1")
	}
	for range 3 {
		c := dial("127.0.0.1")
		(<-later)() // once the time is over
		if b, err := io.ReadAll(c); len(b) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("answered %q, %v", b, err)
		}
	}
	refused("127.0.0.2")
	ln.mu.Lock()
	ln.held += maxHeld
	ln.mu.Unlock()
	// It may be closed before the client knows that it was open.
	if c, err := connect("127.0.0.1"); err == nil {
		if b, err := io.ReadAll(c); len(b) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("when many are held: answered %q, %v", b, err)
		}
	} else if !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	if len(later) > 0 {
		t.Error("more are held than there may be")
	}
	mu.Lock()
	now = now.Add(refusalWindow)
	mu.Unlock()
	refused("127.0.0.1")
	if got := ln.manner(""); got != answer {
		t.Errorf("a trusted proxy is refused in the manner %d", got)
	}
}

// Connections that wait for requests keep nobody out: the one that has waited longest
// is closed for a new one, of the same address if that has too many. One in use is
// not closed, and neither is one that was opened just now.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := LimitConns(inner, nil)
	ln.max = 3
	var mu sync.Mutex
	now := time.Unix(1e9, 0)
	ln.now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	states := make(chan http.ConnState, 100)
	held, release := make(chan struct{}), make(chan struct{})
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/held" {
				held <- struct{}{}
				<-release
			}
			io.WriteString(w, "served")
		}),
		ConnState: func(c net.Conn, s http.ConnState) { ln.State(c, s); states <- s },
	}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	dial := func(request string) net.Conn { return dialTo(t, inner, request) }
	status := func(c net.Conn) string {
		b := make([]byte, 12)
		if _, err := io.ReadFull(c, b); err != nil {
			return "closed"
		}
		return string(b[9:])
	}
	until := func(want http.ConnState) {
		for s := range states {
			if s == want {
				return
			}
		}
	}
	const get, getHeld = "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /held HTTP/1.1\r\nHost: x\r\n\r\n"
	var idle []net.Conn
	for range 2 {
		c := dial(get)
		if got := status(c); got != "200" {
			t.Fatal(got)
		}
		until(http.StateIdle)
		idle = append(idle, c)
	}
	hold := func() net.Conn {
		c := dial(getHeld)
		select {
		case <-held:
		case <-time.After(10 * time.Second): // only reached on failure
			t.Fatalf("a new connection is answered with %s", status(c))
		}
		return c
	}
	used := hold()
	for n := range 2 { // each takes the place of the one that has waited longest
		hold()
		rest, _ := io.ReadAll(idle[n])
		if !strings.HasSuffix(string(rest), "served") {
			t.Errorf("the idle connection %d was sent %q", n, rest)
		}
	}
	if got := status(dial(get)); got != "503" {
		t.Errorf("while all are in use: %s", got)
	}
	close(release)
	if got := status(used); got != "200" {
		t.Errorf("the one in use: %s", got)
	}
	for range 3 {
		until(http.StateIdle)
	}
	for range 3 { // silent ones in place of the idle ones
		dial("")
		until(http.StateNew)
	}
	if got := status(dial(get)); got != "503" {
		t.Errorf("while all were opened just now: %s", got)
	}
	mu.Lock()
	now = now.Add(slowAfter)
	mu.Unlock()
	if got := status(dial(get)); got != "200" {
		t.Errorf("a second later: %s", got)
	}
}

// However many connections some addresses have, others get some: the fewer are left,
// the fewer an address may have. Those that wait for a request are as good as free.
func TestAnAddressLeavesConnections(t *testing.T) {
	l := LimitConns(nil, nil)
	enter := func(key string) *limitedConn {
		c := &limitedConn{of: l, key: key}
		if closing, ok := l.enter(c); closing != nil || !ok {
			return nil
		}
		return c
	}
	const attackers = 26
	for range MaxAddressConns {
		for a := range attackers {
			enter(fmt.Sprint(a))
		}
	}
	for n := range 1000 {
		if enter(fmt.Sprintf("newcomer %d", n)) == nil {
			t.Fatalf("after %d newcomers there is no connection for another", n)
		}
	}

	l = LimitConns(nil, nil)
	for n := range l.max {
		l.State(enter(fmt.Sprint(n)), http.StateIdle)
	}
	for n := range MaxAddressConns {
		if _, ok := l.enter(&limitedConn{of: l, key: "busy"}); !ok {
			t.Fatalf("beside idle connections an address gets %d", n)
		}
	}
}

// When all connections are in use, the one whose body has been the slowest to arrive
// for a second is closed for a new one, whether or not the body is read.
func TestSlowBodiesMakeRoom(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := LimitConns(inner, nil)
	ln.max = 4
	var mu sync.Mutex
	now := time.Unix(1e9, 0)
	ln.now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	begun, release := make(chan struct{}), make(chan struct{})
	h := newStack(t, Config{}).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/read":
			begun <- struct{}{}
			io.ReadAll(r.Body)
		case "/first": // byte
			r.Body.Read(make([]byte, 1))
			begun <- struct{}{}
			io.ReadAll(r.Body)
		case "/unread":
			begun <- struct{}{}
		case "/whole":
			io.ReadAll(r.Body)
			begun <- struct{}{}
			<-release
		}
		io.WriteString(w, "served")
	}), failPlain)
	srv := &http.Server{Handler: h, ConnState: ln.State, ConnContext: ln.Context}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	dial := func(address, request string) net.Conn { return dialFrom(t, address, inner, request) }
	post := func(n int, path, body string) net.Conn {
		c := dial(fmt.Sprintf("127.0.0.%d", n), "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n"+body)
		<-begun
		return c
	}
	get := func(n int) string {
		b, _ := io.ReadAll(dial(fmt.Sprintf("127.0.0.%d", n), "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
		return string(b[9:12])
	}
	whole := post(2, "/whole", strings.Repeat("x", 200_000))
	slow := []net.Conn{post(3, "/read", ""), post(4, "/unread", ""), post(5, "/first", "x")}
	if got := get(6); got != "503" {
		t.Errorf("when all bodies have just begun: %s", got)
	}
	mu.Lock()
	now = now.Add(slowAfter)
	mu.Unlock()
	for n := range slow {
		if got := get(6 + n); got != "200" {
			t.Fatalf("a second later newcomer %d gets %s", n, got)
		}
		held := dial("127.0.0.20", "")
		t.Cleanup(func() { held.Close() })
	}
	if got := get(9); got != "503" {
		t.Errorf("when no body is slow: %s", got)
	}
	for n, c := range slow {
		if b, _ := io.ReadAll(c); strings.Contains(string(b), "200 OK") {
			t.Errorf("the slow body %d was answered: %q", n, b)
		}
	}
	close(release)
	b := make([]byte, 12)
	if io.ReadFull(whole, b); string(b[9:]) != "200" {
		t.Errorf("the one whose body had arrived: %q", b)
	}
}

// dialTo opens a connection to ln and sends the request.
func dialTo(t *testing.T, ln net.Listener, request string) net.Conn {
	t.Helper()
	return dialFrom(t, "127.0.0.1", ln, request)
}

// dialFrom is dialTo from one of the addresses of this machine.
func dialFrom(t *testing.T, address string, ln net.Listener, request string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c, err := d.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second)) // only reached on failure
	io.WriteString(c, request)
	return c
}

// Connections without a request do not hold up the stop of a server, but one whose
// request is being answered does.
func TestCloseNew(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := LimitConns(inner, nil)
	fresh, begun, release := make(chan struct{}, 3), make(chan struct{}), make(chan struct{})
	srv := &http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(begun); <-release }),
		ConnState: func(c net.Conn, s http.ConnState) {
			if ln.State(c, s); s == http.StateNew {
				fresh <- struct{}{}
			}
		},
	}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	dial := func(request string) net.Conn {
		c := dialTo(t, inner, request)
		<-fresh
		return c
	}
	silent, half, used := dial(""), dial("GET / HTTP/1.1\r\n"), dial("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-begun
	srv.RegisterOnShutdown(ln.CloseNew)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // below the 5 seconds after which net/http closes new ones
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Shutdown(ctx) }()
	for _, c := range []net.Conn{silent, half} {
		if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("without a request: %d, %v", n, err)
		}
	}
	close(release)
	if b, err := io.ReadAll(used); err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 200") {
		t.Errorf("the request that had begun: %q, %v", b, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
