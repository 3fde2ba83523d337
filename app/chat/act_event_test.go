package chat_test

import (
	"fmt"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// act is something that changes a conversation.
type act struct {
	name  string
	want  string // its events, in order, with whom they are for
	again string // the code with which it is refused when it is done again
	do    func() error
}

// actsOfMembers are what changes a group of Ada's and Ben's.
func (w *world) actsOfMembers(c chat.Conversation) []act {
	title := func(open bool) func() error {
		return func() error {
			_, err := w.s.UpdateConversation.Call(w.ctx, as(w.Ada), chat.UpdateConversationIn{ID: c.ID, Title: core.Some("T"), Open: core.Some(open)})
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
			_, err := w.s.JoinConversation.Call(w.ctx, as(w.Stranger), chat.JoinConversationIn{ID: c.ID})
			return err
		}},
		{"add", "conversation.updated c, participant.updated c", "", add},
		{"make an owner", "participant.updated c", "", func() error {
			_, err := w.s.UpdateParticipant.Call(w.ctx, as(w.Ada), chat.UpdateParticipantIn{ConversationID: c.ID, UserID: w.Cleo.ID, Role: "owner"})
			return err
		}},
		{"remove", "conversation.updated c, participant.updated c, conversation.left " + w.Cleo.Name, "not_found", func() error { return w.remove(w.Ada, c.ID, w.Cleo) }},
		{"leave", "conversation.updated c, participant.updated c, conversation.left " + w.Stranger.Name, "not_found", func() error { return w.remove(w.Stranger, c.ID, w.Stranger) }},
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
			_, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ben), chat.DeleteMessageIn{ID: message.ID})
			return err
		}},
	}
}

// What changes a conversation has its events, in order and with whom they are for: the
// conversation (c), or an account (by its name). Done again, it has none.
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

// eventsFor returns the events after a number, with whom they are for.
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
