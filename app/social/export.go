package social

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

// Exports returns what the package writes into the export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{
		"intents": func(ctx context.Context, e *core.Export) error {
			return core.ExportNewest(ctx, e, s.DB, func(r *store.Reader, before store.Time) ([]store.Intent, error) {
				return r.Intents(e.By, before, core.ExportRows)
			}, func(i store.Intent) store.Time { return i.CreatedAt }, each(intentOf))
		},
		"intentDrafts": s.exportDrafts,
		"stories": func(ctx context.Context, e *core.Export) error {
			return core.ExportNewest(ctx, e, s.DB, func(r *store.Reader, before store.Time) ([]store.Story, error) {
				rows, err := r.Stories(e.By, before, core.ExportRows)
				return rows, cmp.Or(err, withAudiences(r, e.By, rows))
			}, func(s store.Story) store.Time { return s.CreatedAt }, each(storyOf))
		},
		"agentMatches": func(ctx context.Context, e *core.Export) error {
			return core.ExportNewest(ctx, e, s.DB, func(r *store.Reader, before store.Time) ([]store.Match, error) {
				return r.Matches(e.By, before, core.ExportRows)
			}, func(m store.Match) store.Time { return m.CreatedAt }, each(matchOf))
		},
		"socialPreferences": core.ExportValue(s.DB, func(r *store.Reader, by store.Viewer) (SocialPreferences, error) {
			return getPreferences(r, by, core.None{})
		}),
	}
}

func each[Row, Shown any](show func(Row) Shown) func(*store.Reader, store.Viewer, []Row) ([]Shown, error) {
	return func(_ *store.Reader, _ store.Viewer, rows []Row) ([]Shown, error) { return core.Map(rows, show), nil }
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
