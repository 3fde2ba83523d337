package mcp

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/store"
)

const (
	sessionTimeout = 10 * time.Minute
	writeTimeout   = 10 * time.Second // for a client to read a message of a stream

	sessionless   = "2026-07-28" // the first revision without sessions
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// The SDK has one handler for the revision without sessions and one for the others. Both serve the same tools.
func (s *Server) openHTTP() {
	if s.cfg.Stack == nil {
		return
	}
	server := func(*http.Request) *mcp.Server { return s.sdk }
	// A server behind a proxy is addressed by its public name over a loopback connection; checkHost does this check
	// by name.
	s.stateless = mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxBody,
	})
	s.stateful = mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		SessionTimeout: sessionTimeout, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxBody,
	})
	s.serve = s.cfg.Stack.Handler(http.HandlerFunc(s.handle), func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) })
}

// ServeHTTP implements http.Handler for requests to Path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve.ServeHTTP(w, r) }

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	rec := middleware.RecorderOf(w)
	rec.Op = "MCP"
	w.Header().Set("Cache-Control", "no-store")
	if err := s.checkHost(r); err != nil {
		fail(w, err)
		return
	}
	// Cookies do not count here: no page of a browser calls this endpoint.
	r = r.Clone(r.Context())
	r.Header.Del("Cookie")
	r.Header.Set(clientHeader, s.cfg.Stack.Client(r))
	v, err := s.cfg.Auth.Caller(r)
	var m message
	if err == nil {
		rec.Viewer = v
		m, err = readMessage(w, r)
	}
	stream := r.Method == http.MethodGet || m.Method == listen
	if err == nil && r.Method == http.MethodPost && !stream {
		err = rec.Enter()
	}
	if err != nil {
		fail(w, err)
		return
	}
	if stream {
		v.IP = s.cfg.Stack.Client(r)
		ctx, end, err := s.hold(r.Context(), v)
		if err != nil {
			fail(w, err)
			return
		}
		defer end()
		r = r.WithContext(ctx)
	}
	if t, ok := s.tools[m.Name]; ok && m.Method == "tools/call" {
		rec.Op = "MCP " + t.Name
	}
	h := ofAccount(v, s.revision(r, m, v))
	if r.Method == http.MethodPost {
		var end func()
		r, end = s.exchange(rec.ID, r, m)
		defer end()
	}
	h.ServeHTTP(&streamWriter{ResponseWriter: w, rc: http.NewResponseController(w)}, r)
}

// Without a session, older revisions are served message by message.
func (s *Server) revision(r *http.Request, m message, by store.Viewer) http.Handler {
	version := max(r.Header.Get(versionHeader), m.Version)
	switch {
	case r.Header.Get(sessionHeader) != "" && version < sessionless:
		return s.stateful
	case r.Method == http.MethodPost && m.Method == "initialize" && version < sessionless:
		return s.withSession(s.cfg.Stack.Client(r), by)
	case r.Method == http.MethodPost:
		return s.stateless
	}
	return s.stateful
}

// checkHost prevents DNS rebinding: a page of another site may resolve its name to this server.
func (s *Server) checkHost(r *http.Request) error {
	if !s.ownHost(r.Host) {
		return core.New(core.Forbidden, "wrong_host", "This server is not known by that name. Use %s%s.", s.cfg.BaseURL, Path)
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || !s.ownHost(u.Host) {
		return core.New(core.Forbidden, "cross_origin", "This request came from a page of another site, which cannot use this endpoint.")
	}
	return nil
}

// An IP address is accepted, because it cannot be another site's name.
func (s *Server) ownHost(host string) bool {
	host = strings.ToLower(host)
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return s.hosts[host] || s.hosts[name] || name == "localhost" || err == nil
}

func fail(w http.ResponseWriter, err error) {
	if rec := middleware.RecorderOf(w); rec != nil && rec.Answered() {
		rec.Err = err
		return
	}
	e := middleware.ErrorOf(w, err)
	status, id := middleware.Status(e.Kind), ""
	switch rec := middleware.RecorderOf(w); {
	case status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case status == http.StatusInternalServerError && rec != nil:
		id = rec.ID
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(errorBody(e.Msg, e.Code, id))
}

// streamWriter sets a write deadline per message: the response as a whole has none. It also gives plain-text errors
// of the SDK the JSON form.
type streamWriter struct {
	http.ResponseWriter
	rc      *http.ResponseController
	begun   bool
	refused int // the status of an error until its text is written
}

func (w *streamWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.Header().Set("Content-Type", "application/json")
		w.refused = status
		return
	}
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *streamWriter) Write(b []byte) (int, error) {
	if status := w.refused; status != 0 {
		w.refused = 0
		if status >= http.StatusInternalServerError {
			fail(w.ResponseWriter, fmt.Errorf("mcp: the SDK answered %d: %s", status, bytes.TrimSpace(b)))
			return len(b), nil
		}
		w.WriteHeader(status)
		_, err := w.Write(refusalOf(string(b)))
		return len(b), err
	}
	w.extend()
	return w.ResponseWriter.Write(b)
}

func (w *streamWriter) FlushError() error {
	w.extend()
	return w.rc.Flush()
}

func (w *streamWriter) Flush() { _ = w.FlushError() }

func (w *streamWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *streamWriter) extend() {
	if !w.begun {
		w.begun = true
		w.Header().Set("Cache-Control", "no-store, no-transform")
	}
	_ = w.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
}
