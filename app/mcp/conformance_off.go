//go:build !conformance

package mcp

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Fixtures of the conformance suite exist only with the build tag "conformance".
func fixtureOptions(*mcp.ServerOptions) {}

func addFixtures(*mcp.Server) (stop func()) { return func() {} }
