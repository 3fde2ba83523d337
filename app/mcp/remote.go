package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Remote is a client of another server. It passes on the server's tools, resources and prompts.
type Remote struct {
	session *mcp.ClientSession
	sdk     *mcp.Server
}

// Connect connects to the server with the base URL. It sends key with every request unless key is "".
func Connect(ctx context.Context, client *http.Client, baseURL, key, version string) (*Remote, error) {
	signed := *client
	signed.Transport = bearer{client.Transport, key}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "hearth", Version: version}, nil).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: strings.TrimRight(baseURL, "/") + Path, HTTPClient: &signed, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w. Check the address and LISTS_API_KEY", baseURL, err)
	}
	r := &Remote{session: session}
	is := session.InitializeResult()
	r.sdk = mcp.NewServer(&mcp.Implementation{Name: "hearth", Title: "hearth lists", Version: version, WebsiteURL: is.ServerInfo.WebsiteURL},
		&mcp.ServerOptions{
			Instructions: is.Instructions, SetCacheable: cacheable,
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{},
				Completions: &mcp.CompletionCapabilities{},
			},
		})
	r.sdk.AddReceivingMiddleware(r.pass)
	return r, nil
}

// Close ends the connection.
func (r *Remote) Close() error { return r.session.Close() }

func (r *Remote) pass(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer func() {
			var said *jsonrpc.Error
			if errors.As(err, &said) {
				err = said // without the SDK's prefix
			}
		}()
		switch p := req.GetParams().(type) {
		case *mcp.ListToolsParams:
			return r.session.ListTools(ctx, nil)
		case *mcp.CallToolParamsRaw:
			return r.session.CallTool(ctx, &mcp.CallToolParams{Name: p.Name, Arguments: p.Arguments})
		case *mcp.ListResourcesParams:
			return r.session.ListResources(ctx, nil)
		case *mcp.ListResourceTemplatesParams:
			return r.session.ListResourceTemplates(ctx, nil)
		case *mcp.ReadResourceParams:
			return r.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: p.URI})
		case *mcp.ListPromptsParams:
			return r.session.ListPrompts(ctx, nil)
		case *mcp.GetPromptParams:
			return r.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name, Arguments: p.Arguments})
		case *mcp.CompleteParams:
			return r.session.Complete(ctx, &mcp.CompleteParams{Argument: p.Argument, Context: p.Context, Ref: p.Ref})
		}
		return next(ctx, method, req)
	}
}

type bearer struct {
	next http.RoundTripper
	key  string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	next := b.next
	if next == nil {
		next = http.DefaultTransport
	}
	res, err := next.RoundTrip(r)
	if err == nil && res.StatusCode >= 400 {
		explain(res)
	}
	return res, err
}

// explain turns a JSON API error into a JSON-RPC error: of other responses the SDK reports only the status.
func explain(res *http.Response) {
	b, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	res.Body.Close()
	var said struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}
	if err == nil && json.Unmarshal(b, &said) == nil && said.Error != "" {
		if said.Code == "unauthenticated" || said.Code == "invalid_key" {
			said.Error = errConnectionKey().Msg
		}
		text, _ := json.Marshal(said.Error, jsontext.AllowInvalidUTF8(true))
		b = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"error":{"code":%d,"message":%s}}`, jsonrpc.CodeInvalidRequest, text)
		res.StatusCode = http.StatusBadRequest // the SDK does not read the body of some other statuses
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
}
