package chat_test

import (
	"slices"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// A page has at most as many messages as were asked for, also when it covers several
// parts, and the next one continues behind it, within the period of the search.
func TestSearchPagesAreBounded(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	for _, text := range []string{"needle 1", "needle 2", "needle 3"} {
		w.send(w.Ada, c.ID, text)
	}
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error {
		for range 1200 {
			tx.Now = tx.Tick()
			m := store.Message{ConversationID: c.ID, SenderID: w.Ada.ID, Content: "hay", Type: "text"}
			if err := tx.Send(&m, nil); err != nil {
				return err
			}
		}
		return nil
	}))
	w.send(w.Ada, c.ID, "needle 4")
	want := []string{"needle 4", "needle 3", "needle 2", "needle 1"}
	for _, q := range []string{"needle", "needle before:2027", "needle after:2026-03-14 before:2026-03-15"} {
		for _, limit := range []int{1, 2, 3, 4} {
			in := chat.SearchMessagesIn{Q: q, Limit: limit}
			var got []string
			for range 10 {
				out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), in)
				w.ok(err)
				if rest := len(want) - len(got); len(out.Messages) != min(limit, rest) || len(out.Snippets) != len(out.Messages) {
					t.Errorf("%s: a page of %d has %d messages and %d snippets", q, limit, len(out.Messages), len(out.Snippets))
				}
				got = append(got, contents(out.Messages)...)
				if in.Cursor = core.OrZero(out.NextCursor); in.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: pages of %d have %q, want %q", q, limit, got, want)
			}
		}
	}
}
