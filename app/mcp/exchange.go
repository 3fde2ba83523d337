package mcp

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/store"
)

const (
	listen = "subscriptions/listen" // the method with a stream as its response
	// exchangeHeader has the id of the exchange; it is set on every request.
	exchangeHeader = "Hearth-Exchange"
)

// exchange is an HTTP request with a message for the SDK. The SDK would run a session's messages in the context of
// its first request. It would also abandon handlers when a client leaves. Here each message runs in the context of
// its own request.
type exchange struct {
	ctx context.Context // ends with the client, or with the stream
	m   message
}

func (s *Server) exchange(id string, r *http.Request, m message) (_ *http.Request, end func()) {
	s.exchanges.Store(id, &exchange{r.Context(), m})
	r.Header.Set(exchangeHeader, id)
	return r.WithContext(context.Background()), func() { s.exchanges.Delete(id) }
}

// own returns the context of the message's exchange; it also ends if the client cancels the message. Some messages
// have no exchange.
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

func (x *exchange) admit(method string) error {
	if x != nil && method == listen && x.m.Method != listen {
		return core.New(core.Invalid, "bad_json", "The method of the message is not clear.")
	}
	return nil
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

// ofAccount binds new sessions to the caller's account, so that nobody else can use or end them by their ids. An
// anonymous session is bound to none.
func ofAccount(v store.Viewer, h http.Handler) http.Handler {
	if !v.SignedIn() {
		return h
	}
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: v.UserID}, nil
	}
	return auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(h)
}
