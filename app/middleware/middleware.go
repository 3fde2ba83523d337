// Package middleware is shared by all HTTP transports: client addresses, origins, slots, timeouts, logs and
// the status of errors.
package middleware

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
)

// strictTransport requires https for a year. It excludes other hosts of the domain, which are not the
// server's.
const strictTransport = "max-age=31536000"

// Config is shared by all transports of a server.
type Config struct {
	BaseURLs     []string       // origins that may send requests, the origin of links first; "" is ignored
	TrustedProxy []netip.Prefix // proxies with a trusted X-Forwarded-For
	Rates        *limit.Limits  // responses count as reads; nil counts nothing
	Log          *slog.Logger   // slog.Default()
	Now          func() time.Time
	// Observe, if set, receives each answered request with its operation or page, or "".
	Observe func(op string, status int, took time.Duration)

	BodyTime, SendTime time.Duration // limit.BodyTime and limit.SendTime
}

// Stack is the middleware of one server. Its limits cover all transports together.
type Stack struct {
	cfg    Config
	secure bool // browsers use https
	origin *http.CrossOriginProtection
	hosts  []string
	limits *limit.HTTP
}

// New returns the stack. It returns an error for a base URL that is not an origin.
func New(cfg Config) (*Stack, error) {
	s := &Stack{cfg: cfg, hosts: hostsOf(cfg.BaseURLs), limits: limit.NewHTTP()}
	var err error
	if s.origin, err = originsOf(cfg.BaseURLs); err != nil {
		return nil, err
	}
	s.secure = len(cfg.BaseURLs) > 0 && strings.HasPrefix(cfg.BaseURLs[0], "https://")
	if s.cfg.Log == nil {
		s.cfg.Log = slog.Default()
	}
	if s.cfg.Now == nil {
		s.cfg.Now = time.Now
	}
	if s.cfg.BodyTime == 0 {
		s.cfg.BodyTime = limit.BodyTime
	}
	if s.cfg.SendTime == 0 {
		s.cfg.SendTime = limit.SendTime
	}
	return s, nil
}

// Fail answers a request with an error in its transport's format, unless the response has begun.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// Handler wraps a transport's handler. next receives a *Recorder, also through RecorderOf. fail answers
// foreign requests, and panics before the response. A later panic breaks the connection, so that no client
// takes half a response for a whole.
func (s *Stack) Handler(next http.Handler, fail Fail) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.cfg.Now()
		rec := &Recorder{ResponseWriter: w, ID: rand.Text(), ctx: r.Context(), sendTime: s.cfg.SendTime, limits: s.limits, rates: s.cfg.Rates,
			address: s.Client(r)}
		limitBody(rec, r, s.cfg.BodyTime)
		defer rec.release() // even if fail panics
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				s.cfg.Log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request", rec.ID),
					slog.String("op", rec.Op), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				if rec.status == 0 {
					fail(rec, r, fmt.Errorf("panic: %v", p))
					p = nil
				}
			}
			rec.release()
			s.finish(r, rec, s.cfg.Now().Sub(start))
			if p != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		rec.Header().Set("X-Content-Type-Options", "nosniff")
		if s.secure {
			rec.Header().Set("Strict-Transport-Security", strictTransport)
		}
		if err := s.checkOrigin(r); err != nil {
			fail(rec, r, err)
			return
		}
		next.ServeHTTP(rec, r)
	})
}

var errUnknownHost = core.New(core.Forbidden, "unknown_host",
	"This server does not know the name in the address bar as its own. Open its usual address, or have its administrator set --base-url to "+
		"this one.")

var errCrossOrigin = core.New(core.Forbidden, "cross_origin",
	"This request came from a page of another site. Use this server's own pages, or send a token as Authorization: Bearer <token>.")
