package lane

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

const (
	thoughtsPage = 8   // thoughts in a page of an export
	postsPage    = 100 // Context posts in a page of an export, at most
)

// Exports returns what the package writes into the export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{"thoughts": s.exportThoughts, "contextPosts": s.exportPosts, "contextIntentions": s.exportIntentions}
}

func (s *Service) exportThoughts(ctx context.Context, e *core.Export) error {
	return core.ExportNewest(ctx, e, s.DB, func(r *store.Reader, before store.Time) ([]store.Thought, error) {
		rows, err := r.Thoughts(e.By, store.ThoughtFilter{Before: before}, thoughtsPage)
		return slices.DeleteFunc(rows, func(t store.Thought) bool { return t.CreatedAt <= e.Since }), err
	}, func(t store.Thought) store.Time { return t.CreatedAt }, thoughts)
}

func (s *Service) exportPosts(ctx context.Context, e *core.Export) error {
	return core.ExportNewest(ctx, e, s.DB, func(r *store.Reader, before store.Time) ([]store.ContextPost, error) {
		return r.OwnContextPosts(e.By, before, postsPage, core.ExportText)
	}, func(p store.ContextPost) store.Time { return p.CreatedAt },
		func(_ *store.Reader, _ store.Viewer, rows []store.ContextPost) ([]ContextPostProjection, error) {
			return core.Map(rows, postOf), nil
		})
}

func (s *Service) exportIntentions(ctx context.Context, e *core.Export) error {
	return core.ExportNewest(ctx, e, s.DB, func(r *store.Reader, before store.Time) ([]store.Intention, error) {
		return r.Intentions(e.By, before, core.ExportRows)
	}, func(n store.Intention) store.Time { return n.CreatedAt }, intentions)
}
