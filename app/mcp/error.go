package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/core"
	"hearth/store"
)

const errorMember = "hearth/error"

func (s *Server) failed(ctx context.Context, t *tool, err error) *mcp.CallToolResult {
	e := s.errorOf(ctx, t.Name, err)
	meta := map[string]any{"code": e.Code}
	if e.Field != "" {
		meta["field"] = e.Field
	}
	if e.RetryAfter > 0 {
		meta["retryAfter"] = int(math.Ceil(e.RetryAfter.Seconds()))
	}
	return &mcp.CallToolResult{
		IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: s.sentence(e, t) + " (" + e.Code + ")"}},
		Meta: mcp.Meta{errorMember: meta},
	}
}

func (s *Server) errorOf(ctx context.Context, what string, err error) *core.Error {
	e := core.As(err)
	if e.Kind == core.Internal {
		s.cfg.Log.LogAttrs(ctx, slog.LevelError, "tool failed", slog.String("op", what), slog.String("error", err.Error()))
	}
	return e
}

// sentence rewords errors about requests as errors about calls. t is nil for what is no call of a tool.
func (s *Server) sentence(e *core.Error, t *tool) string {
	noun, kinds := "list", "cl_… or oc_…"
	if t != nil {
		if noun = t.noun; t.Op.Info().Admits(store.Viewer{Kind: store.ListKey}) != nil {
			kinds = "oc_…"
		}
	}
	switch {
	case e.Code == "unauthenticated":
		return "This needs a key of your own (" + kinds + "): send it as api_key, as the connection's bearer token, or in LISTS_API_KEY. " +
			s.getKey()
	case e.Code == "not_found" && noun == "list":
		return "Not found: there is no such list or item, or this key may not see it. Look for the id with search, list_lists or list_my_lists."
	case e.Code == "not_found":
		return "Not found: there is no such " + noun + ", or this key may not see it."
	case e.Code == "public_key":
		return "The public agent key only reads public lists here. Use a key of your own (cl_… or oc_…). " + s.getKey()
	}
	if e.RetryAfter > 0 && e.Kind != core.TooMany { // its text already says so
		return fmt.Sprintf("%s Try again after %d seconds.", e.Msg, int(math.Ceil(e.RetryAfter.Seconds())))
	}
	return e.Msg
}

func (s *Server) protocolError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var own *jsonrpc.Error
	if errors.As(err, &own) {
		return err
	}
	e := s.errorOf(ctx, "request", err)
	code := int64(jsonrpc.CodeInvalidParams)
	if e.Kind == core.Internal || e.Kind == core.Unavailable {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: s.sentence(e, nil)}
}
