package social

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// Exports returns what the package writes into the export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{
		"intents": func(ctx context.Context, e *core.Export) error {
			return pages(ctx, s, e, intentOf, func(r *store.Reader, before store.Time) ([]store.Intent, error) {
				return r.Intents(e.By, before, core.ExportRows)
			}, func(i store.Intent) store.Time { return i.CreatedAt })
		},
		"intentDrafts": s.exportDrafts,
		"stories": func(ctx context.Context, e *core.Export) error {
			return pages(ctx, s, e, storyOf, func(r *store.Reader, before store.Time) ([]store.Story, error) {
				rows, err := r.Stories(e.By, before, core.ExportRows)
				if err == nil {
					err = withAudiences(r, e.By, rows)
				}
				return rows, err
			}, func(s store.Story) store.Time { return s.CreatedAt })
		},
		"agentMatches": func(ctx context.Context, e *core.Export) error {
			return pages(ctx, s, e, matchOf, func(r *store.Reader, before store.Time) ([]store.Match, error) {
				return r.Matches(e.By, before, core.ExportRows)
			}, func(m store.Match) store.Time { return m.CreatedAt })
		},
		"socialPreferences": func(ctx context.Context, e *core.Export) error {
			p, err := s.getPreferences(ctx, e.By, core.None{})
			if err != nil {
				return err
			}
			return e.Value(p)
		},
	}
}

func (s *Service) exportDrafts(ctx context.Context, e *core.Export) error {
	states := []string{"pending", "activated", "dismissed"}
	var before store.Time
	return core.ExportPages(ctx, e, func() (page []IntentDraft, err error) {
		for len(page) == 0 && len(states) > 0 && err == nil {
			err = s.DB.Read(ctx, func(r *store.Reader) error {
				rows, err := r.Drafts(e.By, states[0], before, core.ExportRows)
				page = core.Map(rows, draftOf)
				return err
			})
			if before = 0; len(page) > 0 {
				before = page[len(page)-1].CreatedAt
			} else {
				states = states[1:]
			}
		}
		return page, err
	})
}

func pages[Row, Shown any](ctx context.Context, s *Service, e *core.Export, show func(Row) Shown,
	read func(*store.Reader, store.Time) ([]Row, error), at func(Row) store.Time) error {
	before := e.Until + 1
	return core.ExportPages(ctx, e, func() (page []Shown, err error) {
		err = s.DB.Read(ctx, func(r *store.Reader) error {
			rows, err := read(r, before)
			if len(rows) > 0 {
				before = at(rows[len(rows)-1])
			}
			page = core.Map(rows, show)
			return err
		})
		return page, err
	})
}
