package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"hearth/app/limit"
)

// Client returns the address that r counts under.
func (s *Stack) Client(r *http.Request) string {
	return limit.AddressKey(ClientIP(r, s.cfg.TrustedProxy))
}

// ClientIP returns the address of the client. Behind a trusted proxy it is the last address in
// X-Forwarded-For that is not a trusted proxy.
func ClientIP(r *http.Request, trusted []netip.Prefix) netip.Addr {
	ip := peer(r)
	if !ip.IsValid() || len(trusted) == 0 {
		return ip
	}
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

func peer(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}

func isIn(ip netip.Addr, nets []netip.Prefix) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(ip) })
}
