//go:build conformance

package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearth/app/mcp/fixture"
)

// fixtureOptions enables what the conformance suite requires of a server besides
// the fixtures. Resources that are no lists take any subscription.
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

// addFixtures adds what the suite calls. The function that it returns ends their
// updates.
func addFixtures(s *mcp.Server) (stop func()) { return fixture.Add(s) }
