package chat_test

import (
	"bytes"
	"context"
	"errors"
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

// An export fails, instead of having fewer messages than it says, if the account has
// left a conversation since they were counted.
func TestExportOfAConversationThatWasLeft(t *testing.T) {
	w := newWorld(t)
	stays, left := w.group(w.Ada, w.Ben), w.group(w.Ben, w.Ada)
	w.send(w.Ada, stays.ID, "x")
	w.send(w.Ben, left.ID, "y")
	if _, err := w.exported(w.Ada, func(string) {}, "conversations", "messageCount", "messages"); err != nil {
		t.Error(err)
	}
	_, err := w.exported(w.Ada, func(member string) {
		if member == "messageCount" {
			w.ok(w.remove(w.Ada, left.ID, w.Ada))
		}
	}, "conversations", "messageCount", "messages")
	if err == nil {
		t.Error("no error")
	}
}

// More messages of a conversation are counted than one read counts.
func TestExportCountsManyMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.group(w.Ada)
	w.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10005)
		INSERT INTO message (conversation_id, created_at, id, sender_id, content, message_type) SELECT ?1, i, 'm' || i, ?2, 'x', 'text' FROM n`, c.ID, w.Ada.ID)
	got, err := w.exported(w.Ada, func(string) {}, "conversations", "messageCount")
	w.sql(`DELETE FROM message WHERE conversation_id = ?`, c.ID)
	if w.ok(err); string(bytes.TrimSpace(got["messageCount"])) != "10005" {
		t.Errorf("counted %s", got["messageCount"])
	}
}

// An export that ends before it has all messages returns what ended it, and not that
// messages are missing.
func TestExportReturnsWhatEndsIt(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	w.send(w.Ada, c.ID, "one")
	closed := errors.New("the connection is closed")
	var fails error
	parts := w.s.Exports()
	part := func(name string) (string, error) {
		var out bytes.Buffer
		e := &core.Export{By: as(w.Ada), Until: in(1e15), JSON: jsontext.NewEncoder(&out),
			Turn: func(_ context.Context, page func() error) error {
				if fails != nil {
					return fails
				}
				return page()
			}}
		err := parts[name](w.ctx, e)
		return out.String(), err
	}
	_, err := part("conversations")
	w.ok(err)
	n, err := part("messageCount")
	if w.ok(err); n != "1\n" {
		t.Fatalf("%s messages", n)
	}
	fails = closed
	if _, err := part("messages"); !errors.Is(err, closed) {
		t.Errorf("got %v, want that %v", err, closed)
	}
}
