package chat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// render returns the newest event as one of the cast receives it.
func (w *world) render(u store.User) (name, data string, ok bool) {
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
		e := w.event(evs[0].Kind)
		out, err := e.JSON(r, as(u), evs[0])
		name, data, ok = e.ClientName(), string(out), out != nil
		return err
	}))
	return name, data, ok
}

// event returns the row of the table of events for a kind.
func (w *world) event(kind store.EventKind) core.Event {
	w.Helper()
	for _, e := range chat.Events() {
		if e.Kind == kind {
			return e
		}
	}
	w.Fatalf("no event %s", kind)
	return core.Event{}
}

func TestMessageEvents(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	m := w.send(w.Ada, c.ID, "planted words")
	name, own, _ := w.render(w.Ada)
	_, ben, _ := w.render(w.Ben)
	_, cleo, _ := w.render(w.Cleo)
	if name != "message.created" || ben != cleo || ben == own {
		t.Errorf("%s: %s, %s, %s", name, own, ben, cleo)
	}
	if strings.Contains(ben, "ada@example.org") || !strings.Contains(own, "ada@example.org") {
		t.Errorf("addresses: %s, %s", own, ben)
	}
	var got chat.MessageEvent
	w.ok(json.Unmarshal([]byte(own), &got))
	if d := cmp.Diff(chat.MessageEvent{ConversationID: c.ID, Message: w.page(w.Ada, chat.ListMessagesIn{ConversationID: c.ID}).Messages[0]},
		got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if _, _, ok := w.render(w.Stranger); ok {
		t.Error("a stranger receives it")
	}
	_, err := w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: m.ID, Content: new("other words")})
	w.ok(err)
	if name, data, _ := w.render(w.Ben); name != "message.updated" || !strings.Contains(data, "other words") {
		t.Errorf("%s %s", name, data)
	}
	_, err = w.s.DeleteMessage.Call(w.ctx, as(w.Ada), core.ByID{ID: m.ID})
	w.ok(err)
	if name, data, _ := w.render(w.Ben); name != "message.deleted" || strings.Contains(data, "words") {
		t.Errorf("%s %s", name, data)
	}
}

// grouped checks that an event is the same for all viewers that its table groups.
func (w *world) grouped(r *store.Reader, ev store.Event, people ...store.User) {
	w.Helper()
	e := w.event(ev.Kind)
	if e.Groups == nil {
		return
	}
	groupOf, err := e.Groups(r, ev)
	w.ok(err)
	first := map[string]string{}
	for _, u := range people {
		data, err := e.JSON(r, as(u), ev)
		w.ok(err)
		group := groupOf(as(u))
		if was, ok := first[group]; ok && was != string(data) {
			w.Errorf("%s: one group receives %s and %s", ev.Kind, was, data)
		}
		first[group] = string(data)
	}
}

// Viewers receive the data of others only if it is what they see themselves: their address and which
// reactions are theirs, whoever caused the event.
func TestGroupsReceiveTheirs(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	m := w.send(w.Ada, c.ID, "Hello @"+w.Ben.Name)
	_, err := w.s.React.Call(w.ctx, as(w.Ben), chat.ReactIn{ID: m.ID, Emoji: "👍"})
	w.ok(err)
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error {
		return tx.Emit(store.Event{Topic: c.ID, Kind: "message.updated", ObjectID: m.ID}) // as a transcript does
	}))
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
		events, err := r.EventsAfter(0, 100)
		for _, ev := range events {
			w.grouped(r, ev, w.Ada, w.Ben, w.Cleo)
		}
		return err
	}))
}

// What is rendered once for all members contains no address, and no members.
func TestConversationEvents(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	name, ada, ok := w.render(w.Ada)
	_, ben, _ := w.render(w.Ben)
	if name != "conversation.updated" || !ok || ada != ben || strings.Contains(ada, "example.org") ||
		strings.Contains(ada, "@users.invalid") || !strings.Contains(ada, `"participantCount":3`) {
		t.Errorf("%s: %s, %s", name, ada, ben)
	}
	for _, member := range []store.User{w.Ada, w.Ben, w.Cleo} {
		if strings.Contains(ada, member.ID) || strings.Contains(ada, `"`+member.Name) {
			t.Errorf("it has a member: %s", ada)
		}
	}
	if _, _, ok := w.render(w.Stranger); ok {
		t.Error("a stranger receives it")
	}
	w.ok(w.remove(w.Ada, c.ID, w.Cleo)) // the last event is that of Cleo's account
	name, data, ok := w.render(w.Cleo)
	if want := `{"conversationId":"` + c.ID + `","removed":true}`; name != "conversation.updated" || !ok || data != want {
		t.Errorf("%s: %s", name, data)
	}
	if _, _, ok := w.render(w.Ben); ok {
		t.Error("a member receives that they left")
	}
}

func TestReadEvents(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	w.send(w.Ada, c.ID, "x")
	out, err := w.s.MarkRead.Call(w.ctx, as(w.Ben), chat.MarkReadIn{ConversationID: c.ID})
	w.ok(err)
	name, data, ok := w.render(w.Ben)
	want := `{"conversationId":"` + c.ID + `","lastReadAt":"` + out.LastReadAt.String() + `","unreadCount":0,"mentioned":false}`
	if name != "read.updated" || !ok || data != want {
		t.Errorf("%s: %s", name, data)
	}
}

func TestTyping(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	var got []string
	s := chat.New(chat.Config{DB: db.DB, Publish: func(_ context.Context, conversationID, except string, kind store.EventKind,
		data []byte) error {
		got = append(got, conversationID, except, string(kind), string(data))
		return nil
	}})
	c, err := s.CreateConversation.Call(t.Context(), as(cast.Ada), chat.CreateConversationIn{ParticipantIDs: []string{cast.Ben.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ShowTyping.Call(t.Context(), as(cast.Ada), core.ByID{ID: c.ID}); err != nil {
		t.Fatal(err)
	}
	want := []string{c.ID, cast.Ada.ID, "typing", `{"conversationId":"` + c.ID + `","userId":"` + cast.Ada.ID + `","name":"Ada"}`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// When an account is read as deleted, each conversation whose messages changed, or
// that it left, has an event.
func TestEventsOfRedaction(t *testing.T) {
	w := newWorld(t)
	both, said, left := w.group(w.Ada, w.Ben), w.group(w.Ada, w.Ben), w.group(w.Ada, w.Ben)
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error {
		members := []store.Member{{ConversationID: left.ID, UserID: "gone"}, {ConversationID: left.ID, UserID: w.Ben.ID}}
		return chat.Ended(tx, store.Ended{Erasure: store.Erasure{
			Messages: []string{both.ID, said.ID}, Left: []string{both.ID, left.ID}, Members: members}})
	}))
	for id, want := range map[string][]string{both.ID: {"messages.redacted", "conversation.updated"}, said.ID: {"messages.redacted"},
		left.ID: {"participant.updated", "participant.updated", "conversation.updated"}} {
		var got []string
		for _, ev := range w.db.Events(t, id) {
			got = append(got, string(ev.Kind))
		}
		if want = append([]string{"conversation.updated"}, want...); !slices.Equal(got, want) { // the first when it was made
			t.Errorf("events %v, want %v", got, want)
		}
	}
}

// A service that publishes nothing accepts that somebody is typing.
func TestTypingIsNotPublished(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	_, err := w.s.ShowTyping.Call(w.ctx, as(w.Ada), core.ByID{ID: c.ID})
	w.ok(err)
}

// An event that is rendered once for all participants shows nobody's address, not even
// to the account it is about.
func TestParticipantEventsMaskAddresses(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	_, err := w.addTo(w.Ada, c.ID, w.Cleo)
	w.ok(err)
	_, want, _ := w.render(w.Ada)
	for _, u := range []store.User{w.Ada, w.Ben, w.Cleo} {
		name, data, ok := w.render(u)
		if name != "participant.updated" || !ok || data != want {
			t.Errorf("%s to %s: %s, want %s", name, u.Name, data, want)
		}
		if strings.Contains(data, "example.org") || !strings.Contains(data, `"email":"`+w.Cleo.ID+`@users.invalid"`) {
			t.Errorf("to %s: %s", u.Name, data)
		}
	}
}

// act is something that changes a conversation.
type act struct {
	name  string
	want  string // its events, in order, with their recipients
	again string // the code with which it is refused when it is done again
	do    func() error
}

// actsOfMembers are what changes a group of Ada's and Ben's.
func (w *world) actsOfMembers(c chat.Conversation) []act {
	title := func(open bool) func() error {
		return func() error {
			_, err := w.s.UpdateConversation.Call(w.ctx, as(w.Ada), chat.UpdateConversationIn{ID: c.ID, Title: core.Some("T"),
				Open: core.Some(open)})
			return err
		}
	}
	add := func() error {
		_, err := w.s.AddParticipant.Call(w.ctx, as(w.Ada), chat.AddParticipantIn{ConversationID: c.ID, UserID: w.Cleo.ID})
		return err
	}
	return []act{
		{"rename", "conversation.updated c", "", title(false)},
		{"open", "conversation.updated c", "", title(true)},
		{"join", "conversation.updated c, participant.updated c", "", func() error {
			_, err := w.s.JoinConversation.Call(w.ctx, as(w.Stranger), core.ByID{ID: c.ID})
			return err
		}},
		{"add", "conversation.updated c, participant.updated c", "", add},
		{"make an owner", "participant.updated c", "", func() error {
			_, err := w.s.UpdateParticipant.Call(w.ctx, as(w.Ada), chat.UpdateParticipantIn{ConversationID: c.ID, UserID: w.Cleo.ID, Role: "owner"})
			return err
		}},
		{"remove", "conversation.updated c, participant.updated c, conversation.left " + w.Cleo.Name, "not_found",
			func() error { return w.remove(w.Ada, c.ID, w.Cleo) }},
		{"leave", "conversation.updated c, participant.updated c, conversation.left " + w.Stranger.Name, "not_found",
			func() error { return w.remove(w.Stranger, c.ID, w.Stranger) }},
	}
}

// actsOnMessages are what is done with a message of Ben's.
func (w *world) actsOnMessages(c chat.Conversation, message chat.Message) []act {
	read := func(upTo store.Time) func() error {
		return func() error {
			_, err := w.s.MarkRead.Call(w.ctx, as(w.Ada), chat.MarkReadIn{ConversationID: c.ID, UpTo: &upTo})
			return err
		}
	}
	return []act{
		{"read", "read.updated " + w.Ada.Name, "", read(message.CreatedAt)},
		{"read no more", "", "", read(message.CreatedAt)},
		{"read less", "", "", read(message.CreatedAt - 1)},
		{"mark as unread", "read.updated " + w.Ada.Name, "", func() error {
			_, err := w.s.MarkUnread.Call(w.ctx, as(w.Ada), chat.MarkUnreadIn{ConversationID: c.ID, MessageID: message.ID})
			return err
		}},
		{"react", "reaction.updated c", "", func() error {
			_, err := w.s.React.Call(w.ctx, as(w.Ada), chat.ReactIn{ID: message.ID, Emoji: "👍"})
			return err
		}},
		{"take it back", "reaction.updated c", "", func() error {
			_, err := w.s.Unreact.Call(w.ctx, as(w.Ada), chat.UnreactIn{ID: message.ID, Emoji: "👍"})
			return err
		}},
		{"edit", "message.updated c", "", func() error {
			_, err := w.s.EditMessage.Call(w.ctx, as(w.Ben), chat.EditMessageIn{ID: message.ID, Content: ptr("other")})
			return err
		}},
		{"delete", "message.deleted c", "", func() error {
			_, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ben), core.ByID{ID: message.ID})
			return err
		}},
	}
}

// An act that changes a conversation has its events, in order and with their recipients:
// the conversation (c), or an account (by its name). Repeating the act has no events.
func TestEventsOfActs(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	message := w.send(w.Ben, c.ID, "first")
	w.send(w.Ben, c.ID, "second") // which stays unread
	for _, act := range append(w.actsOfMembers(c), w.actsOnMessages(c, message)...) {
		for n, want := range []string{act.want, ""} {
			_, last := w.events(0)
			err := act.do()
			code, refused := "", []string{"", act.again}[n]
			if err != nil {
				code = core.As(err).Code
			}
			if got := w.eventsFor(c.ID, last); got != want || code != refused {
				t.Errorf("%s, time %d: events %q, want %q; %v", act.name, n+1, got, want, err)
			}
		}
	}
}

// eventsFor returns the events after a number, with their recipients.
func (w *world) eventsFor(conversationID string, after int64) (text string) {
	w.Helper()
	names := map[string]string{conversationID: "c"}
	for _, u := range []store.User{w.Ada, w.Ben, w.Cleo, w.Stranger} {
		names[u.ID] = u.Name
	}
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
		evs, err := r.EventsAfter(after, 1000)
		for n, ev := range evs {
			if n > 0 {
				text += ", "
			}
			text += fmt.Sprint(ev.Kind, " ", names[ev.Topic])
		}
		return err
	}))
	return text
}
