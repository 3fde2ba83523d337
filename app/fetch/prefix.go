package fetch

import "net/netip"

// ParsePrefix parses a prefix such as 10.0.0.0/8, or an IP address as the
// prefix of that address alone. Bits after the prefix are cleared.
func ParsePrefix(s string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(ip, ip.BitLen()).Masked(), nil
	}
	p, err := netip.ParsePrefix(s)
	return p.Masked(), err
}
