package mcp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/middleware"
	"hearth/store"
)

const (
	maxBody        = limit.MaxBody
	sessionTimeout = 10 * time.Minute
	listen         = "subscriptions/listen" // the method with a stream as its response
	sessionless    = "2026-07-28"           // the first revision without sessions
	versionHeader  = "Mcp-Protocol-Version"
)

// The SDK has one handler for the revision without sessions and one for the others. Both serve the same tools.
func (s *Server) openHTTP() {
	if s.cfg.Stack == nil {
		return
	}
	handler := func(stateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
			Stateless: stateless, SessionTimeout: sessionTimeout, PropagateRequestCancellation: true,
			// A server behind a proxy is addressed by its public name over a loopback connection; checkHost does this
			// check by name.
			DisableLocalhostProtection: true,
		})
	}
	s.stateless, s.stateful = handler(true), handler(false)
	s.serve = s.cfg.Stack.Handler(http.HandlerFunc(s.handle), func(w http.ResponseWriter, _ *http.Request, err error) {
		middleware.FailJSON(w, err)
	})
}

// ServeHTTP implements http.Handler for requests to Path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve.ServeHTTP(w, r) }

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	// Cookies do not count here: no page of a browser calls this endpoint.
	r = r.Clone(r.Context())
	r.Header.Del("Cookie")
	if err := s.admit(w, r); err != nil {
		middleware.FailJSON(w, err)
	}
}

// admit serves a request that is permitted, and returns an error for others.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) error {
	rec := middleware.RecorderOf(w)
	rec.Op = "MCP"
	if err := s.checkHost(r); err != nil {
		return err
	}
	v, err := s.cfg.Auth.Caller(r)
	if err != nil {
		return err
	}
	method, tool, err := readMessage(w, r)
	if err != nil {
		return err
	}
	rec.Viewer = v
	v.IP = s.cfg.Stack.Client(r)
	if t, ok := s.tools[tool]; ok {
		rec.Op = "MCP " + t.Name
	}
	if r.Method == http.MethodGet || method == listen {
		done, free, err := s.cfg.Hold(r.Context(), v)
		if err != nil {
			return err
		}
		defer free()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() {
			select {
			case <-done:
				cancel()
			case <-ctx.Done():
			}
		}()
		r = r.WithContext(ctx)
	}
	if err := rec.Enter(); err != nil {
		return err
	}
	rec.Unkept = true // the SDK permits caches to keep it
	as(v, s.revision(r, method)).ServeHTTP(w, r)
	return nil
}

// Without a session, older revisions are served message by message.
func (s *Server) revision(r *http.Request, method string) http.Handler {
	old := r.Header.Get(versionHeader) < sessionless
	if r.Method != http.MethodPost || old && (r.Header.Get("Mcp-Session-Id") != "" || method == "initialize") {
		return s.stateful
	}
	return s.stateless
}

// as gives the SDK the caller, which connection reads. It binds new sessions to the caller's account, so that nobody
// else can use or end them by their ids.
func as(v store.Viewer, h http.Handler) http.Handler {
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: cmp.Or(v.UserID, "nobody"), Extra: map[string]any{viewerKey: v}}, nil
	}
	h = auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer checked") // the SDK requires one
		h.ServeHTTP(w, r)
	})
}

// readMessage reads the body of r, replaces it with a copy, and returns what the limits and the log need: the method,
// "" for a response of the client, and the tool of a call. It decodes a message as the SDK does.
func readMessage(w http.ResponseWriter, r *http.Request) (method, tool string, err error) {
	if r.Method != http.MethodPost {
		return "", "", nil
	}
	b, err := middleware.ReadBody(w, r, maxBody)
	if err != nil {
		return "", "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	decoded, err := jsonrpc.DecodeMessage(b) // a batch is not accepted: it would count as one request
	if err != nil {
		return "", "", core.New(core.Invalid, "bad_json", "The body is not one message of JSON-RPC 2.0.")
	}
	req, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return "", "", nil
	}
	if req.Method == listen && r.Header.Get(versionHeader) < sessionless {
		return "", "", core.New(core.Invalid, "old_revision", "Only the revision %s has %s. Send it in the header %s.", sessionless, listen,
			versionHeader)
	}
	var params struct {
		Name string `json:"name"`
	}
	if req.Method == "tools/call" && json.Unmarshal(req.Params, &params) == nil {
		tool = params.Name
	}
	return req.Method, tool, nil
}

// checkHost prevents DNS rebinding: a page of another site may resolve its name to this server.
func (s *Server) checkHost(r *http.Request) error {
	if !s.cfg.Stack.KnownHost(r.Host) {
		return core.New(core.Forbidden, "wrong_host", "This server is not known by that name. Use %s%s.", s.cfg.BaseURL, Path)
	}
	if u, err := url.Parse(r.Header.Get("Origin")); err != nil || u.Host != "" && !s.cfg.Stack.KnownHost(u.Host) {
		return core.New(core.Forbidden, "cross_origin", "This request came from a page of another site, which cannot use this endpoint.")
	}
	return nil
}
