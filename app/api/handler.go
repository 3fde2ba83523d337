package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"hearth/app/domain"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// Authenticator identifies the callers of requests, and records what keys are used for.
type Authenticator interface {
	// Caller returns Anonymous for a request without a credential, and Unauthenticated for an invalid one.
	Caller(r *http.Request) (store.Viewer, error)
	// BridgeCaller checks the shared secret of the peer service. It returns a Viewer of kind Bridge, Unavailable without
	// a bridge, or Unauthenticated.
	BridgeCaller(secret string) (store.Viewer, error)
	// Used reports that v did an operation, named by its summary, or failed to.
	Used(v store.Viewer, operation string, failed bool)
}

// Config configures a Handler.
type Config struct {
	Services domain.Services
	Auth     Authenticator
	Stack    *middleware.Stack // shared with the other transports
	Site     Site              // for the reference and the documents for agents
	Version  string            // for /health
}

// Handler serves the JSON API.
type Handler struct {
	mux     *http.ServeMux
	methods []string        // of the routes
	streams map[string]bool // patterns of event streams
	routes  []Route
	auth    Authenticator
	stack   *middleware.Stack
	base    string

	files *file.Store
	serve http.Handler // with middleware
}

// New returns a handler for the table Routes. An incomplete or conflicting route is an error.
func New(cfg Config) (*Handler, error) {
	m := newMeta(cfg.Version)
	m.files = cfg.Services.Files
	routes := routes(cfg.Services, m)
	h, err := newHandler(cfg, routes)
	if err != nil {
		return nil, err
	}
	m.describe(routes, cfg.Site)
	return h, nil
}

func newHandler(cfg Config, routes []Route) (*Handler, error) {
	h := &Handler{mux: http.NewServeMux(), streams: map[string]bool{}, routes: routes, auth: cfg.Auth, stack: cfg.Stack,
		base: cfg.Site.BaseURL, files: cfg.Services.Files}
	h.serve = cfg.Stack.Handler(http.HandlerFunc(h.route), func(w http.ResponseWriter, _ *http.Request, err error) {
		middleware.FailJSON(w, err)
	})
	h.mux.HandleFunc("/", h.unmatched)
	for _, row := range routes {
		e := &endpoint{Route: row, h: h}
		if err := e.prepare(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", row.Method, row.Path, err)
		}
		h.register(e)
	}
	return h, nil
}

// Routes returns the routes of the handler.
func (h *Handler) Routes() []Route { return h.routes }

// Owns reports whether this transport serves the path of r: a path of the table, with any method, or one below /api.
func (h *Handler) Owns(r *http.Request) bool {
	path := r.URL.Path
	return path == "/api" || strings.HasPrefix(path, "/api/") || plainPath(r) && len(h.allowed(r)) > 0
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve.ServeHTTP(w, r) }

type endpoint struct {
	Route
	h      *Handler
	params []string
	in     input
	takes  string // the content type of the request unless it is JSON, or ""
}

func (e *endpoint) prepare() error {
	info := e.Op.Info()
	switch {
	case e.Status/100 != 2:
		return errors.New("the route has no success status")
	case e.makes() && e.Status != http.StatusCreated:
		return errors.New("the route needs the status 201, because its operation may make something")
	case info.Hints.Has(op.ReadOnly) != safe(e.Method):
		return errors.New("read-only operations must use GET, and all others must not")
	}
	if e.takes = e.requestType(); e.operation() != nil {
		e.in = newInput(info.Plan)
	}
	return nil
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
