package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// Authenticator says who sends a request: Nobody if it shows no credential,
// and an Unauthenticated error if it shows one that is not valid.
type Authenticator interface {
	Caller(r *http.Request) (store.Viewer, error)
}

// BridgeAuthenticator checks the shared secret of the peer service: a Viewer
// of kind Bridge, Unavailable if no bridge is configured, or Unauthenticated.
// It is asked before anything else of the request is looked at.
type BridgeAuthenticator interface {
	BridgeCaller(secret string) (store.Viewer, error)
}

// Config is what the JSON door is made of.
type Config struct {
	Services      Services
	Auth          Authenticator // a BridgeAuthenticator too, if the table has a Bridge row
	BaseURL       string        // of this server: in the reference, and the origin pages call from
	LegacyBaseURL string        // a second host whose pages may call; "" for none
	Version       string        // what /health reports
	TrustedProxy  []netip.Prefix
	MaxInFlight   int // requests served at once, event streams apart; 1024
	Log           *slog.Logger
	Now           func() time.Time

	// Observe, if set, is told of every request once it is answered: the
	// operation's name, or "" if no row was found.
	Observe func(op string, status int, took time.Duration)
}

// Handler is the JSON door.
type Handler struct {
	router   *router
	routes   []Route
	auth     Authenticator
	bridge   BridgeAuthenticator
	baseURL  string // without a slash at the end
	origin   *SameOrigin
	trusted  []netip.Prefix
	gate     *gate
	bodyTime time.Duration
	sendTime time.Duration
	log      *slog.Logger
	now      func() time.Time
	observe  func(string, int, time.Duration)
}

// New returns the door with the table of Routes. It fails if a row is
// incomplete, or two rows cannot stand beside each other.
func New(cfg Config) (*Handler, error) {
	m := &meta{version: cfg.Version}
	cfg.Services.meta = m
	routes := Routes(cfg.Services)
	h, err := newHandler(cfg, routes)
	if err != nil {
		return nil, err
	}
	return h, m.describe(routes, cfg.BaseURL)
}

func newHandler(cfg Config, routes []Route) (*Handler, error) {
	origin, err := NewSameOrigin(cfg.BaseURL, cfg.LegacyBaseURL)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		router: newRouter(), routes: routes, auth: cfg.Auth, origin: origin, baseURL: strings.TrimSuffix(cfg.BaseURL, "/"), trusted: cfg.TrustedProxy,
		gate: newGate(cfg.MaxInFlight), bodyTime: bodyTime, sendTime: sendTime, log: cfg.Log, now: cfg.Now, observe: cfg.Observe,
	}
	h.bridge, _ = cfg.Auth.(BridgeAuthenticator)
	if h.log == nil {
		h.log = slog.Default()
	}
	if h.now == nil {
		h.now = time.Now
	}
	for _, row := range routes {
		e := &endpoint{Route: row, h: h}
		if err := errors.Join(h.router.add(e), e.prepare()); err != nil {
			return nil, fmt.Errorf("%s %s: %w", row.Method, row.Path, err)
		}
	}
	return h, nil
}

// Routes returns the table the door was made from.
func (h *Handler) Routes() []Route { return h.routes }

// Owns tells whether r is for this door: it has a row for the path, by
// whatever method, or the path is one that only the API could have. All else
// is for pages.
func (h *Handler) Owns(r *http.Request) bool {
	path := r.URL.Path
	if path == "/api" || strings.HasPrefix(path, "/api/") {
		return true
	}
	found, _, allow := h.router.find(r.Method, requestPath(r))
	return found != nil || len(allow) > 0
}

// ServeHTTP answers r, writes one line about it to the log, and turns a panic
// into a 500, or, after the first byte, into a broken connection.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := h.now()
	res := &response{ResponseWriter: w, id: rand.Text(), writeTime: h.sendTime}
	limitBody(w, r, h.bodyTime)
	defer func() {
		p := recover()
		if p != nil && p != http.ErrAbortHandler {
			h.log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request", res.id),
				slog.String("op", res.op), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			if res.status == 0 {
				Fail(res, fmt.Errorf("panic: %v", p))
				p = nil
			}
		}
		h.finish(r, res, h.now().Sub(start))
		if p != nil {
			panic(http.ErrAbortHandler)
		}
	}()
	h.serve(res, r)
}

func (h *Handler) serve(w *response, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	serve, params, allow := h.router.find(r.Method, requestPath(r))
	switch {
	case serve == nil && len(allow) == 0:
		Fail(w, core.ErrNotFound)
	case serve == nil:
		header.Set("Allow", strings.Join(allow, ", "))
		failWith(w, http.StatusMethodNotAllowed, core.New(core.Invalid, "method_not_allowed",
			"This address takes %s.", strings.Join(allow, ", ")))
	default:
		if err := h.origin.Check(r); err != nil {
			Fail(w, err)
			return
		}
		serve(w, r, params)
	}
}

// finish writes the line about a request: who did what with which outcome,
// and neither what was in it nor the address, which may hold a token.
func (h *Handler) finish(r *http.Request, res *response, took time.Duration) {
	status := res.status
	gone := r.Context().Err() != nil && errors.Is(res.err, context.Canceled)
	if status == 0 {
		status = http.StatusOK
	}
	if h.observe != nil {
		h.observe(res.op, status, took)
	}
	level := slog.LevelInfo
	switch {
	case gone:
	case status >= 500 && status != http.StatusServiceUnavailable:
		level = slog.LevelError
	case status >= 500:
		level = slog.LevelWarn
	}
	if !h.log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("op", res.op), slog.String("method", r.Method), slog.Int("status", status),
		slog.Duration("took", took), slog.String("kind", res.viewer.Kind.String()), slog.String("request", res.id),
	}
	if res.viewer.UserID != "" {
		attrs = append(attrs, slog.String("user", res.viewer.UserID))
	}
	if id := upstreamID(r); id != "" {
		attrs = append(attrs, slog.String("upstream", id))
	}
	if gone {
		attrs = append(attrs, slog.Bool("gone", true))
	} else if level >= slog.LevelWarn && res.err != nil {
		attrs = append(attrs, slog.String("error", res.err.Error()))
	}
	h.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// upstreamID returns the X-Request-Id that a proxy gave the request, if it is
// short and plain.
func upstreamID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.:", c)
	}
	if len(id) > 64 || strings.ContainsFunc(id, func(c rune) bool { return !plain(c) }) {
		return ""
	}
	return id
}

// bearer returns the token of r's Authorization header, or "".
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
