package lane

import (
	"context"

	"hearth/app/core"
)

// exportPage is how many thoughts a page of an export has.
const exportPage = 100

// Exports returns what the package writes into the export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{"thoughts": s.exportThoughts}
}

// exportThoughts writes the thoughts of the range, the newest first.
func (s *Service) exportThoughts(ctx context.Context, e *core.Export) error {
	end := e.Until + 1
	in, more := ListThoughtsIn{Before: &end, Limit: exportPage}, true
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
