package app

import (
	"context"

	"hearth/app/account"
	"hearth/app/mcp"
	"hearth/app/middleware"
)

// Account gives tests access to operations without a transport.
func (a *App) Account() *account.Service { return a.account }

// Collect deletes files that nothing has.
func (a *App) Collect(ctx context.Context) error { return a.files.Collect(ctx) }

// Streams returns how many streams are open.
func (a *App) Streams() int { return a.hub.Streams() }

// Settle waits until who came is stored as online, and automatic replies to what was
// committed are sent.
func (a *App) Settle(ctx context.Context) error {
	a.account.AwaitPresence()
	return a.secretary.Wait(ctx)
}

// MCP returns the server of tools.
func (a *App) MCP() *mcp.Server { return a.mcp }

// Stack returns what bounds the requests.
func (a *App) Stack() *middleware.Stack { return a.stack }
