package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Options are the settings of a Client.
type Options struct {
	UserAgent string
	// Refuse lists hosts, with or without a port, that no request goes to: the server's own.
	Refuse []string
}

// Client makes HTTP requests to other servers through a Dialer. It uses no proxy, keeps no cookies, and verifies
// certificates. It is safe for concurrent use.
type Client struct {
	dialer    *Dialer
	transport *http.Transport
	userAgent string
	refuse    map[string]bool
}

// NewClient returns a Client that connects with d.
func NewClient(d *Dialer, opt Options) *Client {
	c := &Client{dialer: d, userAgent: opt.UserAgent, refuse: map[string]bool{}, transport: &http.Transport{
		Proxy:                  nil, // a proxy would connect to addresses that nobody has checked
		DialContext:            d.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}}
	for _, h := range opt.Refuse {
		c.refuse[foldHost(h)] = true
	}
	return c
}

// CloseIdleConnections closes the connections that no request uses.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

// Request is a request of a Client.
type Request struct {
	Method string // GET if ""
	URL    string
	Header http.Header
	Body   io.Reader // a *bytes.Reader and the like have a length, which is sent
	// Timeout bounds the whole request, from resolving the name to the end of the response's body. It must be
	// positive.
	Timeout time.Duration
	// Redirects is the maximum number of redirects to follow. Each address is checked like the first. With 0 the
	// redirect itself is the response.
	Redirects int
	// MaxBody is the maximum number of bytes to read of the response's body, after decompression. With 0 the response
	// has no Body, and only its status and header must arrive in time.
	MaxBody int64
}

// Response is the response to a Request.
type Response struct {
	Status    int
	Header    http.Header
	URL       *url.URL // of the last request, after redirects
	Body      []byte
	Truncated bool // the body is longer than MaxBody
}

// ErrRedirects is the error of a request with more redirects than it permits.
var ErrRedirects = errors.New("too many redirects")

// Do makes a request. It returns a response whatever its status is. The error wraps ErrURL or ErrBlocked if the
// request, or a redirect, goes to an address that is not allowed.
func (c *Client) Do(ctx context.Context, in Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, in.Timeout)
	defer cancel()
	u, err := c.check(in.URL)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, in.Method, u.String(), in.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	for k, v := range in.Header {
		req.Header[k] = v
	}
	req.Header.Set("User-Agent", c.userAgent)
	res, err := c.do(req, in.Redirects)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out := &Response{Status: res.StatusCode, Header: res.Header, URL: res.Request.URL}
	if in.MaxBody == 0 {
		drain(res)
		return out, nil
	}
	if out.Body, err = io.ReadAll(io.LimitReader(res.Body, in.MaxBody+1)); err != nil {
		return nil, err
	}
	if out.Truncated = int64(len(out.Body)) > in.MaxBody; out.Truncated {
		out.Body = out.Body[:in.MaxBody]
	}
	return out, nil
}

func (c *Client) do(req *http.Request, redirects int) (*http.Response, error) {
	if redirects == 0 {
		return c.transport.RoundTrip(req)
	}
	client := &http.Client{Transport: c.transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > redirects {
			return ErrRedirects
		}
		req.Header.Del("Referer")
		_, err := c.check(req.URL.String())
		return err
	}}
	return client.Do(req)
}

// A connection is used again only after its body was read.
func drain(res *http.Response) {
	if n := res.ContentLength; n >= 0 && n <= 4096 {
		io.Copy(io.Discard, res.Body) // a failure only costs the connection
	}
}

// CheckURL returns an error for an address that no request would be sent to. It is ErrURL, or ErrBlocked for an IP
// address that is not on the public internet. It does not resolve names.
func (c *Client) CheckURL(raw string) error {
	u, err := c.check(raw)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !c.dialer.allowed(ip) {
		return ErrBlocked
	}
	return nil
}

// CheckSecure is CheckURL for addresses that secrets go to: https, or http to a host that is allowed explicitly.
func (c *Client) CheckSecure(raw string) error {
	u, err := c.check(raw)
	if err == nil && u.Scheme != "https" && !c.dialer.named(u.Hostname()) {
		err = fmt.Errorf("%w: it does not start with https://", ErrURL)
	}
	if err != nil {
		return err
	}
	return c.CheckURL(raw)
}

func (c *Client) check(raw string) (*url.URL, error) {
	u, err := ParseURL(raw)
	if err == nil && c.refuses(u) {
		err = fmt.Errorf("%w: it is an address of this server", ErrURL)
	}
	return u, err
}

func (c *Client) refuses(u *url.URL) bool {
	host := foldHost(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return c.refuse[host] || c.refuse[host+":"+u.Port()]
}

// Timeout reports whether err means that a request took too long.
func Timeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// Unreachable reports whether err means that a name does not exist or an address is not on the public internet.
func Unreachable(err error) bool {
	var d *net.DNSError
	return errors.Is(err, ErrBlocked) || errors.As(err, &d) && !d.IsTimeout
}
