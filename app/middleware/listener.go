package middleware

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// MaxConns and MaxAddressConns are how many connections a server has at once,
	// and how many of them one address may have.
	MaxConns        = 4096
	MaxAddressConns = 256
	// sendBuffer bounds what the system keeps of a response that its client does
	// not take.
	sendBuffer = 256 << 10
)

// LimitConns returns ln with at most MaxConns connections open, and at most
// MaxAddressConns from each address that is not of a trusted proxy. Others are
// answered with 503 and closed.
func LimitConns(ln net.Listener, trusted []netip.Prefix) net.Listener {
	return &limited{Listener: ln, trusted: trusted, max: MaxConns, maxAddress: MaxAddressConns, open: map[string]int{}}
}

type limited struct {
	net.Listener
	trusted         []netip.Prefix
	max, maxAddress int

	mu    sync.Mutex
	total int
	open  map[string]int
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		key := l.key(c)
		if !l.enter(key) {
			refuse(c)
			continue
		}
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetWriteBuffer(sendBuffer)
		}
		return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { l.leave(key) })}, nil
	}
}

// key returns under which address a connection counts; "" if it is a trusted
// proxy's, whose requests come from many.
func (l *limited) key(c net.Conn) string {
	ap, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return "unknown"
	}
	ip := ap.Addr().Unmap().WithZone("")
	if isIn(ip, l.trusted) {
		return ""
	}
	return IPKey(ip)
}

func (l *limited) enter(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.max || key != "" && l.open[key] >= l.maxAddress {
		return false
	}
	l.total++
	l.open[key]++
	return true
}

func (l *limited) leave(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.open[key]--; l.open[key] == 0 {
		delete(l.open, key)
	}
}

// refuse answers a connection without reading from it.
func refuse(c net.Conn) {
	const answer = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 49\r\n\r\nToo many connections are open from your address.\n"
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = c.Write([]byte(answer))
	_ = c.Close()
}

// limitedConn is a connection that counts until it is closed.
type limitedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
