package mcp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
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
	maxSessions    = 1000 // further clients work without one
	sessionTimeout = 10 * time.Minute
	writeTimeout   = 10 * time.Second // for a client to read a message of a stream

	listen        = "subscriptions/listen" // the method with a stream as its response
	sessionless   = "2026-07-28"           // the first revision without sessions
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
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
	s.serve = s.cfg.Stack.Handler(http.HandlerFunc(s.handle), func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) })
}

// ServeHTTP implements http.Handler for requests to Path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve.ServeHTTP(w, r) }

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	rec := middleware.RecorderOf(w)
	rec.Op = "MCP"
	w.Header().Set("Cache-Control", "no-store")
	// Cookies do not count here: no page of a browser calls this endpoint.
	r = r.Clone(r.Context())
	r.Header.Del("Cookie")
	err := s.checkHost(r)
	var v store.Viewer
	if err == nil {
		v, err = s.cfg.Auth.Caller(r)
	}
	var m message
	if err == nil {
		m, err = readMessage(w, r)
	}
	if err == nil { // the credential may have ended while the body arrived
		v, err = s.cfg.Auth.Caller(r)
	}
	stream := r.Method == http.MethodGet || m.Method == listen
	if err == nil && r.Method == http.MethodPost && !stream {
		err = rec.Enter()
	}
	if err != nil {
		fail(w, err)
		return
	}
	rec.Viewer = v
	v.IP = s.cfg.Stack.Client(r)
	if stream {
		ctx, end, err := s.hold(r.Context(), v)
		if err != nil {
			fail(w, err)
			return
		}
		defer end()
		r = r.WithContext(ctx)
	}
	if t, ok := s.tools[m.Tool]; ok {
		rec.Op = "MCP " + t.Name
	}
	as(v, s.revision(r, m)).ServeHTTP(&streamWriter{ResponseWriter: w}, r)
}

// Without a session, older revisions are served message by message.
func (s *Server) revision(r *http.Request, m message) http.Handler {
	old := r.Header.Get(versionHeader) < sessionless
	switch {
	case r.Method != http.MethodPost, old && r.Header.Get(sessionHeader) != "", old && m.Method == "initialize" && s.sessions() < maxSessions:
		return s.stateful
	}
	return s.stateless
}

func (s *Server) sessions() (n int) {
	for range s.sdk.Sessions() {
		n++
	}
	return n
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

// hold counts a stream of a caller until end is called. The returned context is canceled when the stream has to end.
func (s *Server) hold(ctx context.Context, v store.Viewer) (_ context.Context, end func(), err error) {
	done, free, err := s.cfg.Hold(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); free() }, nil
}

// message is what the limits and the log need of a message.
type message struct {
	Method string // "" for a response of the client
	Tool   string // of a call
}

// readMessage reads the body of r and replaces it with a copy. It reads a message as the SDK does, because the limits
// depend on the method that will run.
func readMessage(w http.ResponseWriter, r *http.Request) (m message, err error) {
	if r.Method != http.MethodPost {
		return m, nil
	}
	b, err := middleware.ReadBody(w, r, maxBody)
	if err != nil {
		return m, err
	}
	if core.Nested(b) {
		return m, core.New(core.Invalid, "bad_json", "The body has arrays and objects nested too deep. Flatten it.")
	}
	decoded, err := jsonrpc.DecodeMessage(b) // a batch is not accepted: it would count as one request
	if err != nil {
		return m, core.New(core.Invalid, "bad_json", "The body is not one message of JSON-RPC 2.0.")
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	req, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return m, nil
	}
	m.Method = req.Method
	if m.Method == listen && r.Header.Get(versionHeader) < sessionless {
		return m, core.New(core.Invalid, "old_revision", "Only the revision %s has %s. Send it in the header %s.", sessionless, listen,
			versionHeader)
	}
	var params struct {
		Name string `json:"name"`
	}
	if m.Method == "tools/call" && json.Unmarshal(req.Params, &params) == nil {
		m.Tool = params.Name
	}
	return m, nil
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

func errorBody(sentence, code, requestID string) []byte {
	b, err := json.Marshal(struct {
		Error     string `json:"error"`
		Code      string `json:"code"`
		RequestID string `json:"requestId,omitzero"`
	}{strings.ToValidUTF8(sentence, "\uFFFD"), code, requestID})
	if err != nil {
		b = []byte("{}")
	}
	return append(b, '\n')
}

// streamWriter sets a write deadline per message: the response as a whole has none. It also gives plain-text errors
// of the SDK the JSON form.
type streamWriter struct {
	http.ResponseWriter
	begun, plain bool
}

func (w *streamWriter) WriteHeader(status int) {
	w.begun = true
	w.plain = status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	if w.plain {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Cache-Control", "no-store, no-transform")
	w.ResponseWriter.WriteHeader(status)
}

func (w *streamWriter) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTimeout))
	if w.plain {
		text := strings.TrimPrefix(strings.TrimSpace(string(b)), "Bad Request: ")
		_, err := w.ResponseWriter.Write(errorBody(fmt.Sprintf("The message was refused: %s.", text), "bad_message", ""))
		return len(b), err
	}
	return w.ResponseWriter.Write(b)
}

func (w *streamWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
