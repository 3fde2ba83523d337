package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/store"
)

// keyArgument is the argument with the key of a single call.
const keyArgument = "api_key"

// clientHeader is set on every HTTP request before it is handled, with the
// client's address.
const clientHeader = "Hearth-Client"

// errKey answers a call with a key that is not valid. No other key stands in for
// it.
func errKey() error {
	return core.New(core.Unauthenticated, "invalid_api_key", "This api_key is not valid: it is mistyped, revoked or expired. No other key was used in its place. Send a valid one, or leave api_key out.")
}

// errConnectionKey answers a connection with a key that is not valid.
func errConnectionKey() *core.Error {
	return core.New(core.Unauthenticated, "invalid_key", "The key of this connection is not valid: it is mistyped, revoked or expired. Set another LISTS_API_KEY or bearer token, or send api_key.")
}

// viewer returns the viewer of a call: that of its api_key, else of the
// connection.
func (s *Server) viewer(ctx context.Context, t *tool, extra *mcp.RequestExtra, args map[string]jsontext.Value) (store.Viewer, error) {
	value, named := args[keyArgument]
	if !named || value.Kind() == 'n' || t.NoKey {
		return s.connection(ctx, extra)
	}
	if value.Kind() != '"' || strings.TrimSpace(text(value)) == "" {
		return store.Viewer{}, core.InvalidField(keyArgument, "api_key must be a key as text. Leave it out to use the key of the connection, if any.")
	}
	v, err := s.cfg.Auth.TokenCaller(ctx, text(value))
	if core.IsKind(err, core.Unauthenticated) {
		err = errKey()
	}
	v.IP = client(extra)
	return v, err
}

// connection returns the viewer of the connection that a request came over.
func (s *Server) connection(ctx context.Context, extra *mcp.RequestExtra) (v store.Viewer, err error) {
	key := s.cfg.Key
	if extra != nil && extra.Header != nil {
		_, key, _ = strings.Cut(extra.Header.Get("Authorization"), " ")
	}
	if key != "" {
		v, err = s.cfg.Auth.TokenCaller(ctx, key)
	}
	if core.IsKind(err, core.Unauthenticated) {
		err = errConnectionKey()
	}
	v.IP = client(extra)
	return v, err
}

// client returns the address under which a caller's requests are counted.
func client(extra *mcp.RequestExtra) string {
	if extra == nil || extra.Header == nil {
		return "stdio"
	}
	return extra.Header.Get(clientHeader)
}

// receive handles a message in the context of its own request, and finishes results that
// depend on the caller: it cuts the list of tools, and adds lists to the resources.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		ctx, x, end := s.own(withExtra(ctx, req), req.GetExtra())
		defer end()
		defer func() {
			if p := recover(); p != nil { // the SDK would let it end the process
				s.cfg.Log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("op", method), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.sentence(core.As(fmt.Errorf("panic: %v", p)))}
			}
		}()
		if err := x.admit(method); err != nil {
			return nil, s.protocolError(ctx, err)
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.ListToolsResult:
			v, err := s.connection(ctx, req.GetExtra())
			if err == nil {
				r.Tools = s.cut(v, r.Tools)
			}
		case *mcp.ListResourcesResult:
			err = s.listResources(ctx, req.GetExtra(), r)
		}
		if err != nil {
			return nil, s.protocolError(ctx, err)
		}
		return res, nil
	}
}
