package middleware

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"hearth/app/core"
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
// MaxAddressConns from each address that is not of a trusted proxy; once half of them
// are in use, an address may have the fewer the fewer are left. When there are
// as many, the one that has waited longest for a request is closed in favour of a
// new one, or else the one whose body is the slowest to arrive (below 8 KiB a second), so that neither idle
// connections nor clients that do not go on keep anybody out. If all are in use, others are
// answered with 503 and closed; of an address that goes on after 20 of them within
// 10 seconds, each further one is closed a second later, without an answer: who tries
// again at once takes no time of the server. The server must report the states of its
// connections to State, and use Context.
func LimitConns(ln net.Listener, trusted []netip.Prefix) *Conns {
	l := &Conns{
		Listener: ln, trusted: trusted, max: MaxConns, maxAddress: MaxAddressConns, open: map[string]int{}, bodies: map[string]map[*limitedConn]struct{}{},
		now: time.Now, after: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
	l.refused.Max = maxPaces
	return l
}

// Conns is a net.Listener with bounds; see LimitConns.
type Conns struct {
	net.Listener
	trusted         []netip.Prefix
	max, maxAddress int
	now             func() time.Time
	after           func(time.Duration, func())

	mu     sync.Mutex
	total  int
	open   map[string]int
	idle   list.List                            // of *limitedConn, in the order in which they began to wait
	kept   int                                  // of idle, those that have had a request
	bodies map[string]map[*limitedConn]struct{} // that send a body, by address

	refused core.Recent[string, int] // by address, of the last seconds
	held    int                      // connections that are closed later
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
		if !c.fresh {
			l.kept++
		}
	}
}

// CloseNew closes the connections whose first request has not arrived whole. A server
// that stops would not answer it, but waits for it.
func (l *Conns) CloseNew() {
	for _, c := range l.fresh() {
		_ = c.Conn.Close()
	}
}

func (l *Conns) fresh() (conns []*limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.idle.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*limitedConn); c.fresh {
			conns = append(conns, c)
		}
	}
	return conns
}

// busy takes a connection out of those that wait for their clients.
func (l *Conns) busy(c *limitedConn) {
	l.bodyEnded(c)
	if c.waits == nil {
		return
	}
	l.idle.Remove(c.waits)
	c.waits = nil
	if !c.fresh {
		l.kept--
	}
}

type connKey struct{}

// Context is the ConnContext of the http.Server that serves l.
func (l *Conns) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// connOf returns the connection of a request, or nil if none counts.
func connOf(ctx context.Context) *limitedConn {
	c, _ := ctx.Value(connKey{}).(*limitedConn)
	return c
}

// awaitBody notes that the body of a request begins.
func (c *limitedConn) awaitBody() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if !c.left {
		c.since = c.of.now()
		c.moved.Store(0)
		if c.of.bodies[c.key] == nil {
			c.of.bodies[c.key] = map[*limitedConn]struct{}{}
		}
		c.of.bodies[c.key][c] = struct{}{}
	}
}

// bodyArrived notes that the body was read. The server reads what a handler leaves,
// which ends with the request.
func (c *limitedConn) bodyArrived() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.bodyEnded(c)
}

func (l *Conns) bodyEnded(c *limitedConn) {
	conns := l.bodies[c.key]
	if delete(conns, c); len(conns) == 0 {
		delete(l.bodies, c.key)
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
	case c.key != "" && l.open[c.key] >= l.perAddress():
		closing = l.givesWay(c.key)
	case l.total >= l.max:
		closing = l.givesWay("")
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

// perAddress returns how many connections an address may have at the moment. Those
// that are closed for new ones are free.
func (l *Conns) perAddress() int {
	n := share(int64(l.maxAddress), int64(l.max-l.total+l.kept), int64(l.max))
	return min(l.maxAddress, max(1, int(n)))
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

// givesWay returns the connection, of an address if one is given, that is closed for a
// new one; nil if there is none.
func (l *Conns) givesWay(key string) *limitedConn {
	if idle := l.longestIdle(key); idle != nil {
		return idle
	}
	return l.slowestBody(key)
}

// slowestBody returns the connection, of an address if one is given, whose body has
// been the slowest to arrive for slowAfter or more, below minRate; nil if there is
// none.
func (l *Conns) slowestBody(key string) *limitedConn {
	b := slowest{now: l.now(), rate: minRate}
	if key != "" {
		b.among(l.bodies[key])
		return b.conn
	}
	for _, conns := range l.bodies {
		b.among(conns)
	}
	return b.conn
}

// slowest is the connection that receives the least in a second.
type slowest struct {
	now  time.Time
	conn *limitedConn
	rate float64
}

func (b *slowest) among(conns map[*limitedConn]struct{}) {
	for c := range conns {
		took := b.now.Sub(c.since)
		if took < slowAfter {
			continue
		}
		if rate := float64(c.moved.Load()) / took.Seconds(); rate < b.rate || b.conn != nil && rate == b.rate && c.since.Before(b.conn.since) {
			b.conn, b.rate = c, rate
		}
	}
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
	now := l.now()
	r, until := l.refused.Get(key)
	if !until.After(now) {
		r, until = 0, now.Add(refusalWindow)
	}
	r++
	l.refused.Set(key, key, r, until, now)
	switch {
	case r <= maxRefusals:
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
	of    *Conns
	key   string
	moved atomic.Int64 // bytes of the body that the client has sent

	// The following are guarded by of.mu.
	left  bool          // it counts no more
	waits *list.Element // nil while it is in use
	fresh bool          // it has sent nothing yet
	since time.Time     // since when it waits, or its body is sent
}

// Read implements net.Conn.
func (c *limitedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.moved.Add(int64(n))
	return n, err
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.of.leave(c)
	return c.Conn.Close()
}
