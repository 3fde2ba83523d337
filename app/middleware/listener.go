package middleware

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// MaxConns and MaxAddressConns are how many connections a server has at once,
	// and how many of them one address may have: as many as requests and streams. Each
	// takes about 20 KiB of memory.
	MaxConns        = 4096
	MaxAddressConns = 160
	// maxHeld is how many connections at most are held before they are closed
	// without an answer.
	maxHeld = 512
	// sendBuffer bounds what the system keeps of a response that its client does
	// not take.
	sendBuffer = 256 << 10
)

// LimitConns returns ln with at most MaxConns connections open, and at most
// MaxAddressConns from each address that is not of a trusted proxy. When there are
// as many, the one that has waited longest for a request is closed in favour of a
// new one, so that idle connections keep nobody out. If all are in use, others are
// answered with 503 and closed; of an address that goes on after 20 of them within
// 10 seconds, each further one is closed a second later, without an answer: who tries
// again at once takes no time of the server. The server must report the states of its
// connections to State.
func LimitConns(ln net.Listener, trusted []netip.Prefix) *Conns {
	return &Conns{
		Listener: ln, trusted: trusted, max: MaxConns, maxAddress: MaxAddressConns, open: map[string]int{}, refused: map[string]*refusals{},
		now: time.Now, after: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
}

// Conns is a net.Listener with bounds; see LimitConns.
type Conns struct {
	net.Listener
	trusted         []netip.Prefix
	max, maxAddress int
	now             func() time.Time
	after           func(time.Duration, func())

	mu    sync.Mutex
	total int
	open  map[string]int
	idle  list.List // of *limitedConn, in the order in which they began to wait

	refused map[string]*refusals // by address, of the last seconds
	held    int                  // connections that are closed later
}

// refusals counts the connections of an address that were refused since a moment.
type refusals struct {
	n     int
	since time.Time
}

// Accept implements net.Listener.
func (l *Conns) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &limitedConn{Conn: inner, of: l, key: l.key(inner)}
		closing, ok := l.enter(c)
		if closing != nil {
			_ = closing.Conn.Close()
		}
		if !ok {
			l.refuse(inner, c.key)
			continue
		}
		if t, ok := inner.(*net.TCPConn); ok {
			_ = t.SetWriteBuffer(sendBuffer)
		}
		return c, nil
	}
}

// State is the ConnState of the http.Server that serves l.
func (l *Conns) State(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*limitedConn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy(c)
	if !c.left && (state == http.StateNew || state == http.StateIdle) {
		c.fresh, c.since = state == http.StateNew, l.now()
		c.waits = l.idle.PushBack(c)
	}
}

// busy takes a connection out of those that wait.
func (l *Conns) busy(c *limitedConn) {
	if c.waits != nil {
		l.idle.Remove(c.waits)
		c.waits = nil
	}
}

// key returns under which address a connection counts; "" if it is a trusted
// proxy's, whose requests come from many.
func (l *Conns) key(c net.Conn) string {
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

// enter counts a new connection. It reports false if there are too many, and
// otherwise returns the one that is to be closed for it, if any.
func (l *Conns) enter(c *limitedConn) (closing *limitedConn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case c.key != "" && l.open[c.key] >= l.maxAddress:
		closing = l.longestIdle(c.key)
	case l.total >= l.max:
		closing = l.longestIdle("")
	default:
		ok = true
	}
	if closing != nil {
		l.remove(closing)
		ok = true
	}
	if ok {
		l.total++
		l.open[c.key]++
	}
	return closing, ok
}

// longestIdle returns the connection, of an address if one is given, that has
// waited longest for a request; nil if there is none. A new one has slowAfter to
// send its first.
func (l *Conns) longestIdle(key string) *limitedConn {
	for e := l.idle.Front(); e != nil; e = e.Next() {
		c := e.Value.(*limitedConn)
		if (key == "" || c.key == key) && (!c.fresh || l.now().Sub(c.since) >= slowAfter) {
			return c
		}
	}
	return nil
}

func (l *Conns) leave(c *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
}

// remove ends the count of a connection.
func (l *Conns) remove(c *limitedConn) {
	l.busy(c)
	if c.left {
		return
	}
	c.left = true
	l.total--
	if l.open[c.key]--; l.open[c.key] == 0 {
		delete(l.open, c.key)
	}
}

// refuse closes a connection without reading from it: with an answer, or later
// without one if its address was refused again and again.
func (l *Conns) refuse(c net.Conn, key string) {
	switch l.manner(key) {
	case answer:
		const busy = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 49\r\n\r\nToo many connections are open from your address.\n"
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_, _ = c.Write([]byte(busy))
		_ = c.Close()
	case hold:
		l.after(refusalDelay, func() {
			drop(c)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.held--
		})
	case discard:
		drop(c)
	}
}

// How a connection is refused.
const (
	answer  = iota
	hold    // to be dropped later
	discard // now
)

// manner counts a refusal, and returns how a connection is refused. Those of a
// trusted proxy are of many clients, and always answered.
func (l *Conns) manner(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if key == "" {
		return answer
	}
	now, r := l.now(), l.refused[key]
	if r == nil {
		if len(l.refused) >= maxPaces {
			clear(l.refused)
		}
		r = &refusals{since: now}
		l.refused[key] = r
	}
	if now.Sub(r.since) >= refusalWindow {
		r.n, r.since = 0, now
	}
	switch r.n++; {
	case r.n <= maxRefusals:
		return answer
	case l.held < maxHeld:
		l.held++
		return hold
	}
	return discard
}

// drop closes a connection so that nothing of it stays in the system.
func drop(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

// limitedConn is a connection that counts until it is closed.
type limitedConn struct {
	net.Conn
	of  *Conns
	key string

	// The following are guarded by of.mu.
	left  bool          // it counts no more
	waits *list.Element // nil while it is in use
	fresh bool          // it has sent nothing yet
	since time.Time     // since when it waits
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.of.leave(c)
	return c.Conn.Close()
}
