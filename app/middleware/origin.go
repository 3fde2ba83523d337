package middleware

import (
	"net/http"
	"net/url"
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
	if r.Header.Get("Authorization") != "" || s.origin.Check(r) == nil {
		return nil
	}
	return errCrossOrigin
}
