package middleware

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// originsOf returns a check that accepts the server's own origin and the base URLs. Browsers send the cookie
// also with requests of foreign pages, so these are refused, and there is no CORS. Other programs use a
// bearer token.
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

// checkOrigin permits a request with an Authorization header, because it does not rely on a cookie.
func (s *Stack) checkOrigin(r *http.Request) error {
	if r.Header.Get("Authorization") != "" {
		return nil
	}
	unsafe := r.Method != http.MethodGet && r.Method != http.MethodHead
	if s.origin.Check(r) != nil || unsafe && r.Header.Get("Origin") == "null" { // whatever Sec-Fetch-Site says
		return errCrossOrigin
	}
	if origin, err := url.Parse(r.Header.Get("Origin")); err != nil || origin.Host != "" && !s.KnownHost(origin.Host) {
		return errUnknownHost
	}
	return nil
}

// KnownHost reports whether a host is a base URL's, an address or this machine's name. The owner of any other
// name may point it to the server, and then their page has the server's origin. An address cannot be pointed
// elsewhere.
func (s *Stack) KnownHost(host string) bool {
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

func hostsOf(baseURLs []string) (hosts []string) {
	for _, base := range baseURLs {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
