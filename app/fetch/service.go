package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// NewService returns the address of a method, such as "audio/transcriptions", and a client for it. The
// OpenAI-compatible service at rawURL may have any address; other hosts are checked as by NewDialer. The client
// follows no redirect and uses no proxy. Errors name the setting flag.
func NewService(flag, rawURL, method string, allow []string) (address string, client *http.Client, err error) {
	u, err := url.Parse(rawURL)
	if err != nil || !IsWeb(u) || u.RawQuery != "" || u.Fragment != "" {
		return "", nil, fmt.Errorf("%s must be like https://models.example.org, not %q", flag, rawURL)
	}
	dialer, err := NewDialer(append([]string{u.Hostname()}, allow...))
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", flag, err)
	}
	address = strings.TrimSuffix(u.String(), "/")
	if !strings.HasSuffix(address, "/"+method) {
		address = strings.TrimSuffix(address, "/v1") + "/v1/" + method
	}
	return address, &http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 10 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
