package chat

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

const exportPage = 100 // messages in a page of an export

// Exports returns what the package writes into one export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	x := &export{s: s}
	return map[string]core.ExportFunc{"conversations": x.conversations, "messageCount": x.messageCount, "messages": x.messages,
		"secretary": core.ExportValue(s.DB, func(r *store.Reader, by store.Viewer) (SecretaryConfig, error) {
			return s.getSecretary(r, by, core.None{})
		})}
}

// export writes conversations and their messages, oldest first, without messages sent since it began. Deleted
// messages keep their rows, so the count stays right.
type export struct {
	s   *Service
	ids []string // of all conversations when the export began
}

func (x *export) read(ctx context.Context, f func(*store.Reader) error) error {
	return x.s.DB.ReadLong(ctx, f)
}

func (x *export) conversations(ctx context.Context, e *core.Export) error {
	err := x.read(ctx, func(r *store.Reader) (err error) {
		x.ids, err = r.ConversationIDs(e.By)
		return err
	})
	if err != nil {
		return err
	}
	return core.ExportParts(ctx, e, x.ids, core.ExportRows, func(ids []string) (page []Conversation, err error) {
		err = x.read(ctx, func(r *store.Reader) error {
			rows, err := r.ConversationsByID(e.By, ids...) // each with its last message
			if err == nil {
				page, err = newView(r, e.By).shortConversations(rows)
			}
			return err
		})
		return page, err
	})
}

func (x *export) messageCount(ctx context.Context, e *core.Export) error {
	return e.Turn(ctx, func() error {
		count := 0
		err := x.read(ctx, func(r *store.Reader) (err error) {
			count, err = r.CountMessages(e.By, x.ids, e.Since, e.Until)
			return err
		})
		if err != nil {
			return err
		}
		return e.Value(count)
	})
}

func (x *export) messages(ctx context.Context, e *core.Export) error {
	after := e.Since
	return core.ExportPages(ctx, e, func() (page []Message, err error) {
		for len(x.ids) > 0 && len(page) == 0 && err == nil {
			err = x.read(ctx, func(r *store.Reader) error {
				rows, err := r.MessagesBetween(e.By, x.ids[0], after, e.Until, exportPage, core.ExportText)
				if err == nil {
					page, err = newView(r, e.By).messages(rows)
				}
				return err
			})
			if len(page) > 0 {
				after = page[len(page)-1].CreatedAt
			} else {
				x.ids, after = x.ids[1:], e.Since
			}
		}
		return page, err
	})
}
