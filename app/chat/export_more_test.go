package chat_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/chat"
	"hearth/app/core"
)

// exporting is an export of Ada's conversations.
type exporting struct {
	*world
	parts map[string]core.ExportFunc
	fails error // of each page
}

func (w *world) export() *exporting { return &exporting{world: w, parts: w.s.Exports()} }

// part returns one member of the export.
func (x *exporting) part(name string) (string, error) {
	x.Helper()
	var out bytes.Buffer
	e := &core.Export{By: as(x.Ada), Until: in(1e15), JSON: jsontext.NewEncoder(&out), Turn: func(_ context.Context, page func() error) error {
		return errors.Join(page(), x.fails)
	}}
	err := x.parts[name](x.ctx, e)
	return strings.TrimSpace(out.String()), err
}

// counted begins the export and returns how many messages it counts.
func (x *exporting) counted() string {
	x.Helper()
	_, err := x.part("conversations")
	x.ok(err)
	n, err := x.part("messageCount")
	x.ok(err)
	return n
}

// All messages of a conversation are counted, also those that one read does not
// count.
func TestExportCountsManyMessages(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	w.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
		INSERT INTO message (conversation_id, created_at, id, sender_id, content, deleted_at) SELECT ?1, ?2 + i, 'm' || i, ?3, '', ?2 + i FROM n`,
		c.ID, int64(c.CreatedAt), w.Ada.ID)
	w.sql(`UPDATE conversation SET last_message_at = ?2 + 20001 WHERE id = ?1`, c.ID, int64(c.CreatedAt))
	w.group(w.Ada)
	last := w.group(w.Ada)
	w.send(w.Ada, last.ID, "x")
	if n := w.export().counted(); n != "20002" {
		t.Errorf("%s messages", n)
	}
}

// An export that has not the messages that it counted, because the account has left
// a conversation meanwhile, is an error. What ends it before is that error.
func TestExportOfAConversationThatWasLeft(t *testing.T) {
	w := newWorld(t)
	stays, left := w.group(w.Ben, w.Ada), w.group(w.Ben, w.Ada)
	w.send(w.Ada, stays.ID, "one")
	w.send(w.Ben, left.ID, "two")
	x := w.export()
	if n := x.counted(); n != "2" {
		t.Errorf("%s messages", n)
	}
	out, err := x.part("messages")
	if w.ok(err); !strings.Contains(out, `"one"`) || !strings.Contains(out, `"two"`) {
		t.Errorf("exported %s", out)
	}

	x = w.export()
	x.counted()
	x.fails = errors.New("the connection is closed")
	if _, err := x.part("messages"); !errors.Is(err, x.fails) {
		t.Errorf("got %v, want that %v", err, x.fails)
	}

	x = w.export()
	x.counted()
	_, err = w.s.RemoveParticipant.Call(w.ctx, as(w.Ada), chat.RemoveParticipantIn{ConversationID: left.ID, UserID: w.Ada.ID})
	w.ok(err)
	if _, err := x.part("messages"); err == nil {
		t.Error("it succeeds without the messages of a conversation that was left")
	}
}
