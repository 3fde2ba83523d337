package chat_test

import (
	"strings"
	"testing"

	"hearth/app/chat"
	"hearth/store"
)

// That the messages of an account were redacted is rendered with the conversation.
func TestRedactedEvents(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return chat.Redacted(tx, store.Redaction{Messages: []string{c.ID}}) }))
	name, data, ok := w.render(w.Ben)
	if name != "messages.redacted" || !ok || data != `{"conversationId":"`+c.ID+`"}` {
		t.Errorf("%s: %s", name, data)
	}
}

// A conversation with a bot contains one, and one of people does not.
func TestConversationEventsWithABot(t *testing.T) {
	w := newWorld(t)
	bot := w.add(store.User{Email: "b@example.org", Name: "Pantry", IsBot: true})
	w.group(w.Ada, w.Ben)
	if _, data, _ := w.render(w.Ada); !strings.Contains(data, `"containsBot":false`) {
		t.Errorf("people: %s", data)
	}
	w.group(w.Ada, bot)
	if _, data, _ := w.render(w.Ada); !strings.Contains(data, `"containsBot":true`) {
		t.Errorf("a bot: %s", data)
	}
}

// A service that publishes nothing accepts that somebody is typing.
func TestTypingIsNotPublished(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	_, err := w.s.ShowTyping.Call(w.ctx, as(w.Ada), chat.ShowTypingIn{ConversationID: c.ID})
	w.ok(err)
}
