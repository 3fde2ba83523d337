package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const (
	exportPage    = 100    // messages in a page of an export
	exportCount   = 10_000 // messages counted in one read
	exportAnswers = 8      // answers of the secretary in a page of an export
)

// Exports returns what the package writes into one export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	x := &export{s: s}
	return map[string]core.ExportFunc{"conversations": x.conversations, "messageCount": x.messageCount, "messages": x.messages,
		"secretary": s.exportSecretary}
}

// export writes conversations and their messages, oldest first, without messages sent since it began. Deleted
// messages keep their rows, so the count stays right.
type export struct {
	s     *Service
	ids   []string // of all conversations when the export began
	count int
}

func (x *export) conversations(ctx context.Context, e *core.Export) error {
	err := x.s.db.ReadLong(ctx, func(r *store.Reader) (err error) {
		x.ids, err = r.ConversationIDs(e.By)
		return err
	})
	if err != nil {
		return err
	}
	rest := x.ids
	return core.ExportPages(ctx, e, func() (page []Conversation, err error) {
		ids := rest[:min(len(rest), core.ExportRows)] // each with its last message
		rest = rest[len(ids):]
		err = x.s.db.ReadLong(ctx, func(r *store.Reader) error {
			rows, err := r.ConversationsByID(e.By, ids...)
			if err == nil {
				page, err = newView(r, e.By).shortConversations(rows)
			}
			return err
		})
		return page, err
	})
}

// errExportChanged ends an export whose messages differ from the count, because the account has left a conversation.
var errExportChanged = errors.New("chat: conversations were left during an export")

func (x *export) messageCount(ctx context.Context, e *core.Export) error {
	for _, id := range x.ids {
		for after, more := e.Since, true; more; {
			err := e.Turn(ctx, func() error {
				return x.s.db.ReadLong(ctx, func(r *store.Reader) error {
					n, last, err := r.CountMessages(e.By, id, after, e.Until, exportCount)
					x.count += n
					after, more = last, n == exportCount
					return err
				})
			})
			if err != nil {
				return err
			}
		}
	}
	return e.Value(x.count)
}

func (x *export) messages(ctx context.Context, e *core.Export) error {
	after := e.Since
	err := core.ExportPages(ctx, e, func() (page []Message, err error) {
		for len(x.ids) > 0 && len(page) == 0 && err == nil {
			err = x.s.db.ReadLong(ctx, func(r *store.Reader) error {
				rows, err := r.MessagesBetween(e.By, x.ids[0], after, e.Until, exportPage, core.ExportText)
				if err != nil {
					return err
				}
				page, err = newView(r, e.By).messages(rows)
				return err
			})
			if len(page) > 0 {
				after = page[len(page)-1].CreatedAt
			} else {
				x.ids, after = x.ids[1:], e.Since
			}
		}
		x.count -= len(page)
		return page, err
	})
	if err == nil && x.count != 0 {
		err = errExportChanged
	}
	return err
}

func (s *Service) exportSecretary(ctx context.Context, e *core.Export) error {
	out, err := s.getSecretary(ctx, e.By, core.None{})
	if err != nil {
		return err
	}
	if err := cmp.Or(e.JSON.WriteToken(jsontext.BeginObject), e.Member("enabled", out.Enabled),
		e.JSON.WriteToken(jsontext.String("answers"))); err != nil {
		return err
	}
	ids := core.Map(out.Answers, func(a SecretaryAnswer) string { return a.ID })
	out.Answers = nil // to free memory while they wait for the client
	err = core.ExportParts(ctx, e, ids, exportAnswers, func(part []string) ([]SecretaryAnswer, error) {
		now, err := s.getSecretary(ctx, e.By, core.None{})
		return slices.DeleteFunc(now.Answers, func(a SecretaryAnswer) bool { return !slices.Contains(part, a.ID) }), err
	})
	if err != nil {
		return err
	}
	return e.JSON.WriteToken(jsontext.EndObject)
}
