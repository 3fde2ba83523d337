package mcp

import "github.com/modelcontextprotocol/go-sdk/mcp"

// With returns cfg with a change of the SDK's options.
func (cfg Config) With(change func(*mcp.ServerOptions)) Config {
	cfg.options = change
	return cfg
}

// SDK returns the server of the SDK.
func (s *Server) SDK() *mcp.Server { return s.sdk }
