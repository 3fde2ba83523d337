package chat_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
)

// A search of one conversation finds something if the conversations that it names
// include that one.
func TestSearchInAConversationByName(t *testing.T) {
	w := newWorld(t)
	titled := func(title string) string {
		t.Helper()
		out, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada), Type: "group", Title: title})
		w.ok(err)
		w.send(w.Ada, out.ID, "plan of the "+title)
		return out.ID
	}
	garden, kitchen := titled("garden"), titled("kitchen")
	for _, tc := range []struct{ id, q, want string }{
		{garden, "plan", "[plan of the garden]"},
		{garden, "in:garden plan", "[plan of the garden]"},
		{garden, "in:kitchen in:garden plan", "[plan of the garden]"},
		{garden, "in:kitchen plan", "[]"},
		{kitchen, "in:garden plan", "[]"},
		{"", "in:kitchen plan", "[plan of the kitchen]"},
	} {
		out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), chat.SearchMessagesIn{Q: tc.q, ConversationID: tc.id})
		if got := fmt.Sprint(contents(out.Messages)); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v; want %s", tc.q, got, err, tc.want)
		}
	}
}

// What finds nothing has empty lists.
func TestSearchFindsNothing(t *testing.T) {
	w := newWorld(t)
	w.send(w.Ada, w.group(w.Ada).ID, "plan")
	for _, q := range []string{"", "needle", "from:nobody plan"} {
		out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), chat.SearchMessagesIn{Q: q})
		w.ok(err)
		if b, err := json.Marshal(out); err != nil || string(b) != `{"messages":[],"snippets":[]}` {
			t.Errorf("%q: %s, %v", q, b, err)
		}
	}
}

// Without a key of its own a service makes one: the cursors of another service, and
// those sealed with an empty key, are not valid.
func TestSearchCursorKey(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	w.send(w.Ada, c.ID, "plan")
	w.send(w.Ada, c.ID, "plan")
	in := chat.SearchMessagesIn{Q: "plan", Limit: 1}
	cursor := func(s *chat.Service) string {
		t.Helper()
		out, err := s.SearchMessages.Call(w.ctx, as(w.Ada), in)
		if w.ok(err); out.NextCursor == nil {
			t.Fatal("no cursor")
		}
		return *out.NextCursor
	}
	key := bytes.Repeat([]byte{1}, 32)
	with := func(key []byte) *chat.Service { return chat.New(chat.Config{DB: w.db.DB, CursorKey: key}) }
	for name, tc := range map[string]struct {
		cursor string
		s      *chat.Service
		ok     bool
	}{
		"its own":         {cursor(w.s), w.s, true},
		"of another":      {cursor(with(nil)), w.s, false},
		"of an empty key": {cursor(with(make([]byte, 32))), w.s, false},
		"of the same key": {cursor(with(key)), with(key), true},
		"of another key":  {cursor(with(key)), w.s, false},
	} {
		again := in
		again.Cursor = tc.cursor
		out, err := tc.s.SearchMessages.Call(w.ctx, as(w.Ada), again)
		if tc.ok && (err != nil || len(out.Messages) != 1) || !tc.ok && core.As(err).Kind != core.Invalid {
			t.Errorf("%s: %d messages, %v", name, len(out.Messages), err)
		}
	}
}
