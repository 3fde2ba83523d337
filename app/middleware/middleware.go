// Package middleware has what every HTTP transport of hearth shares: where a
// request comes from, which origins may send it, how many are in flight, how
// long a client may take, what is recorded and logged about it, and which
// status answers which error.
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

// strictTransport tells browsers to use https alone for a year. Other hosts of the
// domain are not the server's to decide about.
const strictTransport = "max-age=31536000"

// Config is what all transports of a server share.
type Config struct {
	BaseURLs     []string       // origins whose pages may send requests, that of links first; "" is left out
	TrustedProxy []netip.Prefix // whose X-Forwarded-For counts
	Rates        *limit.Limits  // what is sent counts as reads; nil counts nothing
	Log          *slog.Logger   // slog.Default()
	Now          func() time.Time
	// Observe, if set, is given every request once it is answered: the name of
	// its operation or page, "" if there is none.
	Observe func(op string, status int, took time.Duration)

	BodyTime, SendTime time.Duration // limit.BodyTime and limit.SendTime
}

// Stack is the middleware of one server. Its limits count the requests of all
// transports together.
type Stack struct {
	cfg    Config
	secure bool // browsers reach the server by https
	origin *http.CrossOriginProtection
	hosts  []string // of the base URLs
	limits *limit.HTTP
}

// New returns the stack. It fails if a base URL is not an origin.
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

// Fail answers a request with an error in the form of its transport, unless it
// is answered already.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// Handler wraps the handler of one transport. next is given a *Recorder as its
// ResponseWriter, reachable through RecorderOf. Requests of other sites, and
// panics before the first byte of the response, are answered by fail; after it
// the connection is broken, so that half a response is not taken for a whole.
func (s *Stack) Handler(next http.Handler, fail Fail) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.cfg.Now()
		rec := &Recorder{ResponseWriter: w, ID: rand.Text(), ctx: r.Context(), sendTime: s.cfg.SendTime, limits: s.limits, rates: s.cfg.Rates, address: s.Client(r)}
		r = r.WithContext(core.NoteSignIn(r.Context(), &rec.signedIn))
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

// errUnknownHost answers a request to a name that the server does not know as its own.
var errUnknownHost = core.New(core.Forbidden, "unknown_host", "This server does not know the name in the address bar as its own. Open its usual address, or have its administrator set --base-url to this one.")

// errCrossOrigin answers a request that a page of another site sent.
var errCrossOrigin = core.New(core.Forbidden, "cross_origin", "This request came from a page of another site. Use this server's own pages, or send a token as Authorization: Bearer <token>.")
