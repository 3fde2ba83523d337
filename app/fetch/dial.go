// Package fetch opens all connections to other machines. It checks every address when it connects, because users
// choose some of them.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// ErrBlocked is wrapped by the error of a connection to an address that is not on the public internet.
var ErrBlocked = errors.New("address is not on the public internet")

// Dialer opens TCP connections to the public internet and to addresses that are allowed explicitly. It is safe for
// concurrent use.
type Dialer struct {
	names   map[string]bool
	allow   []netip.Prefix
	guard   *ssrf.Guardian
	guarded net.Dialer
	open    net.Dialer
}

// NewDialer returns a Dialer that also connects to allow: host names, IP addresses and prefixes such as 10.0.0.0/8.
// An allowed host name may resolve to any address.
func NewDialer(allow []string) (*Dialer, error) {
	d := &Dialer{names: map[string]bool{}, open: net.Dialer{Timeout: 10 * time.Second}}
	var v4, v6 []netip.Prefix
	for _, a := range allow {
		if a = strings.TrimSpace(a); a == "" {
			continue
		}
		p, err := ParsePrefix(a)
		switch {
		case err == nil && p.Addr().Is4():
			v4 = append(v4, p)
		case err == nil:
			v6 = append(v6, p)
		case strings.ContainsAny(a, "/:@ "):
			return nil, fmt.Errorf("%q is not a host name, an IP address or a prefix such as 10.0.0.0/8", a)
		default:
			d.names[foldHost(a)] = true
		}
	}
	d.allow = slices.Concat(v4, v6)
	d.guard = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	d.guarded = d.open
	d.guarded.Control = d.guard.Safe
	return d, nil
}

// DialContext connects to addr ("host:port"). It returns ErrBlocked if the address is not allowed. It checks the
// resolved address of the connection, so that a name cannot resolve to another address after the check.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if d.names[foldHost(host)] {
		return d.open.DialContext(ctx, network, addr)
	}
	conn, err := d.guarded.DialContext(ctx, network, addr)
	if errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) {
		return nil, fmt.Errorf("%s: %w (to allow it, add it to --allow-net)", host, ErrBlocked)
	}
	return conn, err
}

func (d *Dialer) allowed(ip netip.Addr) bool {
	return d.names[ip.String()] || d.guard.SafeAddr(ip.Unmap()) == nil
}

// named reports whether a host, not one that it resolves to, is allowed explicitly.
func (d *Dialer) named(host string) bool {
	ip, err := netip.ParseAddr(host)
	return d.names[foldHost(host)] || err == nil && slices.ContainsFunc(d.allow, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}

func foldHost(h string) string { return strings.ToLower(strings.TrimSuffix(h, ".")) }
