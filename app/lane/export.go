package lane

import (
	"context"

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

// exportThoughts writes the thoughts of the range, the newest first.
func (s *Service) exportThoughts(ctx context.Context, e *core.Export) error {
	end := e.Until + 1
	in, more := ListThoughtsIn{Before: &end, Limit: thoughtsPage}, true
	return core.ExportPages(ctx, e, func() (page []Thought, err error) {
		if !more {
			return nil, nil
		}
		out, err := s.listThoughts(ctx, e.By, in)
		more = out.HasMore
		for i := range out.Thoughts {
			if out.Thoughts[i].CreatedAt <= e.Since {
				out.Thoughts, more = out.Thoughts[:i], false
				break
			}
			in.Before = &out.Thoughts[i].CreatedAt
		}
		return out.Thoughts, err
	})
}

// exportPosts writes the account's posts in Context lanes, the newest first.
func (s *Service) exportPosts(ctx context.Context, e *core.Export) error {
	before := e.Until + 1
	return core.ExportPages(ctx, e, func() (page []ContextPostProjection, err error) {
		err = s.DB.Read(ctx, func(r *store.Reader) error {
			rows, err := r.OwnContextPosts(e.By, before, postsPage, core.ExportText)
			if len(rows) > 0 {
				before = rows[len(rows)-1].CreatedAt
			}
			page = core.Map(rows, postOf)
			return err
		})
		return page, err
	})
}

// exportIntentions writes what the account tracks, the newest first.
func (s *Service) exportIntentions(ctx context.Context, e *core.Export) error {
	before := e.Until + 1
	return core.ExportPages(ctx, e, func() (page []ContextIntention, err error) {
		err = s.DB.Read(ctx, func(r *store.Reader) error {
			rows, err := r.Intentions(e.By, before, core.ExportRows)
			if len(rows) > 0 {
				before = rows[len(rows)-1].CreatedAt
			}
			if err == nil {
				page, err = intentions(r, e.By, rows)
			}
			return err
		})
		return page, err
	})
}
