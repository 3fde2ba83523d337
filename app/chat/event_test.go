package chat_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hearth/app/chat"
	"hearth/store"
	"hearth/store/storetest"
)

type renderer func(context.Context, *store.Reader, store.Event, store.Viewer) (string, []byte, bool, error)

// render gives the newest event as one of the cast is told of it.
func (w *world) render(f renderer, u store.User) (name, data string, ok bool) {
	w.Helper()
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
		_, newest, err := r.EventRange()
		if err != nil {
			return err
		}
		evs, err := r.EventsAfter(newest-1, 1)
		if err != nil {
			return err
		}
		var b []byte
		name, b, ok, err = f(w.ctx, r, evs[0], as(u))
		data = string(b)
		return err
	}))
	return name, data, ok
}

func TestMessageEvents(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	m := w.say(w.Ada, c.ID, "planted words")
	name, own, _ := w.render(w.s.RenderMessage, w.Ada)
	_, ben, _ := w.render(w.s.RenderMessage, w.Ben)
	_, cleo, _ := w.render(w.s.RenderMessage, w.Cleo)
	if name != "message.created" || ben != cleo || ben == own {
		t.Errorf("%s: %s, %s, %s", name, own, ben, cleo)
	}
	if strings.Contains(ben, "ada@example.org") || !strings.Contains(own, "ada@example.org") {
		t.Errorf("addresses: %s, %s", own, ben)
	}
	var got chat.MessageEvent
	w.ok(json.Unmarshal([]byte(own), &got))
	if d := cmp.Diff(chat.MessageEvent{ConversationID: c.ID, Message: w.page(w.Ada, chat.ListMessagesIn{ConversationID: c.ID}).Messages[0]}, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if _, _, ok := w.render(w.s.RenderMessage, w.Stranger); ok {
		t.Error("a stranger is told")
	}
	_, err := w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: m.ID, Content: "other words"})
	w.ok(err)
	if name, data, _ := w.render(w.s.RenderMessage, w.Ben); name != "message.updated" || !strings.Contains(data, "other words") {
		t.Errorf("%s %s", name, data)
	}
	_, err = w.s.DeleteMessage.Call(w.ctx, as(w.Ada), chat.DeleteMessageIn{ID: m.ID})
	w.ok(err)
	if name, data, _ := w.render(w.s.RenderMessage, w.Ben); name != "message.deleted" || strings.Contains(data, "words") {
		t.Errorf("%s %s", name, data)
	}
}

// What all members share has nobody's address in it.
func TestConversationEvents(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	name, ada, ok := w.render(w.s.RenderConversation, w.Ada)
	_, ben, _ := w.render(w.s.RenderConversation, w.Ben)
	if name != "conversation.updated" || !ok || ada != ben || strings.Contains(ada, "example.org") || strings.Count(ada, "@users.invalid") != 3 {
		t.Errorf("%s: %s, %s", name, ada, ben)
	}
	if _, _, ok := w.render(w.s.RenderConversation, w.Stranger); ok {
		t.Error("a stranger is told")
	}
	w.ok(w.remove(w.Ada, c.ID, w.Cleo)) // the last event is Cleo's own
	name, data, ok := w.render(w.s.RenderLeft, w.Cleo)
	if want := `{"conversationId":"` + c.ID + `","removed":true}`; name != "conversation.updated" || !ok || data != want {
		t.Errorf("%s: %s", name, data)
	}
	if _, _, ok := w.render(w.s.RenderLeft, w.Ben); ok {
		t.Error("who is still there is told to be gone")
	}
}

func TestReadEvents(t *testing.T) {
	w := newWorld(t)
	c := w.begin(w.Ada, w.Ben)
	w.say(w.Ada, c.ID, "x")
	out, err := w.s.MarkRead.Call(w.ctx, as(w.Ben), chat.MarkReadIn{ConversationID: c.ID})
	w.ok(err)
	name, data, ok := w.render(w.s.RenderRead, w.Ben)
	want := `{"conversationId":"` + c.ID + `","lastReadAt":"` + out.LastReadAt.String() + `","unreadCount":0}`
	if name != "read.updated" || !ok || data != want {
		t.Errorf("%s: %s", name, data)
	}
}

func TestTyping(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	var got []string
	s := chat.New(chat.Config{DB: db.DB, Publish: func(_ context.Context, conversationID, except, name string, data []byte) error {
		got = append(got, conversationID, except, name, string(data))
		return nil
	}})
	c, err := s.CreateConversation.Call(t.Context(), as(cast.Ada), chat.CreateConversationIn{ParticipantIDs: []string{cast.Ben.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ShowTyping.Call(t.Context(), as(cast.Ada), chat.ShowTypingIn{ConversationID: c.ID}); err != nil {
		t.Fatal(err)
	}
	want := []string{c.ID, cast.Ada.ID, "typing", `{"conversationId":"` + c.ID + `","userId":"` + cast.Ada.ID + `","name":"Ada"}`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
