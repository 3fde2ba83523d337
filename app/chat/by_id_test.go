package chat_test

import (
	"slices"
	"testing"

	"hearth/app/chat"
)

// Messages and conversations come in the order of the ids, without those of another
// conversation, those that the caller does not see and what is no id.
func TestByID(t *testing.T) {
	w := newWorld(t)
	one, two, foreign := w.direct(w.Ada, w.Ben), w.group(w.Ada, w.Ben), w.group(w.Cleo, w.Stranger)
	a, b, c := w.send(w.Ada, one.ID, "a"), w.send(w.Ben, one.ID, "b"), w.send(w.Ada, one.ID, "c")
	elsewhere, hidden := w.send(w.Ada, two.ID, "elsewhere"), w.send(w.Cleo, foreign.ID, "hidden")
	for _, tc := range []struct{ ask, want []string }{
		{[]string{a.ID, b.ID, c.ID}, []string{"a", "b", "c"}},
		{[]string{c.ID, a.ID, b.ID}, []string{"c", "a", "b"}},
		{[]string{"no id", c.ID, elsewhere.ID, hidden.ID, b.ID}, []string{"c", "b"}},
		{[]string{elsewhere.ID}, nil},
	} {
		got, err := w.s.MessagesByID.Call(w.ctx, as(w.Ada), chat.MessagesByIDIn{ConversationID: one.ID, IDs: tc.ask})
		if err != nil || !slices.Equal(contents(got), tc.want) {
			t.Errorf("%v: %v, %v", tc.want, contents(got), err)
		}
	}
	for _, ask := range [][]string{{one.ID, foreign.ID, two.ID}, {two.ID, foreign.ID, one.ID}} {
		got, err := w.s.ConversationsByID.Call(w.ctx, as(w.Ada), chat.ConversationsByIDIn{IDs: ask})
		if err != nil || len(got) != 2 || got[0].ID != ask[0] || got[1].ID != ask[2] {
			t.Errorf("%v: %+v, %v", ask, got, err)
		}
	}
}
