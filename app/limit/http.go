package limit

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

const (
	// MaxConns and AddressConns limit the connections of the server and of one address.
	MaxConns     = 4096
	AddressConns = 160
	// MaxRequests and AddressRequests limit the requests in work, without streams. A request counts between
	// its body and its response.
	MaxRequests     = 512
	AddressRequests = 128
	// MaxBody is the limit of a body. Uploads and imports have their own.
	MaxBody = 256 << 10
	// BodyMemory and ResponseMemory limit the memory of bodies over SmallBody and of responses over
	// SmallResponse.
	BodyMemory     = 64 << 20
	ResponseMemory = 64 << 20
	SmallBody      = 16 << 10
	SmallResponse  = 64 << 10
	// MaxExports is the limit of concurrent exports.
	MaxExports = 16
	// MinRate is the slowest transfer in bytes a second, after the first seconds.
	MinRate = 8 << 10

	HeaderTime = 5 * time.Second  // for a request without its body
	IdleTime   = 60 * time.Second // between two requests of a connection
	BodyTime   = 10 * time.Second // for the first bytes of a body
	UploadTime = 60 * time.Second // for the first bytes of a file
	SendTime   = 10 * time.Second // for a part of a response

	maxHeader = 16 << 10
	// sendBuffer limits the system's buffer for a slow client.
	sendBuffer = 256 << 10
)

// Server returns a server with timeouts for headers and idle connections. Package middleware has the timeouts
// of bodies and responses, because streams have none.
func Server(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: HeaderTime, IdleTimeout: IdleTime, MaxHeaderBytes: maxHeader}
}

// HTTP has the slots for the requests of a server.
type HTTP struct {
	Work              *Slots
	Bodies, Responses *Gate
	Exports           *Gate
}

// NewHTTP returns free slots.
func NewHTTP() *HTTP {
	return &HTTP{
		Work:      NewSlots(MaxRequests, AddressRequests),
		Bodies:    NewGate(BodyMemory, 2*time.Second, busy),
		Responses: NewGate(ResponseMemory, 0, busy),
		Exports:   NewGate(MaxExports, 0, "Many exports are being downloaded. Try again in a few seconds."),
	}
}

const busy = "The server is busy. Try again in a few seconds."

// ErrBusy refuses a request if no slot is free.
var ErrBusy = Busy(busy)

// Listen limits connections to MaxConns, and to AddressConns for one address. Further connections of an
// address get 503; others wait. Connections of trusted proxies do not count.
func Listen(ln net.Listener, trusted []netip.Prefix) net.Listener {
	return netutil.LimitListener(&listener{ln, trusted, NewSlots(MaxConns, AddressConns)}, MaxConns)
}

type listener struct {
	net.Listener
	trusted []netip.Prefix
	conns   *Slots
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetWriteBuffer(sendBuffer)
		}
		key, counted := l.key(c.RemoteAddr())
		switch {
		case !counted:
			return c, nil
		case l.conns.Take(key):
			return &conn{Conn: c, free: sync.OnceFunc(func() { l.conns.Free(key) })}, nil
		}
		refuse(c)
	}
}

func (l *listener) key(addr net.Addr) (key string, counted bool) {
	ap, _ := netip.ParseAddrPort(addr.String())
	ip := ap.Addr().Unmap().WithZone("")
	return AddressKey(ip), !slices.ContainsFunc(l.trusted, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// refuse does not read. The text fits into the system's buffer.
func refuse(c net.Conn) {
	const text = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Type: text/plain; " +
		"charset=utf-8\r\nContent-Length: 49\r\n\r\nToo many connections are open from your address.\n"
	_ = c.SetDeadline(time.Now().Add(100 * time.Millisecond))
	_, _ = c.Write([]byte(text))
	_ = c.Close()
}

type conn struct {
	net.Conn
	free func()
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.free()
	return c.Conn.Close()
}
