package chat_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/chat"
	"hearth/store"
)

// A reply makes the direct conversation once, mentions the members it names, and
// notifies the other member of each message.
func TestReplyInvited(t *testing.T) {
	w := newWorld(t)
	reply := func(by store.Viewer, content string) (id string, m chat.Message) {
		t.Helper()
		var text jsontext.Value
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) (err error) {
			id, text, err = w.s.Reply(tx, by, w.Ada.ID, content)
			return err
		}))
		w.ok(json.Unmarshal(text, &m))
		return id, m
	}
	id, m := reply(as(w.Ben), "Hello @Ada, it is about the oven")
	if got := w.eventsFor(id, 0); got != "conversation.updated c, message.created c" {
		t.Errorf("events of the first reply: %q", got)
	}
	for _, ev := range w.db.Events(t, id) {
		if ev.ActorID != w.Ben.ID {
			t.Errorf("an event of %q: %+v", ev.ActorID, ev)
		}
	}
	if m.SenderID != w.Ben.ID || m.Agent != nil || !slices.Equal(m.Mentions, []string{w.Ada.ID}) ||
		m.Content != "Hello @Ada, it is about the oven" {
		t.Errorf("the reply of a person: %+v", m)
	}
	got := w.conversation(w.Ada, id)
	if !got.Mentioned || got.Type != "direct" || got.LastMessage.ID != m.ID || !slices.Equal(w.search(w.Ada, "oven"), []string{m.Content}) {
		t.Errorf("Ada is shown %+v", got)
	}
	_, last := w.events(0)
	agent := as(w.Ben)
	agent.Kind, agent.KeyID, agent.AgentName = store.Agent, "key-1", "Scribe"
	again, m := reply(agent, "Once more")
	if got := w.eventsFor(id, last); again != id || got != "message.created c" {
		t.Errorf("events of the second reply: %q, in %s after %s", got, again, id)
	}
	if m.Agent == nil || *m.Agent != (chat.Agent{ID: "key-1", Name: "Scribe"}) {
		t.Errorf("the reply of an agent: %+v", m.Agent)
	}
	if last := w.conversation(w.Ada, id).LastMessage; last.Agent == nil || *last.Agent != *m.Agent {
		t.Errorf("the reply of an agent is shown with %+v", last.Agent)
	}
}

// A connection makes the direct conversation once, and adds a card each time.
func TestConnect(t *testing.T) {
	w := newWorld(t)
	for n, want := range []string{"conversation.updated c, message.created c", "message.created c"} {
		_, last := w.events(0)
		var id string
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) (err error) {
			id, err = w.s.Connect(tx, [2]string{w.Ada.ID, w.Ben.ID}, store.MessageCard{Kind: "match_context", Payload: `{"n":1}`})
			return err
		}))
		if got := w.eventsFor(id, last); got != want {
			t.Errorf("events of connection %d: %q, want %q", n+1, got, want)
		}
		if got := w.conversation(w.Ben, id); got.Type != "direct" || got.UnreadCount != n+1 || got.LastMessage.MessageType != "card" {
			t.Errorf("after connection %d: %+v", n+1, got)
		}
	}
}
