package api

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/store"
)

// register panics if the path is not valid or another route has it.
func (h *Handler) register(e *endpoint) {
	e.params = pathParams(e.Path)
	pattern := e.Method + " " + e.Path
	h.mux.HandleFunc(pattern, e.serve)
	h.streams[pattern] = e.IsEventStream()
	methods := []string{e.Method}
	if e.Method == http.MethodGet {
		methods = append(methods, http.MethodHead)
	}
	for _, m := range methods {
		if !slices.Contains(h.methods, m) {
			h.methods = append(h.methods, m)
		}
	}
}

// pathParams returns id and number for /a/{id}/{number}.
func pathParams(path string) (names []string) {
	for _, segment := range strings.Split(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// allowed returns the methods that the path of r has routes for.
func (h *Handler) allowed(r *http.Request) (methods []string) {
	probe := *r
	for _, probe.Method = range h.methods {
		_, pattern := h.mux.Handler(&probe)
		if stream := h.streams[pattern] && probe.Method == http.MethodHead; pattern != "/" && !stream {
			methods = append(methods, probe.Method)
		}
	}
	return methods
}

func (h *Handler) route(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if !plainPath(r) {
		middleware.FailJSON(w, core.ErrNotFound)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// unmatched answers a request without a route.
func (h *Handler) unmatched(w http.ResponseWriter, r *http.Request) {
	if methods := h.allowed(r); len(methods) > 0 {
		refuseMethod(w, methods...)
		return
	}
	middleware.FailJSON(w, core.ErrNotFound)
}

func refuseMethod(w http.ResponseWriter, allowed ...string) {
	allow := strings.Join(allowed, ", ")
	w.Header().Set("Allow", allow)
	middleware.SendError(w, http.StatusMethodNotAllowed, core.New(core.Invalid, "method_not_allowed", "This address supports %s.", allow))
}

// plainPath reports whether all software reads the path alike: an escaped slash could be taken for a separator.
func plainPath(r *http.Request) bool {
	p := r.URL.Path
	return path.Clean(p) == p && utf8.ValidString(p) && !strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") &&
		!strings.ContainsFunc(p, func(r rune) bool { return r < 0x20 || r == 0x7f })
}

// A value that cannot be an identifier gets the same answer as an unknown identifier.
func (e *endpoint) checkPath(r *http.Request) error {
	for _, name := range e.params {
		if value := r.PathValue(name); value == "" || isID(name) && !store.ValidID(value) {
			return core.ErrNotFound
		}
	}
	return nil
}

func isID(name string) bool {
	return name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_id")
}
