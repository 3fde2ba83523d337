//go:build conformance

package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/mcp/fixture"
)

// Resources that are not lists accept any subscription.
func fixtureOptions(o *mcp.ServerOptions) {
	fixture.Options(o)
	subscribe := o.SubscribeHandler
	o.SubscribeHandler = func(ctx context.Context, req *mcp.SubscribeRequest) error {
		if !strings.HasPrefix(req.Params.URI, listPrefix) {
			return nil
		}
		return subscribe(ctx, req)
	}
}

func addFixtures(s *mcp.Server) (stop func()) { return fixture.Add(s) }
