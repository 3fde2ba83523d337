package app

import (
	"context"

	"hearth/app/account"
	"hearth/app/mcp"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// Account gives tests access to operations without a transport.
func (a *App) Account() *account.Service { return a.account }

// Collect deletes files that nothing has.
func (a *App) Collect(ctx context.Context) error { return a.files.Collect(ctx) }

// Streams returns how many streams are open.
func (a *App) Streams() int { return a.hub.Streams() }

// Settle waits until automatic replies to what was committed are sent.
func (a *App) Settle(ctx context.Context) error { return a.secretary.Wait(ctx) }

// MCP returns the server of tools.
func (a *App) MCP() *mcp.Server { return a.mcp }

// Stack returns what bounds the requests.
func (a *App) Stack() *middleware.Stack { return a.stack }

// OnCounted has f told how many bytes of text calls count as.
func (a *App) OnCounted(f func(bytes int)) { a.limits.Counted = f }

// TakeText counts n bytes of text that by has stored.
func (a *App) TakeText(ctx context.Context, by store.Viewer, n int) error {
	_, err := op.New(a.limits, takeText, op.Spec{Summary: "Store", Guard: op.Member, Stores: true}).Call(ctx, by, text{n})
	return err
}

// text is as many bytes of text.
type text struct {
	N int `json:"n"`
}

// TextSize implements op.Sized.
func (t *text) TextSize() int { return t.N }

func takeText(context.Context, store.Viewer, text) (struct{}, error) { return struct{}{}, nil }
