package chat_test

import (
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// No account can fill the lists of others with conversations that they cannot
// refuse. Requests for a direct conversation that exists are not limited.
func TestCreationLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := chat.CreateConversationIn{ParticipantIDs: []string{w.Ben.ID}, Type: "group"}
	begin := func(u store.User, in chat.CreateConversationIn) (chat.CreateConversationOut, error) {
		return w.s.CreateConversation.Call(w.ctx, as(u), in)
	}
	for n := range 199 { // with each of both fewer than 100, which is a limit of its own
		if _, err := begin(w.Ada, chat.CreateConversationIn{ParticipantIDs: []string{[]store.User{w.Stranger, w.Ben}[n%2].ID},
			Type: "group"}); err != nil {
			t.Fatal(err)
		}
	}
	direct := chat.CreateConversationIn{ParticipantIDs: []string{w.Cleo.ID}}
	there, err := begin(w.Ada, direct)
	if err != nil {
		t.Fatal(err)
	}
	_, err = begin(w.Ada, in)
	if e := w.refuse(err, core.TooMany, "too_many_conversations"); e.RetryAfter <= 0 || e.RetryAfter > time.Hour {
		t.Errorf("come back in %v", e.RetryAfter)
	}
	_, err = begin(w.Ada, chat.CreateConversationIn{ParticipantIDs: []string{w.Ben.ID}})
	w.refuse(err, core.TooMany, "too_many_conversations")
	if again, err := begin(w.Ada, direct); err != nil || again.ID != there.ID {
		t.Errorf("the existing one: %v, %v", again.ID, err)
	}
	if _, err := begin(w.Cleo, in); err != nil {
		t.Errorf("another account: %v", err)
	}
	list, err := w.s.ListConversations.Call(w.ctx, as(w.Ben), chat.ListConversationsIn{})
	if err != nil || len(list.Items) != 100 {
		t.Errorf("%d conversations are listed, %v", len(list.Items), err)
	}
	w.db.Clock.Advance(time.Hour + time.Second)
	if _, err := begin(w.Ada, in); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}
