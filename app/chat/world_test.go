package chat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// world is the service on a database of the test's own, with the cast.
type world struct {
	*testing.T
	storetest.Cast
	db  *storetest.DB
	s   *chat.Service
	ctx context.Context
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := storetest.Open(t)
	return &world{T: t, Cast: storetest.People(t, db), db: db, ctx: context.Background(),
		s: chat.New(chat.Config{DB: db.DB, BaseURL: "https://hearth.test"})}
}

var as = storetest.Human

// direct makes a conversation of owner with the others: a direct one with one.
func (w *world) direct(owner store.User, others ...store.User) chat.Conversation {
	w.Helper()
	out, err := w.s.CreateConversation.Call(w.ctx, as(owner), chat.CreateConversationIn{ParticipantIDs: ids(others...)})
	if err != nil {
		w.Fatal(err)
	}
	return out.Conversation
}

// group is direct for a group, whatever the number of others.
func (w *world) group(owner store.User, others ...store.User) chat.Conversation {
	w.Helper()
	out, err := w.s.CreateConversation.Call(w.ctx, as(owner), chat.CreateConversationIn{ParticipantIDs: append(ids(others...), owner.ID),
		Type: "group"})
	if err != nil {
		w.Fatal(err)
	}
	return out.Conversation
}

func ids(us ...store.User) []string {
	var out []string
	for _, u := range us {
		out = append(out, u.ID)
	}
	return out
}

func (w *world) send(u store.User, conversationID, content string) chat.Message {
	w.Helper()
	m, err := w.s.SendMessage.Call(w.ctx, as(u), chat.SendMessageIn{ConversationID: conversationID, Content: content})
	if err != nil {
		w.Fatal(err)
	}
	return m.Message
}

func (w *world) conversation(u store.User, id string) chat.Conversation {
	w.Helper()
	c, err := w.s.GetConversation.Call(w.ctx, as(u), core.ByID{ID: id})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *world) page(u store.User, in chat.ListMessagesIn) chat.MessagePage {
	w.Helper()
	p, err := w.s.ListMessages.Call(w.ctx, as(u), in)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// add inserts another account.
func (w *world) add(u store.User) store.User {
	w.Helper()
	err := w.db.Write(w.ctx, func(tx *store.Tx) (err error) {
		u.SignupProvider = "magic-link"
		u, err = tx.InsertUser(u)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return u
}

// refuse wants err to be of a kind and code.
func (w *world) refuse(err error, kind core.Kind, code string) *core.Error {
	w.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Code != code {
		w.Fatalf("got %v, want kind %d %s", err, kind, code)
	}
	return e
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// events returns the kinds of the events from after a number on, with the
// newest number.
func (w *world) events(after int64) (kinds []string, newest int64) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) error {
		evs, err := r.EventsAfter(after, 1000)
		for _, ev := range evs {
			kinds = append(kinds, string(ev.Kind))
			newest = ev.ID
		}
		return err
	})
	w.ok(err)
	return kinds, newest
}

func contents(ms []chat.Message) []string {
	out := []string{}
	for _, m := range ms {
		out = append(out, m.Content)
	}
	return out
}

func ptr[T any](v T) *T { return &v }

const never = store.Time(0)

func in(d time.Duration) store.Time { return store.TimeOf(storetest.Epoch.Add(d)) }
