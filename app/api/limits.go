package api

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"

	"hearth/app/core"
)

// gate bounds the requests in flight. Who finds it full is told at once:
// waiting would only make the queue longer.
type gate struct {
	max int64
	in  atomic.Int64
}

func newGate(limit int) *gate {
	if limit <= 0 {
		limit = 1024
	}
	return &gate{max: int64(limit)}
}

func (g *gate) enter() bool {
	if g.in.Add(1) > g.max {
		g.in.Add(-1)
		return false
	}
	return true
}

func (g *gate) leave() { g.in.Add(-1) }

// Enter takes a place among the requests in flight for a request that another
// door answers; leave gives it back. ok is false when all are taken.
func (h *Handler) Enter() (leave func(), ok bool) {
	if !h.gate.enter() {
		return nil, false
	}
	return h.gate.leave, true
}

// SameOrigin refuses requests that a browser makes for a page of somebody
// else: such a request carries the visitor's cookie without their wish. There
// is no CORS for the same reason; programs elsewhere use a bearer token, which
// no browser adds by itself.
type SameOrigin struct{ protection *http.CrossOriginProtection }

// NewSameOrigin accepts the origin a request came to and those of the given
// base URLs; empty ones are left out.
func NewSameOrigin(baseURLs ...string) (*SameOrigin, error) {
	p := http.NewCrossOriginProtection()
	for _, base := range baseURLs {
		if base == "" {
			continue
		}
		u, err := url.Parse(base)
		if err != nil {
			return nil, err
		}
		if err := p.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, err
		}
	}
	return &SameOrigin{p}, nil
}

// Check returns nil if r may be served, and else a Forbidden error. A request
// with an Authorization header is nobody's cookie and passes.
func (s *SameOrigin) Check(r *http.Request) error {
	if r.Header.Get("Authorization") != "" || s.protection.Check(r) == nil {
		return nil
	}
	return core.New(core.Forbidden, "cross_origin", "This came from a page of another site. Open this server's own page, or send a token as Authorization: Bearer <token>.")
}

// ClientIP returns the address a request came from. X-Forwarded-For counts
// only when the connection comes from a trusted proxy, and in it only what
// trusted proxies added: the last address that is not one of theirs.
func ClientIP(r *http.Request, trusted []netip.Prefix) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	ip := ap.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && isIn(ip, trusted); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		ip = hop.Unmap().WithZone("")
	}
	return ip
}

func isIn(ip netip.Addr, nets []netip.Prefix) bool {
	for _, n := range nets {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// IPKey is what quotas count by: an IPv4 address, or the /64 of an IPv6 one,
// since a household has all of it. "unknown" stands for no address.
func IPKey(ip netip.Addr) string {
	switch {
	case !ip.IsValid():
		return "unknown"
	case ip.Is4():
		return ip.String()
	}
	p, _ := ip.Prefix(64)
	return p.String()
}
