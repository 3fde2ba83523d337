package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/store"
)

const (
	// listen is the method whose response is a stream.
	listen = "subscriptions/listen"
	// exchangeHeader is set on every request with the id of its exchange.
	exchangeHeader = "Hearth-Exchange"
	// messageCost is how many bytes a byte of a message takes until it is sent: the SDK
	// has the message, and a copy as an event.
	messageCost = 2
	// handlingCost is how many bytes count for each message that is handled, beside what it
	// reads: the SDK allocates about 300 KiB for the smallest.
	handlingCost = 128 << 10
	// maxResult is how many bytes a result may have. What is larger could not be sent
	// while others are, and no model reads it.
	maxResult = 4 << 20
)

// exchange is an HTTP request with a message that the SDK handles. It handles messages in
// the context of a connection, which for those of a session is that of the request that
// began it, and stops waiting for its own handlers when a client leaves. Here each runs
// in the context of its own request, which lasts until its response is written.
type exchange struct {
	ctx context.Context // ends with the client, or with the stream
	rec *middleware.Recorder
	m   message
}

// exchange returns r as the SDK is given it, until end is called.
func (s *Server) exchange(rec *middleware.Recorder, r *http.Request, m message) (_ *http.Request, end func()) {
	s.exchanges.Store(rec.ID, &exchange{r.Context(), rec, m})
	r.Header.Set(exchangeHeader, rec.ID)
	return r.WithContext(context.Background()), func() { s.exchanges.Delete(rec.ID) }
}

// own returns the context for a message: that of its exchange, which also ends if the
// client cancels the message. Messages that come otherwise have no exchange.
func (s *Server) own(ctx context.Context, extra *mcp.RequestExtra) (_ context.Context, x *exchange, end func()) {
	if extra == nil || extra.Header == nil {
		return ctx, nil, func() {}
	}
	found, ok := s.exchanges.Load(extra.Header.Get(exchangeHeader))
	if !ok {
		return ctx, nil, func() {}
	}
	x = found.(*exchange)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(x.ctx, cancel)
	return both{ctx, x.ctx}, x, func() { stop(); cancel() }
}

// both is a context with the values of another one, too, which come first.
type both struct {
	context.Context
	first context.Context
}

func (b both) Value(key any) any {
	if v := b.first.Value(key); v != nil {
		return v
	}
	return b.Context.Value(key)
}

// admit refuses a message that is bounded otherwise than its method has to be.
func (x *exchange) admit(method string) error {
	if x != nil && method == listen && x.m.Method != listen {
		return core.New(core.Invalid, "bad_json", "The method of the message is not clear.")
	}
	return nil
}

// reserve takes the memory to encode and send a result.
func (x *exchange) reserve(res mcp.Result) error {
	n := sizeOf(res)
	if n > maxResult {
		return core.New(core.TooLarge, "too_large", "The result is larger than 4 MiB. Ask for fewer things at a time.")
	}
	if x == nil || n == 0 {
		return nil
	}
	if err := x.ctx.Err(); err != nil {
		return err // nobody is there to read it
	}
	return middleware.Reserve(x.rec, max(x.m.Size, messageCost*n))
}

// unsent returns what the caller is told of a result that cannot be sent for err: a write
// has been made, and a client that is told to try again would make it twice.
func (t *tool) unsent(err error) error {
	if t.schema.Annotations.ReadOnlyHint {
		return err
	}
	return core.New(core.Unavailable, "result_not_sent", "This was done, but the server cannot send the result now. Do not call it again: read what has changed.")
}

// sizeOf returns how many bytes the texts of a result have at most as they are sent.
func sizeOf(res mcp.Result) (n int) {
	switch r := res.(type) {
	case *mcp.CallToolResult:
		if raw, ok := r.StructuredContent.(json.RawMessage); ok {
			n = escaped(string(raw))
		}
		for _, c := range r.Content {
			n += sizeOfContent(c)
		}
	case *mcp.ReadResourceResult:
		for _, c := range r.Contents {
			n += escaped(c.Text)
		}
	case *mcp.GetPromptResult:
		for _, m := range r.Messages {
			n += sizeOfContent(m.Content)
		}
	}
	return n
}

func sizeOfContent(c mcp.Content) int {
	switch c := c.(type) {
	case *mcp.TextContent:
		return escaped(c.Text)
	case *mcp.EmbeddedResource:
		return escaped(c.Resource.Text)
	}
	return 0
}

// escaped returns how many bytes s has at most in JSON as the SDK writes it.
func escaped(s string) int {
	n := len(s)
	for _, r := range s {
		switch r {
		case '"', '\\':
			n++
		case '<', '>', '&', utf8.RuneError, '\u2028', '\u2029':
			n += 5
		default:
			if r < ' ' {
				n += 5
			}
		}
	}
	return n
}

// hold counts a stream of a caller until end is called. The context that it returns is
// canceled when the stream has to end.
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

// ofAccount returns h, which binds the sessions that it begins to the account of the
// caller: nobody else can use or end them, whoever has their ids. Sessions that begin
// without an account are bound to none.
func ofAccount(v store.Viewer, h http.Handler) http.Handler {
	if !v.SignedIn() {
		return h
	}
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: v.UserID}, nil
	}
	return auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(h)
}
