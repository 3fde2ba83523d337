package chat_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/op"
)

// An account creates 200 conversations within an hour. An existing one is returned
// beyond that, and a server whose limits are lifted counts none.
func TestNewConversationsLimit(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	lifted := chat.New(chat.Config{DB: w.db.DB, Limits: op.NewLimits(w.db.Clock.Now, false)})
	create := func(s *chat.Service) error {
		_, err := s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada), Type: "group"})
		return err
	}
	w.ok(create(lifted))
	for range 199 {
		w.ok(create(w.s))
	}
	w.refuse(create(w.s), core.TooMany, "too_many_conversations")
	w.ok(create(lifted))
	if got := w.direct(w.Ada, w.Ben); got.ID != c.ID {
		t.Errorf("another direct conversation: %s", got.ID)
	}
	w.group(w.Ben)
	w.db.Clock.Advance(time.Hour + time.Second)
	w.ok(create(w.s))
}

// A list shows who sent the last message of each conversation, whether or not they
// are still participants.
func TestListShowsSendersWhoLeft(t *testing.T) {
	w := newWorld(t)
	left, other := w.group(w.Ada, w.Ben, w.Cleo), w.group(w.Ada, w.Ben)
	w.send(w.Cleo, left.ID, "bye")
	w.ok(w.remove(w.Cleo, left.ID, w.Cleo))
	w.send(w.Ben, other.ID, "hello")
	all, err := w.s.ListConversations.Call(w.ctx, as(w.Ada), chat.ListConversationsIn{})
	w.ok(err)
	want := map[string]string{left.ID: w.Cleo.Name, other.ID: w.Ben.Name}
	for _, c := range all.Items {
		if c.LastMessage == nil || c.LastMessage.Sender.Name != want[c.ID] {
			t.Errorf("%s: the last message is %+v, want one of %s", c.ID, c.LastMessage, want[c.ID])
		}
	}
	if len(all.Items) != len(want) {
		t.Errorf("%d conversations", len(all.Items))
	}
}

// Lists of nothing are empty arrays, not null.
func TestEmptyListsAreArrays(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	changes, err := w.s.ListChanges.Call(w.ctx, as(w.Ada), chat.ListChangesIn{ConversationID: c.ID})
	w.ok(err)
	invites, err := w.s.ListInvites.Call(w.ctx, as(w.Ada), chat.ListInvitesIn{ConversationID: c.ID})
	w.ok(err)
	for want, out := range map[string]any{`{"changes":[]}`: changes, `{"invites":[]}`: invites} {
		if got, err := json.Marshal(out); err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}
