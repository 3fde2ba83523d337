package app

import (
	"context"

	"hearth/app/cron"
	"hearth/app/mcp"
	"hearth/app/middleware"
)

// Collect deletes files that nothing has.
func (a *App) Collect(ctx context.Context) error { return a.Files.Collect(ctx) }

// Streams returns how many streams are open.
func (a *App) Streams() int { return a.Live.Streams() }

// MCP returns the server of tools.
func (a *App) MCP() *mcp.Server { return a.mcp }

// Stack returns what bounds the requests.
func (a *App) Stack() *middleware.Stack { return a.stack }

// Jobs returns the recurring jobs.
func (a *App) Jobs() []cron.Job { return a.jobs() }

// SignInURL returns a one-time sign-in link for an address that has an account.
func (a *App) SignInURL(ctx context.Context, email string) (string, error) {
	return a.LinkFor(ctx, email, false, "")
}
