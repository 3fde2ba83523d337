package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/store"
)

const (
	keyArgument = "api_key"
	viewerKey   = "viewer" // of the caller in auth.TokenInfo
)

// An invalid key is not replaced by the connection's key.
func errKey() error {
	return core.New(core.Unauthenticated, "invalid_api_key",
		"This api_key is not valid: it is mistyped, revoked or expired. No other key was used in its place. Send a valid one, or leave api_key "+
			"out.")
}

func errConnectionKey() *core.Error {
	return core.New(core.Unauthenticated, "invalid_key",
		"The key of this connection is not valid: it is mistyped, revoked or expired. "+
			"Set another LISTS_API_KEY or bearer token, or send api_key.")
}

func (s *Server) viewer(ctx context.Context, t *tool, extra *mcp.RequestExtra, key jsontext.Value) (store.Viewer, error) {
	if len(key) == 0 || key.Kind() == 'n' || t.NoKey {
		return s.connection(ctx, extra), nil
	}
	if key.Kind() != '"' || strings.TrimSpace(text(key)) == "" {
		return store.Viewer{}, core.InvalidField(keyArgument,
			"api_key must be a key as text. Leave it out to use the key of the connection, if any.")
	}
	v, err := s.cfg.Auth.TokenCaller(ctx, text(key))
	if core.IsKind(err, core.Unauthenticated) {
		err = errKey()
	}
	v.IP = s.connection(ctx, extra).IP
	return v, err
}

// connection returns the caller of a message, nobody if it is not of an HTTP request. The SDK has it in the context alone
// for what it does itself.
func (s *Server) connection(ctx context.Context, extra *mcp.RequestExtra) store.Viewer {
	info := auth.TokenInfoFromContext(ctx)
	if extra != nil && extra.TokenInfo != nil {
		info = extra.TokenInfo
	}
	if info == nil {
		return store.Viewer{}
	}
	return info.Extra[viewerKey].(store.Viewer)
}

// receive filters the list of tools by the caller, and adds the caller's lists to the resources.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil { // the SDK would let it end the process
				s.cfg.Log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("op", method), slog.Any("panic", p),
					slog.String("stack", string(debug.Stack())))
				err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.sentence(core.As(fmt.Errorf("panic: %v", p)), nil)}
			}
		}()
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.ListToolsResult:
			r.Tools = s.cut(s.connection(ctx, req.GetExtra()), r.Tools)
		case *mcp.ListResourcesResult:
			err = s.listResources(ctx, req.GetExtra(), r)
		}
		if err != nil {
			return nil, s.protocolError(ctx, err)
		}
		return res, nil
	}
}
