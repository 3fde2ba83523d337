package middleware

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// originsOf returns the check that accepts the origin a request is sent to and
// those of the base URLs.
//
// A browser sends the visitor's cookie with requests of foreign pages, so these
// are refused. There is no CORS for the same reason; programs elsewhere use a
// bearer token, which no browser adds by itself.
func originsOf(baseURLs []string) (*http.CrossOriginProtection, error) {
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
	return p, nil
}

// checkOrigin returns nil if r may be served. A request with an Authorization
// header does not rely on a cookie and passes.
func (s *Stack) checkOrigin(r *http.Request) error {
	if r.Header.Get("Authorization") != "" {
		return nil
	}
	if s.origin.Check(r) != nil {
		return errCrossOrigin
	}
	if origin, err := url.Parse(r.Header.Get("Origin")); err != nil || origin.Host != "" && !s.knownHost(origin.Host) {
		return errUnknownHost
	}
	return nil
}

// knownHost reports whether a host, with its port, is one under which the server is
// meant to be reached: that of a base URL, an address, or this machine's own name.
// The owner of any other name can have it point to the server, and then a page of
// theirs has the same origin as the server: its requests name its own host in both
// Origin and Host. An address cannot be taken over like that.
func (s *Stack) knownHost(host string) bool {
	if len(s.hosts) == 0 || slices.ContainsFunc(s.hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	name = strings.ToLower(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// hostsOf returns the hosts of the base URLs.
func hostsOf(baseURLs []string) (hosts []string) {
	for _, base := range baseURLs {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
