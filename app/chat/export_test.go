package chat_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// exported writes members of one export of u, and calls between after each. The
// export has what was sent until now.
func (w *world) exported(u store.User, between func(member string), members ...string) (out map[string]jsontext.Value, err error) {
	w.Helper()
	var text bytes.Buffer
	e := &core.Export{By: as(u), JSON: jsontext.NewEncoder(&text), Turn: func(_ context.Context, page func() error) error { return page() }}
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) (err error) {
		e.Until, err = r.LastWrite()
		return err
	}))
	out = map[string]jsontext.Value{}
	all := w.s.Exports()
	for _, m := range members {
		if err := all[m](w.ctx, e); err != nil {
			return out, err
		}
		out[m] = jsontext.Value(bytes.Clone(text.Bytes()))
		text.Reset()
		between(m)
	}
	return out, nil
}

// An export has all messages, whose number it has before, of conversations with
// fewer than a page of them, with exactly one, and with more.
func TestExportOfPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	counts := []int{0, 1, 100, 101, 99}
	var want []string
	for range counts {
		w.group(w.Ada, w.Ben)
	}
	var conversations []string
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) (err error) {
		conversations, err = r.ConversationIDs(as(w.Ada)) // in the order of the export
		return err
	}))
	for i, n := range counts {
		for range n {
			want = append(want, w.send(w.Ada, conversations[i], "x").ID)
		}
	}
	late := ""
	got, err := w.exported(w.Ada, func(member string) {
		if member == "conversations" {
			late = w.send(w.Ada, conversations[0], "sent since it began").ID
		}
	}, "conversations", "messageCount", "messages")
	w.ok(err)
	var messages, listed []struct {
		ID string `json:"id"`
	}
	w.ok(json.Unmarshal(got["messages"], &messages))
	w.ok(json.Unmarshal(got["conversations"], &listed))
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	if !slices.Equal(ids, want) || slices.Contains(ids, late) || len(listed) != len(counts) {
		t.Errorf("%d messages of %d conversations, want %d", len(ids), len(listed), len(want))
	}
	if n := string(bytes.TrimSpace(got["messageCount"])); n != "301" {
		t.Errorf("counted %s messages", n)
	}
}
